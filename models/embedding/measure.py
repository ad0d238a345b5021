"""How well an embedding finds the tables of a question: alone, and fused with plain BM25.

    python measure.py --table periplus-embed.bin --pack PACK [--with PACK] [--pooled] [--evidence]
    python measure.py --teacher FOLDER ...         the sentence model in its place
    python measure.py ... --out predictions.jsonl  the fused ranking, to be scored elsewhere

full@k is the share of questions whose tables are all among the first k. `--pooled` ranks the tables of all databases
of the pack (and of the `--with` packs) together, otherwise each question has its own database.
"""

import argparse
import collections
import json
import math

import numpy as np

import artifact
import bags
import packs

DEPTHS = (5, 10, 20)
# Reciprocal rank fusion: Cormack, Clarke and Buettcher (2009).
FUSION = 60
BM25_K1, BM25_B = 1.5, 0.75


def name_text(table):
    return " ".join(table.words)


def columns_text(table):
    return " , ".join(" ".join(packs.split(column.name)) for column in table.columns)


def table_vectors(tables, encode):
    """Half of a table's vector is its name with its comment, half the names of its columns: see `index/src/vectors.rs`."""
    return bags.unit(encode([name_text(table) for table in tables]) + encode([columns_text(table) for table in tables]))


def column_text(table, column):
    return " ".join(table.words) + " : " + " ".join(column.words)


def question_text(question, evidence):
    return f"{question.text} {question.evidence}" if evidence else question.text


def stem(word):
    """Plurals and the commonest endings of verbs; enough for a plain word index."""
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: len(word) - len(ending)] + kept
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


class WordIndex:
    def __init__(self, tables):
        self.postings = collections.defaultdict(list)
        self.lengths = np.zeros(len(tables))
        for position, table in enumerate(tables):
            words = list(table.words)
            for column in table.columns:
                words += column.words
            self.lengths[position] = len(words)
            for word, count in collections.Counter(map(stem, words)).items():
                self.postings[word].append((position, count))
        self.norms = BM25_K1 * (1 - BM25_B + BM25_B * self.lengths / max(self.lengths.mean(), 1))

    def scores(self, text):
        scores = np.zeros(len(self.lengths))
        for word in set(map(stem, packs.split(text))):
            found = self.postings.get(word, ())
            weight = math.log(1 + (len(self.lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for position, count in found:
                scores[position] += weight * count * (BM25_K1 + 1) / (count + self.norms[position])
        return scores


class StaticTable:
    def __init__(self, vocabulary, vectors):
        self.tokenizer, self.vectors = bags.tokenizer_of(vocabulary), vectors

    def encode(self, texts):
        return bags.unit(bags.Bags(self.tokenizer, texts).sums(self.vectors))


def ranks(scores):
    order = np.argsort(-scores, kind="stable")
    result = np.empty(len(scores))
    result[order] = np.arange(len(scores))
    return result


def fuse(*rankings):
    return sum(1 / (FUSION + 1 + ranks(scores)) for scores in rankings)


class Ranker:
    """Scores of all tables of a scope for one question, by each way."""

    def __init__(self, tables, encode):
        self.tables = tables
        self.words = WordIndex(tables)
        self.table_vectors = table_vectors(tables, encode)
        self.column_vectors = encode([column_text(table, column) for table in tables for column in table.columns])
        counts = np.array([len(table.columns) for table in tables])
        self.starts = np.cumsum(counts) - counts
        self.filled = counts > 0

    def best_columns(self, vector):
        best = np.full(len(self.tables), -1.0, np.float32)
        best[self.filled] = np.maximum.reduceat(self.column_vectors @ vector, self.starts[self.filled])
        return best

    def rank(self, text, vector):
        words, table, column = self.words.scores(text), self.table_vectors @ vector, self.best_columns(vector)
        return {"BM25": words, "dense": table, "columns": column, "dense+columns": table + column,
                "fused": fuse(words, table), "fused+columns": fuse(words, table, column)}


def gold_positions(ranker_keys, scores, wanted):
    place = {}
    for key, rank in zip(ranker_keys, ranks(scores), strict=True):
        place[key] = min(rank, place.get(key, rank))
    # Families fold into one place: count the distinct names before it.
    order = sorted(place, key=place.get)
    at = {key: position for position, key in enumerate(order)}
    return [at.get(key, 10**9) for key in wanted]


def measure(questions, tables, encode, pooled, evidence):
    """{way: {depth: full@depth}}, and the fused order of each question."""
    scopes = {None: tables} if pooled else {
        name: [table for table in tables if table.database == name] for name in {question.database for question in questions}
    }
    rankers = {name: Ranker(scope, encode) for name, scope in scopes.items()}
    keys = {name: [packs.folded(table.key) for table in scope] for name, scope in scopes.items()}
    texts = [question_text(question, evidence) for question in questions]
    hits, orders = collections.defaultdict(lambda: collections.Counter()), []
    for question, text, vector in zip(questions, texts, encode(texts), strict=True):
        scope = None if pooled else question.database
        wanted = {packs.folded(f"{question.database}.{name}") for name in question.tables}
        scored = rankers[scope].rank(text, vector)
        for way, scores in scored.items():
            positions = gold_positions(keys[scope], scores, wanted)
            for depth in DEPTHS:
                hits[way][depth] += all(position < depth for position in positions)
        order = np.argsort(-scored["fused+columns"], kind="stable")
        orders.append([scopes[scope][position] for position in order])
    return {way: {depth: count[depth] / len(questions) for depth in DEPTHS} for way, count in hits.items()}, orders


def show(title, results):
    for way, depths in results.items():
        print(f"{title:24s} {way:14s} " + " ".join(f"{depths[depth]:.3f}" for depth in DEPTHS), flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = arguments.add_mutually_exclusive_group(required=True)
    which.add_argument("--table", help="an embedding table")
    which.add_argument("--teacher", help="folder of the sentence model")
    arguments.add_argument("--pack", required=True)
    arguments.add_argument("--with", dest="others", action="append", default=[], help="another pack whose tables join the pool")
    arguments.add_argument("--pooled", action="store_true")
    arguments.add_argument("--evidence", action="store_true", help="append a question's evidence to it")
    arguments.add_argument("--out", help="write the fused ranking")
    options = arguments.parse_args()
    if options.table:
        encode = StaticTable(*artifact.read(options.table)[1:]).encode
    else:
        import teacher

        encode = teacher.Teacher(options.teacher).encode
    questions, tables = packs.read_pack(options.pack)
    for other in options.others:
        tables = tables + packs.read_pack(other)[1]
    results, orders = measure(questions, tables, encode, options.pooled, options.evidence)
    show("", results)
    if options.out:
        with open(options.out, "w") as file:
            for question, order in zip(questions, orders, strict=True):
                names = [table.key if options.pooled else table.name for table in order]
                file.write(json.dumps({"id": question.id, "ranked": [{"table": name} for name in names]}) + "\n")


if __name__ == "__main__":
    main()
