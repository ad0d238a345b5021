"""Step 1: packs to train on, out of one pack with databases.

    python packs.py --pack PACK --out FOLDER

The pack's databases are dealt out to four folds by their names, so that what is trained can be tried on databases that
weren't seen. Of each fold these packs are made:

- `plain-K`: the databases as they are;
- `mixed-K`: snapshots of several databases thrown together into one schema, as a warehouse holds many subjects;
- `opaque-K`: the same with names abbreviated, most keys undeclared, a few comments, load columns in every table, and
  backups and staging copies beside the tables;
- `pool-K`: the databases as they are beside all databases of this repository's packs, to be linked to as one pool;
- `crowd-K`: all of the fold's databases as one schema, in a crowd of tables of this repository's packs.

Questions over the thrown-together schemas are often two or three of the pack's questions in one, so that they need
more tables and hold words that have nothing to do with each other. The same pack always gives the same files.
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import sqlite3

FOLDS = 4
# Databases thrown together, at most.
TOGETHER = 7
QUESTIONS = 700
SAMPLES = 5
# The share of questions that are made of two, and of three.
DOUBLE, TRIPLE = 0.4, 0.2
CONNECTORS = ("; also, ", ". Then: ", " and, for the same report, ", ". In addition, ", " — and ")
ABBREVIATIONS = pathlib.Path(__file__).parent.parent / "embedding" / "abbreviations.tsv"


def read_database(path):
    """Tables with columns, sample values and keys."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    tables = []
    names = [row[0] for row in connection.execute("select name from sqlite_master where type='table' and name not like 'sqlite_%' order by 1")]
    for name in names:
        quoted = name.replace('"', '""')
        info = connection.execute(f'pragma table_info("{quoted}")').fetchall()
        columns = []
        for _, column, kind, *_ in info:
            field = column.replace('"', '""')
            try:
                rows = connection.execute(
                    f'select distinct "{field}" from (select "{field}" from "{quoted}" where "{field}" is not null limit 400) limit {SAMPLES}'
                ).fetchall()
            except sqlite3.Error:
                rows = []
            samples = [str(row[0]) for row in rows if len(str(row[0])) <= 60]
            columns.append({"name": column, "type": kind or "text", "samples": samples})
        keys = {}
        for number, _, other, column, referred, *_ in connection.execute(f'pragma foreign_key_list("{quoted}")'):
            keys.setdefault(number, (other, [], []))
            keys[number][1].append(column)
            keys[number][2].append(referred or column)
        tables.append({
            "name": name,
            "columns": columns,
            "primary_key": [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]],
            "foreign_keys": [{"columns": a, "ref_table": other, "ref_columns": b} for other, a, b in keys.values()],
        })
    connection.close()
    return tables


def words_of(identifier):
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", identifier)


class Plain:
    """Names as they are, in one style."""

    def __init__(self, generator):
        self.style = generator.choice(("as is", "as is", "snake", "upper"))

    def name(self, identifier):
        if self.style == "as is":
            return identifier
        joined = "_".join(word.lower() for word in words_of(identifier)) or identifier
        return joined.upper() if self.style == "upper" else joined


class Opaque(Plain):
    """Names shortened as people do: a common abbreviation, the consonants, or the first letters; the same word always in
    the same way."""

    def __init__(self, generator):
        self.generator = generator
        self.known = {}
        self.style = generator.choice(("snake", "upper", "upper", "camel"))
        self.share = generator.uniform(0.35, 0.9)
        self.common = {}
        for line in ABBREVIATIONS.read_text().splitlines():
            if line and not line.startswith("#"):
                short, meaning = line.split("\t")
                self.common.setdefault(meaning, []).append(short)

    def shorten(self, word):
        if word in self.known:
            return self.known[word]
        short = word
        if len(word) >= 4 and self.generator.random() < self.share:
            consonants = (word[0] + "".join(letter for letter in word[1:] if letter not in "aeiou"))
            ways = self.common.get(word, [])[:2] * 2 + [word[:3], word[:4], consonants[:4], consonants[:3]]
            short = self.generator.choice([way for way in ways if len(way) >= 2])
        self.known[word] = short
        return short

    def name(self, identifier):
        parts = [self.shorten(word.lower()) for word in words_of(identifier)] or [identifier]
        if self.style == "camel":
            return parts[0] + "".join(part.capitalize() for part in parts[1:])
        return "_".join(parts).upper() if self.style == "upper" else "_".join(parts)


LOAD_COLUMNS = (
    [("created_at", "timestamp"), ("updated_at", "timestamp")],
    [("LOAD_DATE", "date"), ("LOAD_ID", "integer"), ("SRC_SYS", "varchar(10)")],
    [("crt_usr", "text"), ("crt_dt", "date"), ("upd_usr", "text"), ("upd_dt", "date")],
    [],
)
COPIES = ("{}_bak", "{}_old", "stg_{}", "{}_hist", "tmp_{}", "{}_v1", "{}_2019", "{}_archive")


def throw_together(databases, generator, naming, spoil):
    """One schema out of several databases: (tables, {(database, table): new name})."""
    load = generator.choice(LOAD_COLUMNS) if spoil else []
    prefixed = generator.random() < 0.5
    taken, renamed, tables = set(), {}, []
    for database, contents in databases:
        prefix = "".join(word[0] for word in words_of(database))[:3].lower() if len(words_of(database)) > 1 else database[:3].lower()
        for table in contents:
            name = naming.name(table["name"])
            if prefixed or name.lower() in taken:
                name = f"{prefix.upper() if name.isupper() else prefix}_{name}"
            while name.lower() in taken:
                name += "X" if name.isupper() else "x"
            taken.add(name.lower())
            renamed[database, table["name"]] = name
    for database, contents in databases:
        keep_keys = generator.random() < (0.3 if spoil else 0.6)
        known = {table["name"].lower(): table["name"] for table in contents}
        for table in contents:
            fields = {column["name"].lower(): naming.name(column["name"]) for column in table["columns"]}
            columns, seen = [], set()
            for column in table["columns"]:
                field = fields[column["name"].lower()]
                while field.lower() in seen:
                    field += "_2"
                seen.add(field.lower())
                fields[column["name"].lower()] = field
                made = {"name": field, "type": column["type"]}
                if generator.random() < 0.8:
                    made["samples"] = column["samples"]
                if spoil and generator.random() < 0.25:
                    made["comment"] = " ".join(words_of(column["name"])).lower()
                columns.append(made)
            columns += [{"name": name, "type": kind} for name, kind in load if name.lower() not in seen]
            made = {"name": renamed[database, table["name"]], "columns": columns}
            if spoil and generator.random() < 0.3:
                made["comment"] = " ".join(words_of(table["name"])).lower()
            if keep_keys or generator.random() < 0.3:
                made["primary_key"] = [fields[name.lower()] for name in table["primary_key"]]
            if keep_keys:
                made["foreign_keys"] = [
                    {
                        "columns": [fields[name.lower()] for name in key["columns"] if name.lower() in fields],
                        "ref_table": renamed[database, known[key["ref_table"].lower()]],
                        "ref_columns": [naming.name(name) for name in key["ref_columns"]],
                    }
                    for key in table["foreign_keys"]
                    if key["ref_table"].lower() in known
                ]
            tables.append(made)
            if spoil and generator.random() < 0.2:
                copy = generator.choice(COPIES).format(made["name"])
                copy = copy.upper() if made["name"].isupper() else copy
                if copy.lower() not in taken:
                    taken.add(copy.lower())
                    cut = len(columns) - generator.choice((0, 0, 1, 2))
                    tables.append({"name": copy, "columns": columns[: max(cut, 1)]})
    return tables, renamed


def combined(questions, generator):
    """One question out of one, two or three of the same database."""
    drawn = generator.random()
    count = 3 if drawn < TRIPLE else 2 if drawn < TRIPLE + DOUBLE else 1
    chosen = generator.sample(questions, min(count, len(questions)))
    text = chosen[0]["question"]
    for other in chosen[1:]:
        text = text.rstrip("?. ") + generator.choice(CONNECTORS) + other["question"][0].lower() + other["question"][1:]
    tables = sorted({table for question in chosen for table in question["gold_tables"]})
    return "+".join(question["id"] for question in chosen), text, tables


def write(folder, snapshots, questions):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "snapshots").mkdir(parents=True)
    for name, tables in snapshots.items():
        text = json.dumps({"name": name, "dialect": "postgres", "tables": tables})
        (folder / "snapshots" / f"{name}.json").write_text(text)
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions))


def write_plain(folder, pack, names, questions):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "databases").mkdir(parents=True)
    for name in names:
        (folder / "databases" / f"{name}.sqlite").symlink_to((pack / "databases" / f"{name}.sqlite").resolve())
    chosen = [question for question in questions if question["db"] in set(names)]
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in chosen))


def own_packs():
    return sorted(path for path in (pathlib.Path(__file__).parent / "packs").iterdir() if path.is_dir())


def write_pool(folder, pack, fold, names, questions):
    """Every third of the fold's questions, and those of every fourth of this repository's packs."""
    write_plain(folder, pack, names, questions[::3])
    (folder / "snapshots").mkdir()
    for number, own in enumerate(own_packs()):
        for path in (own / "snapshots").glob("*.json"):
            (folder / "snapshots" / path.name).symlink_to(path.resolve())
        if number % FOLDS == fold:
            with (folder / "questions.jsonl").open("a") as file:
                file.write((own / "questions.jsonl").read_text())


def write_crowd(folder, fold, names, databases, by_database):
    generator = random.Random(fold)
    tables, renamed = throw_together([(name, databases[name]) for name in names], generator, Plain(generator), False)
    taken = {table["name"].lower() for table in tables}
    for number, own in enumerate(own_packs()):
        if number % 2 == fold % 2:
            for path in sorted((own / "snapshots").glob("*.json")):
                for table in json.loads(path.read_text())["tables"]:
                    if table["name"].lower() not in taken:
                        taken.add(table["name"].lower())
                        tables.append({"name": table["name"], "columns": table["columns"]})
    schema = f"crowd_{fold}"
    questions = []
    for database in names:
        asked = by_database.get(database, [])
        for _ in range(min(len(asked), 10)):
            identifier, text, gold = combined(asked, generator)
            lower = {table.lower(): new for (source, table), new in renamed.items() if source == database}
            gold = [lower[table.lower()] for table in gold if table.lower() in lower]
            questions.append({"id": f"{schema}:{len(questions)}:{identifier}", "db": schema, "question": text, "gold_tables": gold})
    write(folder, {schema: tables}, [question for question in questions if question["gold_tables"]])


def thrown(kind, fold, names, databases, by_database, folder):
    seed = int(hashlib.sha256(f"{kind}{fold}".encode()).hexdigest()[:8], 16)
    generator = random.Random(seed)
    spoil = kind == "opaque"
    shuffled = list(names)
    generator.shuffle(shuffled)
    snapshots, questions, number = {}, [], 0
    while shuffled:
        count = generator.randint(3, TOGETHER)
        group, shuffled = shuffled[:count], shuffled[count:]
        naming = Opaque(generator) if spoil else Plain(generator)
        tables, renamed = throw_together([(name, databases[name]) for name in group], generator, naming, spoil)
        number += 1
        schema = f"{kind}_{fold}_{number}"
        snapshots[schema] = tables
        lower = {(database, table.lower()): new for (database, table), new in renamed.items()}
        for database in group:
            asked = by_database.get(database, [])
            for _ in range(min(len(asked), max(1, QUESTIONS * len(asked) // sum(len(by_database.get(name, [])) for name in names)))):
                identifier, text, gold = combined(asked, generator)
                gold = [lower[database, table.lower()] for table in gold if (database, table.lower()) in lower]
                if gold:
                    questions.append({"id": f"{schema}:{len(questions)}:{identifier}", "db": schema, "question": text, "gold_tables": gold})
    write(folder, snapshots, questions)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pack", required=True, type=pathlib.Path)
    arguments.add_argument("--out", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    questions = [json.loads(line) for line in (options.pack / "questions.jsonl").read_text().splitlines()]
    names = sorted(path.stem for path in (options.pack / "databases").glob("*.sqlite"))
    databases = {name: read_database(options.pack / "databases" / f"{name}.sqlite") for name in names}
    by_database = {}
    for question in questions:
        by_database.setdefault(question["db"], []).append(question)
    for fold in range(FOLDS):
        chosen = names[fold::FOLDS]
        write_plain(options.out / f"plain-{fold}", options.pack, chosen, questions)
        write_pool(options.out / f"pool-{fold}", options.pack, fold, chosen, questions)
        write_crowd(options.out / f"crowd-{fold}", fold, chosen, databases, by_database)
        for kind in ("mixed", "opaque"):
            thrown(kind, fold, chosen, databases, by_database, options.out / f"{kind}-{fold}")


if __name__ == "__main__":
    main()
