"""The texts by which whole texts are taught: questions, tables and columns of the training pack, each with its database,
and definitions of WordNet, which have none. The definitions are for the words that the pack lacks.
"""

import pathlib
import random
import re

import numpy as np

import measure
import packs

DEFINITIONS = 60_000
# Of a definition, so many of its words with the same meaning and so many characters.
WORDS, CHARACTERS = 4, 160


def read_definitions(folder, seed):
    """`word , word : definition` of some synonym sets, without the examples; from WordNet's own `data.*` files."""
    texts = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (pathlib.Path(folder) / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            # After the fourth field, the number of words: each with a number of its own, an adjective with its place.
            words = [re.sub(r"\(.*?\)$", "", fields[4 + 2 * at]).replace("_", " ") for at in range(int(fields[3], 16))]
            texts.append(" , ".join(words[:WORDS]) + " : " + gloss.split('; "')[0].strip()[:CHARACTERS])
    random.Random(seed).shuffle(texts)
    return texts[:DEFINITIONS]


def read_texts(wordnet, pack, seed):
    """[(database or nothing, text)]"""
    questions, tables = packs.read_pack(pack)
    texts = [(question.database, question.text) for question in questions]
    texts += [(table.database, measure.table_text(table)) for table in tables]
    texts += [(table.database, measure.column_text(table, column)) for table in tables for column in table.columns]
    texts += [("", text) for text in read_definitions(wordnet, seed)]
    return list(dict.fromkeys((database, " ".join(text.split())) for database, text in texts))


def write(path, texts, vectors):
    lines = "\n".join(f"{database}\t{text}" for database, text in texts)
    np.savez(path, lines=np.frombuffer(lines.encode(), np.uint8), vectors=vectors.astype(np.float16))


def read(path):
    """(databases, texts, vectors)"""
    with np.load(path) as file:
        lines = [line.split("\t") for line in file["lines"].tobytes().decode().split("\n")]
        vectors = file["vectors"].astype(np.float32)
    return [database for database, _ in lines], [text for _, text in lines], vectors
