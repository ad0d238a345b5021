"""Step 3: tune the token vectors so that questions come to lie near the tables and columns they need.

    python tune.py --table imitated.bin --pack PACK --out periplus-embed.bin

Contrastive: of all the tables of the pack, those that a question's query reads are to score above all others, and
likewise its columns. What is learnt is one linear map for all tokens, which carries over to words that the pack
doesn't have, and a change of each token's vector, which is pulled back towards nothing. Tokens are dropped at random,
and names in the schema are abbreviated at random, so that no single word is relied on. The result lies
half-way between the start and the mean of several runs (Wortsman and others, 2022): on schemas like the pack's that is as
good as the whole way, and on others next to nothing is lost. `--hold-out N` keeps N databases' questions back and
measures on them.
"""

import argparse
import random

import numpy as np
import scipy.sparse

import artifact
import bags
import distil
import learning
import measure
import packs

PASSES = 2
# So many runs, and the share of the start in the result.
RUNS = 3
KEPT = 0.5
BATCH = 128
# Temperature of the softmax over tables and columns.
TEMPERATURE = 0.05
# Share of the column loss in the whole.
COLUMN_SHARE = 0.3
LEARNING_RATE = 2e-3
MAP_LEARNING_RATE = 2e-3
# Of a token's change, this share is taken back at each step (times the learning rate).
PULL = 5.0
QUESTION_DROPOUT = 0.15
SCHEMA_DROPOUT = 0.3
# Variants of each schema text with abbreviated names, beside the plain one, and how many of the words they shorten.
VARIANTS = 3
ABBREVIATED = 0.25


class Abbreviator:
    """Shortens words as people do in names: a common abbreviation, the consonants, or the first letters."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.short = {}
        for short, meaning in distil.read_abbreviations().items():
            for word in meaning.split() if " " in meaning and len(meaning.split()) == 2 else [meaning]:
                self.short.setdefault(word, []).append(short)

    def __call__(self, word):
        if len(word) < 5 or self.random.random() > ABBREVIATED:
            return word
        ways = list(self.short.get(word, []))
        ways.append(word[: self.random.randint(3, 4)])
        ways.append((word[0] + "".join(letter for letter in word[1:] if letter not in "aeiou"))[:4])
        return self.random.choice(ways[:1] * 3 + ways)


class Texts:
    """Texts as rows of token counts; several variants of each."""

    def __init__(self, tokenizer, variants, active):
        self.count = len(variants[0])
        self.variants = len(variants)
        made = bags.Bags(tokenizer, [text for texts in variants for text in texts])
        ids = active[made.ids]
        self.matrix = scipy.sparse.csr_matrix(
            (np.ones(len(ids), np.float32), ids, made.starts), shape=(len(made), active.max() + 1)
        )

    def draw(self, generator, dropout, which=None):
        """A variant of each text (or of some), with tokens left out."""
        which = np.arange(self.count) if which is None else which
        drawn = self.matrix[which + self.count * generator.integers(self.variants, size=len(which))]
        return learning.without_some(drawn, dropout, generator)


def contrast(scores, wanted, ignored):
    """Loss and its gradient by the scores: each wanted entry of a row against all entries that are not wanted."""
    scores = scores / TEMPERATURE
    scores = np.exp(scores - scores.max(1, keepdims=True))
    others = np.where(wanted | ignored, 0, scores)
    against = others.sum(1, keepdims=True)
    share = wanted / np.maximum(wanted.sum(1, keepdims=True), 1)
    won = scores / (scores + against + 1e-12)
    loss = -(share * np.log(won + 1e-12)).sum(1).mean()
    pushed = others * (share / (scores + against + 1e-12)).sum(1, keepdims=True)
    return loss, ((pushed - share * (1 - won)) / (TEMPERATURE * len(scores))).astype(np.float32)


class Task:
    """Questions, schema texts, and which belong together."""

    def __init__(self, questions, tables, tokenizer, tokens, seed):
        abbreviate = Abbreviator(seed)

        def variants(texts):
            return [texts] + [[" ".join(map(abbreviate, text.split(" "))) for text in texts] for _ in range(VARIANTS)]

        columns = [(table, column) for table in tables for column in table.columns]
        texts = {
            "questions": [[question.text for question in questions]],
            "names": variants([measure.name_text(table) for table in tables]),
            "lists": variants([measure.columns_text(table) for table in tables]),
            "columns": variants([measure.column_text(table, column) for table, column in columns]),
        }
        used = np.zeros(tokens, bool)
        for group in texts.values():
            for some in group:
                used[bags.Bags(tokenizer, some).ids] = True
        self.active = np.flatnonzero(used)
        place = np.full(tokens, -1)
        place[self.active] = np.arange(len(self.active))
        # The largest place always exists, so every matrix has the same width.
        self.questions, self.names, self.lists, self.columns = (Texts(tokenizer, group, place) for group in texts.values())
        at_table = {table.key.lower(): position for position, table in enumerate(tables)}
        at_column = {f"{table.key}.{column.name}".lower(): position for position, (table, column) in enumerate(columns)}
        self.gold_tables = [[at_table[f"{q.database}.{name}".lower()] for name in q.tables] for q in questions]
        self.gold_columns = [
            [at_column[key] for name in q.columns if (key := f"{q.database}.{name}".lower()) in at_column] for q in questions
        ]
        self.table_of_column = np.array([at_table[table.key.lower()] for table, _ in columns])

    def wanted(self, gold, which, count):
        marks = np.zeros((len(which), count), bool)
        for row, question in enumerate(which):
            marks[row, gold[question]] = True
        return marks


def tune(start, task, passes, seed):
    generator = np.random.default_rng(seed)
    base = start[task.active]
    turn = np.eye(start.shape[1], dtype=np.float32)
    change = np.zeros_like(base)
    turn_steps, change_steps = learning.Adam(turn.shape, MAP_LEARNING_RATE), learning.Adam(change.shape, LEARNING_RATE, PULL)
    count = task.questions.count
    steps_in_all = passes * (count // BATCH)
    step = 0
    for done in range(passes):
        losses = []
        order = generator.permutation(count)
        for first in range(0, count - BATCH + 1, BATCH):
            which = order[first : first + BATCH]
            vectors = base @ turn + change
            asked = learning.Embedded(task.questions.draw(generator, QUESTION_DROPOUT, which), vectors)
            drawn = (texts.draw(generator, SCHEMA_DROPOUT) for texts in (task.names, task.lists))
            tables = learning.Halves(*(learning.Embedded(counts, vectors) for counts in drawn))
            columns = learning.Embedded(task.columns.draw(generator, SCHEMA_DROPOUT), vectors)
            want_tables = task.wanted(task.gold_tables, which, task.names.count)
            want_columns = task.wanted(task.gold_columns, which, task.columns.count)
            # Other columns of a needed table are no mistake: they are left out of the comparison.
            beside = want_tables[:, task.table_of_column] & ~want_columns
            loss, by_table = contrast(asked.units @ tables.units.T, want_tables, np.zeros_like(want_tables))
            column_loss, by_column = contrast(asked.units @ columns.units.T, want_columns, beside)
            by_table, by_column = by_table * (1 - COLUMN_SHARE), by_column * COLUMN_SHARE
            gradient = asked.back(by_table @ tables.units + by_column @ columns.units)
            gradient += tables.back(by_table.T @ asked.units) + columns.back(by_column.T @ asked.units)
            rate_share = 1 - step / steps_in_all
            turn_steps.step(turn, base.T @ gradient, rate_share)
            change_steps.step(change, gradient, rate_share)
            losses.append((loss, column_loss))
            step += 1
        by_tables, by_columns = np.mean(losses, 0)
        print(f"seed {seed}, pass {done + 1}: loss tables {by_tables:.3f} columns {by_columns:.3f}", flush=True)
    tuned = start @ turn
    tuned[task.active] += change
    return tuned


def tune_half_way(start, questions, tables, vocabulary, passes, seed):
    tokenizer = bags.tokenizer_of(vocabulary)
    tuned = np.zeros_like(start)
    for run in range(seed, seed + RUNS):
        tuned += tune(start, Task(questions, tables, tokenizer, len(vocabulary), run), passes, run) / RUNS
    return KEPT * start + (1 - KEPT) * tuned


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--table", required=True, help="what imitate.py wrote")
    arguments.add_argument("--pack", required=True, help="the training pack")
    arguments.add_argument("--out")
    arguments.add_argument("--passes", type=int, default=PASSES)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--hold-out", type=int, default=0, help="databases to keep back and to measure on")
    arguments.add_argument("--fold", choices=packs.FOLDS, help="see packs.py: the other databases are kept back")
    options = arguments.parse_args()
    _, vocabulary, start = artifact.read(options.table)
    questions, tables = packs.read_pack(options.pack)
    databases = {table.database for table in tables}
    known = packs.of_fold(databases, options.fold) if options.fold else databases
    known -= set(random.Random(options.seed).sample(sorted(known), options.hold_out))
    seen = [question for question in questions if question.database in known]
    unseen = [question for question in questions if question.database not in known]
    known_tables = [table for table in tables if table.database in known]
    tuned = tune_half_way(start.astype(np.float32), seen, known_tables, vocabulary, options.passes, options.seed)
    if unseen:
        results, _ = measure.measure(unseen, tables, measure.StaticTable(vocabulary, tuned).encode, True, False)
        measure.show("kept back", {way: depths for way, depths in results.items() if way != "BM25"})
    if options.out:
        artifact.write(options.out, "periplus-embed", vocabulary, tuned)


if __name__ == "__main__":
    main()
