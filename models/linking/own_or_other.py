"""Whether a question is one for a database: fits the weights of `link/src/fit.rs`.

    python own_or_other.py --pack PACK --work FOLDER --periplus COMMAND

Questions of PACK, which is Spider's training split, and of the packs beside this script are asked half of their own
database and half of another one (of another organisation, for those packs). `periplus eval link` writes what it measures of
each; a logistic regression tells the two apart. Printed are the weights and what a threshold loses and finds.
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess

import numpy as np

OWN = pathlib.Path(__file__).parent / "packs"
MEASURED = ("known", "explained", "explained_by_one", "similarity", "likeliest")
QUESTIONS = {"public": 1200, "own": 700}
LEAST_DOUBT = 1e-4
RIDGE = 0.5


def read(folder, prefix):
    """Questions with the organisation that each is of, and the files of the databases by name."""
    questions, files = [], {}
    for path in [*folder.glob("databases/*.sqlite"), *folder.glob("snapshots/*.json")]:
        files[prefix + path.stem] = path
    for line in (folder / "questions.jsonl").read_text().splitlines():
        question = json.loads(line)
        question["db"] = prefix + question["db"]
        question["organisation"] = prefix or question["db"]
        questions.append(question)
    return questions, files


def write_pack(folder, questions, files, count):
    """Half of the questions for their own database, half for another's."""
    for number, question in enumerate(questions[: 2 * count]):
        question["id"] = f"{'own' if number < count else 'other'}-{number}"
        if number >= count:
            others = sorted({one["db"] for one in questions if one["organisation"] != question["organisation"]})
            question["db"], question["gold_tables"] = random.choice(others), ["none"]
    for name, path in files.items():
        link = folder / path.parent.name / f"{name}{path.suffix}"
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(path.resolve())
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions[: 2 * count]))


def measured(folder, command):
    out = folder / "predictions.jsonl"
    call = [*shlex.split(command), "eval", "link", "--pack", str(folder), "--out", str(out)]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    rows = np.array([[line["fit"][name] for name in MEASURED] for line in lines])
    likeliest = np.clip(rows[:, -1], LEAST_DOUBT, 1 - LEAST_DOUBT)
    rows[:, -1] = np.log(likeliest / (1 - likeliest))
    return np.c_[rows, np.ones(len(rows))], np.array([line["id"].startswith("own") for line in lines])


def fitted(rows, is_own):
    """Weights by Newton's method, the last one for none of the numbers."""
    weights, ridge = np.zeros(rows.shape[1]), RIDGE * np.eye(rows.shape[1])
    ridge[-1, -1] = 0
    for _ in range(50):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (likely - is_own) + ridge @ weights
        weights -= np.linalg.solve((rows * (likely * (1 - likely))[:, None]).T @ rows + ridge, slope)
    return weights


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pack", required=True, type=pathlib.Path)
    arguments.add_argument("--work", required=True, type=pathlib.Path)
    arguments.add_argument("--periplus", required=True)
    options = arguments.parse_args()
    random.seed(3)
    packs = {"public": read(options.pack, "")}
    own = [read(folder, f"{folder.name}__") for folder in sorted(OWN.iterdir()) if folder.is_dir()]
    packs["own"] = ([one for questions, _ in own for one in questions], {k: v for _, files in own for k, v in files.items()})
    sets = {}
    for name, (questions, files) in packs.items():
        random.shuffle(questions)
        folder = options.work / name
        folder.mkdir(parents=True, exist_ok=True)
        write_pack(folder, questions, files, QUESTIONS[name])
        sets[name] = measured(folder, options.periplus)
    weights = fitted(np.concatenate([rows for rows, _ in sets.values()]), np.concatenate([own for _, own in sets.values()]))
    for name, weight in zip([*MEASURED, "none"], weights, strict=True):
        print(f"{name:18s}{weight:8.3f}")
    for threshold in np.arange(-7, -1, 0.5):
        shares = []
        for name, (rows, is_own) in sets.items():
            below = rows @ weights < threshold
            shares.append(f"{name}: lost {below[is_own].mean():.4f} found {below[~is_own].mean():.3f}")
        print(f"{threshold:5.1f}  {'  '.join(shares)}")


if __name__ == "__main__":
    main()
