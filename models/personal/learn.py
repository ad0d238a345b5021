"""Learns how like personal columns a column is; see README.md."""

import argparse
import pathlib
import sqlite3
import struct
import subprocess

import numpy
import scipy.sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

BUCKETS = 1 << 15
# How much a column counts that somebody has labelled, a word of the vocabulary, a column of a public database.
LABELLED, WORD, PUBLIC = 3.0, 0.5, 1.0
# Public columns that the trees see, so that they don't outweigh the labelled ones.
MOST_PUBLIC = 2000
THRESHOLD = 0.7
LEAF = 255
VOCABULARY = pathlib.Path(__file__).parents[2] / "privacy" / "vocabulary"


class Columns:
    """What the judge measures of columns, one a line: names, found by rules, letters, the other measures, and labels."""

    def __init__(self, judge, lines):
        text = "".join(line + "\n" for line in lines)
        output = subprocess.run([judge, "--features"], input=text, capture_output=True, text=True, check=True).stdout
        self.names, found, letters, measures = [], [], [], []
        for line in output.splitlines():
            table, column, is_found, parts, others = line.split("\t")
            self.names.append((table, column))
            found.append(is_found == "1")
            letters.append([pair.split(":") for pair in parts.split()])
            measures.append([float(measure) for measure in others.split()])
        starts = numpy.cumsum([0] + [len(row) for row in letters])
        buckets = [int(bucket) for row in letters for bucket, _ in row]
        much = [float(value) for row in letters for _, value in row]
        self.found = numpy.array(found)
        self.letters = scipy.sparse.csr_matrix((much, buckets, starts), shape=(len(letters), BUCKETS))
        self.letters.sum_duplicates()
        self.measures = numpy.array(measures, dtype=numpy.float32)
        self.labels = None

    def where(self, wanted):
        """The columns for which `wanted` is true."""
        part = object.__new__(Columns)
        part.names = [name for name, it in zip(self.names, wanted) if it]
        part.found, part.letters, part.measures = self.found[wanted], self.letters[wanted], self.measures[wanted]
        part.labels = self.labels[wanted] if self.labels is not None else None
        return part

    def clear(self):
        """Those of which somebody has said what they are."""
        return self.where(self.labels != "-")

    def personal(self):
        return (self.labels == "P").astype(int)


def labelled(judge, path):
    """A file of labelled columns."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    columns = Columns(judge, ["\t".join(line[:7]) for line in lines])
    label = {(line[0], line[1]): line[7] for line in lines}
    columns.labels = numpy.array([label[name] for name in columns.names])
    return columns


def words(judge):
    """The words of the vocabulary as columns of their own: personal and harmless ones."""
    lines, labels = [], []
    lists = [("names.txt", 1), ("further_names.txt", 1), ("harmless.txt", 0), ("further_harmless.txt", 0)]
    for name, label in lists:
        for line in (VOCABULARY / name).read_text(encoding="utf-8").splitlines():
            if line.startswith(("#", "[")):
                continue
            for word in line.split():
                lines.append(f"w{len(lines)}\t{word}\tTEXT\t\t\t\t")
                labels.append(label)
    return numpy.array(labels), Columns(judge, lines).letters


def public(judge, folder):
    """Columns of public SQLite databases in which the rules find nothing, taken for harmless."""
    lines = []
    for path in sorted(pathlib.Path(folder).rglob("*.sqlite")):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = database.execute(f'PRAGMA table_info("{table}")').fetchall()
            keys = {row[3].lower(): row[2] for row in database.execute(f'PRAGMA foreign_key_list("{table}")')}
            rows = database.execute(f'SELECT * FROM "{table}" LIMIT 80').fetchall()
            if table.startswith("sqlite_") or len(rows) < 5:
                continue
            for place, column in enumerate(columns):
                values = ["" if row[place] is None else " ".join(str(row[place]).split())[:200] for row in rows]
                role = "pk" if column[5] else f"fk:{keys[column[1].lower()]}" if column[1].lower() in keys else ""
                lines.append("\t".join([table, column[1], column[2] or "TEXT", "", "\x1f".join(values), role, ""]))
    columns = Columns(judge, lines)
    return columns.where(~columns.found)


def sounding(sets, words_known, harmless):
    """What names sound like: a regression over letters."""
    parts = [(columns.letters, columns.personal(), LABELLED) for columns in sets]
    parts.append((words_known[1], words_known[0], WORD))
    if harmless is not None:
        parts.append((harmless.letters, numpy.zeros(len(harmless.names), int), PUBLIC))
    letters = scipy.sparse.vstack([part[0] for part in parts])
    labels = numpy.concatenate([part[1] for part in parts])
    weights = numpy.concatenate([numpy.full(part[0].shape[0], part[2]) for part in parts])
    return LogisticRegression(C=3.0, max_iter=3000).fit(letters, labels, sample_weight=weights)


def together(regression, columns):
    """What the trees look at."""
    return numpy.column_stack([regression.decision_function(columns.letters), columns.measures]).astype(numpy.float32)


def fitted(sets, words_known, harmless):
    """The regression, and the trees that look at what it says of columns that it hasn't learnt from."""
    looked, labels, weights = [], [], []
    for columns in sets:
        without = sounding([other for other in sets if other is not columns], words_known, harmless)
        looked.append(together(without, columns))
        labels.append(columns.personal())
        weights.append(numpy.ones(len(columns.names)))
    regression = sounding(sets, words_known, harmless)
    if harmless is not None:
        some = harmless.where(numpy.arange(len(harmless.names)) < MOST_PUBLIC)
        # The regression has learnt from these, and would be believed too much.
        looked.append(together(regression, some) - numpy.eye(1, looked[0].shape[1], dtype=numpy.float32))
        labels.append(numpy.zeros(len(some.names), int))
        weights.append(numpy.full(len(some.names), 0.5))
    trees = HistGradientBoostingClassifier(
        max_iter=250, learning_rate=0.05, max_leaf_nodes=15, min_samples_leaf=20, l2_regularization=1.0, random_state=0
    )
    trees.fit(numpy.vstack(looked), numpy.concatenate(labels), sample_weight=numpy.concatenate(weights))
    return regression, trees


def report(name, models, columns):
    """Recall and the share of harmless columns masked, by rules and with what was learnt."""
    regression, trees = models
    likely = trees.predict_proba(together(regression, columns))[:, 1] >= THRESHOLD
    personal, harmless = columns.labels == "P", columns.labels == "H"
    both = columns.found | likely
    told = [f"recall {which[personal].mean():.3f}, false {which[harmless].mean():.3f}" for which in (columns.found, both)]
    print(f"{name}: {personal.sum()} personal, {harmless.sum()} harmless: by rules {told[0]}; with what was learnt {told[1]}")


def written(regression, trees):
    """The file that the program reads; `privacy/src/likeness.rs` says its form."""
    weights = regression.coef_[0]
    scale = float(numpy.abs(weights).max()) / 32767
    made = struct.pack("<ff", float(regression.intercept_[0]), scale)
    made += numpy.rint(weights / scale).astype("<i2").tobytes()
    made += struct.pack("<fH", float(numpy.ravel(trees._baseline_prediction)[0]), len(trees._predictors))
    for (tree,) in trees._predictors:
        made += struct.pack("<H", len(tree.nodes))
        for node in tree.nodes:
            if node["is_leaf"]:
                made += struct.pack("<BfHHf", LEAF, 0.0, 0, 0, node["value"])
            else:
                at = (int(node["feature_idx"]), float(node["num_threshold"]), int(node["left"]), int(node["right"]))
                made += struct.pack("<BfHHf", *at, 0.0)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True, help="the example `judge` of the room `privacy`, built")
    parser.add_argument("--public", help="a folder of public SQLite databases")
    parser.add_argument("--held-back", type=pathlib.Path, help="labelled columns that nothing is learnt from")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    files = sorted((pathlib.Path(__file__).parent / "columns").glob("*.tsv"))
    sets = {path.stem: labelled(arguments.judge, path) for path in files}
    words_known = words(arguments.judge)
    harmless = public(arguments.judge, arguments.public) if arguments.public else None
    for name in sets:
        others = [columns.clear() for other, columns in sets.items() if other != name]
        report(name, fitted(others, words_known, harmless), sets[name])
    models = fitted([columns.clear() for columns in sets.values()], words_known, harmless)
    if arguments.held_back:
        report("held back", models, labelled(arguments.judge, arguments.held_back))
    arguments.out.write_bytes(written(*models))


if __name__ == "__main__":
    main()
