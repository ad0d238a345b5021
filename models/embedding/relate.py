"""Step 1b: let sums of token vectors relate whole texts as the teacher does.

A token alone says what the teacher makes of it without company. Here the definitions of WordNet go through the teacher
whole, and the token vectors are moved until, within a batch, each definition is about as near to the others as the
teacher has it (the divergence between the two softmaxes over the batch).
"""

import pathlib
import re

import numpy as np
import scipy.sparse

import bags
import learning

DEFINITIONS = 60_000
PASSES = 4
BATCH = 512
TEMPERATURE = 0.1
DROPOUT = 0.1
LEARNING_RATE = 6e-3
MAP_LEARNING_RATE = 5e-4


def read_definitions(folder, count, generator):
    """`words : definition`, without the examples, of some synonym sets; WordNet's own `data.*` files."""
    texts = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (pathlib.Path(folder) / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            words = [re.sub(r"\(.*?\)$", "", fields[4 + 2 * number]).replace("_", " ") for number in range(int(fields[3], 16))]
            texts.append(" , ".join(words) + " : " + gloss.split('; "')[0].strip())
    return [texts[position] for position in generator.permutation(len(texts))[:count]]


def neighbours(likeness):
    likeness = likeness / TEMPERATURE
    np.fill_diagonal(likeness, -np.inf)
    likeness = np.exp(likeness - likeness.max(1, keepdims=True))
    return likeness / likeness.sum(1, keepdims=True)


def relate(start, counts, taught, seed):
    """Token vectors moved so that the texts of `counts` relate as their vectors `taught` do."""
    generator = np.random.default_rng(seed)
    change = np.zeros_like(start)
    seen = np.zeros(len(start), np.float32)
    turn = np.eye(start.shape[1], dtype=np.float32)
    turn_steps = learning.Adam(turn.shape, MAP_LEARNING_RATE)
    batches, step = len(taught) // BATCH, 0
    for done in range(PASSES):
        # Texts that are alike have to meet, or there is nothing to learn from: batches are slices along a random direction.
        along = taught @ generator.standard_normal(taught.shape[1]).astype(np.float32)
        slices = np.array_split(np.argsort(along), batches)
        losses = []
        for place in generator.permutation(batches):
            which = slices[place]
            drawn = learning.without_some(counts[which], DROPOUT, generator)
            tokens, drawn.indices = np.unique(drawn.indices, return_inverse=True)
            drawn = scipy.sparse.csr_matrix((drawn.data, drawn.indices, drawn.indptr), shape=(len(which), len(tokens)))
            texts = learning.Embedded(drawn, start[tokens] @ turn + change[tokens])
            ours, theirs = neighbours(texts.units @ texts.units.T), neighbours(taught[which] @ taught[which].T)
            losses.append((theirs * np.log((theirs + 1e-9) / (ours + 1e-9))).sum(1).mean())
            by_likeness = (ours - theirs) / (TEMPERATURE * len(which))
            gradient = texts.back((by_likeness + by_likeness.T) @ texts.units)
            rate_share = 1 - step / (PASSES * batches)
            # AdaGrad with one rate a token: rare ones move on, frequent ones settle.
            seen[tokens] += (gradient * gradient).mean(1)
            change[tokens] -= LEARNING_RATE * rate_share * gradient / (np.sqrt(seen[tokens])[:, None] + 1e-7)
            turn_steps.step(turn, start[tokens].T @ gradient, rate_share)
            step += 1
        print(f"relate, pass {done + 1}: divergence {np.mean(losses):.3f}", flush=True)
    return start @ turn + change


def relate_definitions(teacher, folder, vocabulary, start, seed):
    texts = read_definitions(folder, DEFINITIONS, np.random.default_rng(seed))
    made = bags.Bags(bags.tokenizer_of(vocabulary), texts)
    counts = scipy.sparse.csr_matrix((np.ones(len(made.ids), np.float32), made.ids, made.starts), shape=(len(made), len(vocabulary)))
    return relate(start, counts, teacher.encode(texts), seed)
