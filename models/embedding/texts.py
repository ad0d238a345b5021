"""The texts by which whole texts are taught: questions, tables and columns of the training pack and of the packs of this
repository, each with its database or pack, and definitions and examples of WordNet, which have none. The latter are for
the words that the packs lack.
"""

import pathlib
import random
import re

import numpy as np

import measure
import packs

DEFINITIONS = 60_000
EXAMPLES = 20_000
# Of all columns of this repository's packs, so many: most of their names come again and again.
OWN_COLUMNS = 20_000
# Of a definition, so many of its words with the same meaning and so many characters.
WORDS, CHARACTERS = 4, 160


def read_definitions(folder, seed):
    """`word , word : definition` of some synonym sets, and some of their examples; from WordNet's own `data.*` files."""
    texts, examples = [], []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (pathlib.Path(folder) / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            # After the fourth field, the number of words: each with a number of its own, an adjective with its place.
            words = [re.sub(r"\(.*?\)$", "", fields[4 + 2 * at]).replace("_", " ") for at in range(int(fields[3], 16))]
            texts.append(" , ".join(words[:WORDS]) + " : " + gloss.split('; "')[0].strip()[:CHARACTERS])
            examples += [example[:CHARACTERS] for example in re.findall(r'"([^"]+)"', gloss)]
    generator = random.Random(seed)
    generator.shuffle(texts)
    generator.shuffle(examples)
    return texts[:DEFINITIONS] + examples[:EXAMPLES]


def texts_of(questions, tables, columns):
    texts = [question.text for question in questions]
    texts += [text for table in tables for text in (measure.name_text(table), measure.columns_text(table))]
    return texts + [measure.column_text(table, column) for table, column in columns]


def read_texts(wordnet, pack, seed):
    """[(database or nothing, text)]"""
    texts = []
    questions, tables = packs.read_pack(pack)
    for database in sorted({table.database for table in tables}):
        own = [table for table in tables if table.database == database]
        columns = [(table, column) for table in own for column in table.columns]
        asked = [question for question in questions if question.database == database]
        texts += [(database, text) for text in texts_of(asked, own, columns)]
    own_packs = [(packs.OWN + folder.name, *packs.read_pack(folder)) for folder in packs.own_folders()]
    columns = [(name, table, column) for name, _, tables in own_packs for table in tables for column in table.columns]
    columns = random.Random(seed).sample(columns, OWN_COLUMNS)
    for name, questions, tables in own_packs:
        chosen = [(table, column) for pack_of_it, table, column in columns if pack_of_it == name]
        texts += [(name, text) for text in texts_of(questions, tables, chosen)]
    texts += [("", text) for text in read_definitions(wordnet, seed)]
    return list(dict.fromkeys((database, " ".join(text.split())) for database, text in texts if text.strip()))


def write(path, texts, vectors):
    lines = "\n".join(f"{database}\t{text}" for database, text in texts)
    np.savez(path, lines=np.frombuffer(lines.encode(), np.uint8), vectors=vectors.astype(np.float16))


def read(path):
    """(databases, texts, vectors)"""
    with np.load(path) as file:
        lines = [line.split("\t") for line in file["lines"].tobytes().decode().split("\n")]
        vectors = file["vectors"].astype(np.float32)
    return [database for database, _ in lines], [text for _, text in lines], vectors
