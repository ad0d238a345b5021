"""Steps 2 to 5: from packs to the trees of both stages.

    python fit.py --packs FOLDER --embeddings FOLDER --work FOLDER --rows COMMAND --out periplus-rank.bin

FOLDER of the packs is what `packs.py` wrote; the packs of this repository, in `packs/` beside this script, join them.
So do those of `applications/`, whose schemas `applications/snapshot.sh` has made.
COMMAND is the program that measures (`cargo run --release -p eval --example link_rows --`). The first stage is trained
on what it measures, held out by fold; then the program measures again, with the first stage of the other folds in
place, and reranking is trained on that. Printed is how good the ranking is on packs that weren't trained on.
Embedding tables that were tuned to the pack's questions would look surer than they are, so questions of the even
databases are measured with the table that was tuned to the odd ones, and the other way around; likewise the packs of
this repository, whose texts they imitate.
"""

import argparse
import json
import pathlib
import shlex
import subprocess

import lightgbm
import numpy as np

import forest

FOLDS = 4
# What a question of this repository's packs and of the applications weighs, of one that was made from the public pack:
# there are few of them, and they are what real schemas are like.
OWN_WEIGHT = 10.0
APPLICATION_WEIGHT = 20.0
# Of the public pack's questions, one in so many is trained on.
THINNED = 3
SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.03,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 127,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 2,
    "verbose": -1,
}
# The first stage has to be right about the first ranks only; reranking's probabilities are what directives rest on.
FIRST_STAGE = {"num_leaves": 8, "max_depth": 4, "num_iterations": 250}
RERANKING = {"num_leaves": 24, "max_depth": 8, "num_iterations": 600}
# Numbers in front of a row: see `eval/src/rows.rs`.
HEAD = 5
QUESTION, NEEDED, NEEDED_OF_IT, FOUND, STANDS_FOR = range(HEAD)
OWN = pathlib.Path(__file__).parent / "packs"
APPLICATIONS = pathlib.Path(__file__).parent / "applications"
BUILT_IN = pathlib.Path(__file__).parent.parent / "embedding" / "periplus-embed.bin"
# Applications that nothing is fitted to, so that there is something to judge by that nobody has trained on.
JUDGED_APART = {"chatwoot", "ghost", "nautobot"}


def sets_of(options):
    """(name, pack, fold, how it is measured)"""
    sets = []
    tables = [{"embedder": str(options.embeddings / f"fold-{other}.bin")} for other in ("odd", "even")]
    for fold in range(FOLDS):
        table = tables[fold % 2]
        for kind in ("plain", "mixed", "opaque", "crowd"):
            sets.append((f"{kind}-{fold}", options.packs / f"{kind}-{fold}", fold, table))
        sets.append((f"pool-{fold}", options.packs / f"pool-{fold}", fold, {**table, "pooled": True}))
        sets.append((f"pooled-{fold}", options.packs / f"plain-{fold}", fold, {**table, "pooled": True}))
    for number, pack in enumerate(sorted(path for path in OWN.iterdir() if path.is_dir())):
        sets.append((f"own {pack.name}", pack, number % FOLDS, tables[number % 2]))
    for number, pack in enumerate(sorted(path for path in APPLICATIONS.iterdir() if path.is_dir() and path.name not in JUDGED_APART)):
        if not (pack / "snapshots").is_dir():
            raise SystemExit(f"{pack} has no schema: make it with applications/snapshot.sh")
        sets.append((f"application {pack.name}", pack, number % FOLDS, {"embedder": str(BUILT_IN)}))
    return sets


def weight_of(name):
    return {"own": OWN_WEIGHT, "application": APPLICATION_WEIGHT}.get(name.split()[0], 1.0)


def measure(options, sets, stage, rankers):
    """Rows of each set, as the program writes them."""
    folder = options.work / f"rows-{stage}"
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for name, pack, fold, how in sets:
        run = {"pack": str(pack), "out": str(folder / f"{name}.rows"), "stage": stage, **how}
        run["every"] = 1 if name.startswith(("own", "application", "pool-", "crowd")) else THINNED
        if rankers:
            run["ranker"] = str(rankers[fold])
        runs.append(run)
    # Two programs at a time, each with every other run.
    started = []
    for half in range(2):
        path = options.work / f"runs-{stage}-{half}.json"
        path.write_text(json.dumps(runs[half::2]))
        started.append(subprocess.Popen([*shlex.split(options.rows), str(path)], stdout=subprocess.DEVNULL))
    if any([program.wait() for program in started]):
        raise SystemExit("measuring failed")
    width = HEAD + len(options.features[stage])
    return {name: np.fromfile(folder / f"{name}.rows", np.float32).reshape(-1, width) for name, *_ in sets}


def features(options):
    """The features of each stage in the order of a row's numbers, from the one list of them (`link/src/features/list.rs`)."""
    printed = subprocess.run([*shlex.split(options.rows), "--features"], capture_output=True, check=True, text=True)
    return json.loads(printed.stdout)


def train(sets, rows, features, size, left_out):
    chosen = [name for name, _, fold, _ in sets if fold != left_out]
    columns = np.concatenate([rows[name][:, HEAD:] for name in chosen])
    needed = np.concatenate([rows[name][:, NEEDED] for name in chosen])
    weights = np.concatenate([rows[name][:, STANDS_FOR] * weight_of(name) for name in chosen])
    names = [feature["name"] for feature in features]
    dataset = lightgbm.Dataset(columns, needed, weight=weights, feature_name=names)
    return lightgbm.train({**SETTINGS, **size}, dataset)


def full_at(rows, scores, depths=(5, 10, 20)):
    found = []
    for number in np.unique(rows[:, QUESTION]):
        which = np.flatnonzero(rows[:, QUESTION] == number)
        order = which[np.argsort(-scores[which], kind="stable")]
        complete = rows[which[0], NEEDED_OF_IT] == rows[which[0], FOUND]
        found.append(np.flatnonzero(rows[order, NEEDED])[-1] if complete else np.inf)
    return [float(np.mean(np.array(found) < depth)) for depth in depths]


def report(label, sets, rows, models):
    print(label)
    for name, _, fold, _ in sets:
        if not name.startswith(("plain", "mixed")):
            figures = full_at(rows[name], models[fold].predict(rows[name][:, HEAD:], raw_score=True))
            print(f"  {name:16s}", " ".join(f"{figure:.3f}" for figure in figures), flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--packs", "--embeddings", "--work", "--out"):
        arguments.add_argument(name, required=True, type=pathlib.Path)
    arguments.add_argument("--rows", required=True)
    options = arguments.parse_args()
    options.features = features(options)
    sets = sets_of(options)
    rows = measure(options, sets, "first_stage", None)
    first = {fold: train(sets, rows, options.features["first_stage"], FIRST_STAGE, fold) for fold in [*range(FOLDS), None]}
    report("first stage, held out: full@5 @10 @20", sets, rows, first)
    rankers = {}
    for fold in range(FOLDS):
        rankers[fold] = options.work / f"first-{fold}.bin"
        forest.write(rankers[fold], options.features["reranking"], first[fold], None)
    rows = measure(options, sets, "reranking", rankers)
    second = {fold: train(sets, rows, options.features["reranking"], RERANKING, fold) for fold in [*range(FOLDS), None]}
    report("reranking, held out: full@5 @10 @20", sets, rows, second)
    # What `periplus eval link --ranker` judges the packs of a fold with: it was trained on the others.
    for fold in range(FOLDS):
        forest.write(options.work / f"held-out-{fold}.bin", options.features["reranking"], first[fold], second[fold])
    forest.write(options.out, options.features["reranking"], first[None], second[None])
    print(f"{options.out}: {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
