"""Questions and schemas of a pack: a folder with `questions.jsonl` and `databases/*.sqlite` or `snapshots/*.json`.

A question is `{"id", "db", "question", "evidence"?, "gold_tables": [...], "gold_columns"?: ["table.column", ...]}`; a
snapshot is a schema without its data. Nothing here looks at the data.
"""

import contextlib
import json
import pathlib
import re
import sqlite3
from dataclasses import dataclass

WORD = re.compile(r"[^\W_]+")
# The edges inside a word, as `catalog::split_identifier` finds them: lower to upper, the end of an acronym, digits.
EDGE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])")
# Names that differ only in such a run are one table to the scorer: date shards, years.
SHARD = re.compile(r"\d{4,}")


def split(text):
    """Words in lower case, identifiers taken apart."""
    return [part.lower() for word in WORD.findall(text) for part in EDGE.split(word) if part]


@dataclass
class Column:
    name: str
    comment: str = ""

    @property
    def words(self):
        words = split(self.name)
        return words + [word for word in split(self.comment) if word not in words]


@dataclass
class Table:
    database: str
    name: str
    comment: str
    columns: list

    @property
    def key(self):
        return f"{self.database}.{self.name}"

    @property
    def words(self):
        # BigQuery names say project.dataset.table: what tells tables apart is in the last part.
        words = split(self.name.rsplit(".", 1)[-1])
        return words + [word for word in split(self.comment) if word not in words]


@dataclass
class Question:
    id: str
    database: str
    text: str
    evidence: str
    tables: list
    columns: list


def folded(name):
    return SHARD.sub("*", name.strip('`"[] ').lower())


def read_sqlite(path):
    def quoted(name):
        return '"' + name.replace('"', '""') + '"'

    tables = []
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda data: data.decode(errors="replace")
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).fetchall()
        for (name,) in names:
            columns = [Column(row[1]) for row in connection.execute(f"PRAGMA table_info({quoted(name)})")]
            tables.append(Table(path.stem, name, "", columns))
    return tables


def read_snapshot(path):
    tables, seen = [], set()
    for table in json.loads(path.read_text())["tables"]:
        name = ".".join(filter(None, [table.get("schema"), table["name"]]))
        if folded(name) in seen:
            continue
        seen.add(folded(name))
        columns = [Column(column["name"], column.get("comment") or "") for column in table["columns"]]
        tables.append(Table(path.stem, name, table.get("comment") or "", columns))
    return tables


FOLDS = ("even", "odd")


# What the packs of this repository are called among the databases of the training pack.
OWN = "packs/"


def own_folders():
    folder = pathlib.Path(__file__).parent.parent / "linking" / "packs"
    return sorted(path for path in folder.iterdir() if path.is_dir())


def of_fold(databases, fold):
    """Every second database in the order of their names, and every second pack. A ranker that is fitted on a pack needs
    vectors that were not learnt from it: those of each fold are learnt from the other."""
    own = {name for name in databases if name.startswith(OWN)}
    return {name for kind in (own, databases - own) for name in sorted(kind)[FOLDS.index(fold) :: 2]}


def read_pack(folder):
    """(questions, tables)"""
    folder = pathlib.Path(folder)
    tables = []
    for path in sorted(folder.glob("databases/*.sqlite")):
        tables += read_sqlite(path)
    for path in sorted(folder.glob("snapshots/*.json")):
        tables += read_snapshot(path)
    questions = []
    for line in (folder / "questions.jsonl").read_text().splitlines():
        row = json.loads(line)
        questions.append(
            Question(row["id"], row["db"], row["question"], row.get("evidence") or "", row["gold_tables"], row.get("gold_columns") or [])
        )
    return questions, tables
