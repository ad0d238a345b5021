"""Step 1: from the sentence model to one vector a token.

    python distil.py --teacher FOLDER --out distilled.bin

The vocabulary is the teacher's, and then words that it has only in pieces: the most frequent English ones, and the
abbreviations of `abbreviations.tsv`. Every token goes through the teacher alone, an abbreviation as what it stands for.
The results are centred and turned onto their first principal axes; each gets a length that grows with its rank, that
is, falls with its frequency (smooth inverse frequency under Zipf's law). No training data, no randomness.
"""

import argparse
import pathlib

import numpy as np
import wordfreq

import artifact
import teacher as teachers

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# The weight of a token of probability p is SMOOTHING / (SMOOTHING + p); Arora, Liang and Ma (2017) advise 1e-3 to 1e-4.
SMOOTHING = 3e-4
# The rank that every single character is given.
CHARACTER_RANK = 20
# Of so many of the most frequent English words, those that the teacher's vocabulary lacks are added.
FREQUENT_WORDS = 50_000
ABBREVIATIONS = pathlib.Path(__file__).with_name("abbreviations.tsv")


def is_placeholder(token):
    return token in SPECIAL or token.startswith("[unused")


def read_abbreviations():
    lines = ABBREVIATIONS.read_text().splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def extended_vocabulary(teacher):
    """(vocabulary, how many tokens are the teacher's)"""
    pieces = teacher.tokenizer.get_vocab()
    vocabulary = sorted(pieces, key=pieces.get)
    words = [word for word in wordfreq.top_n_list("en", FREQUENT_WORDS) if word.isascii() and word.isalpha() and len(word) > 2]
    extra = dict.fromkeys(token for token in [*read_abbreviations(), *words] if token not in pieces)
    return vocabulary + list(extra), len(vocabulary)


def teacher_vectors(teacher, vocabulary, own, batch=512):
    start, end = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    vectors = []
    for first in range(0, own, batch):
        tokens = np.arange(first, min(first + batch, own))
        ids = np.stack([np.full_like(tokens, start), tokens, np.full_like(tokens, end)], 1)
        vectors.append(teacher.encode_ids(ids, np.ones_like(ids)))
    vectors = np.concatenate(vectors)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    abbreviations = read_abbreviations()
    added = teacher.encode([abbreviations.get(token, token) for token in vocabulary[own:]])
    # A short form that is a token of the teacher's as well keeps half of what the teacher takes it for.
    known = [position for position, token in enumerate(vocabulary[:own]) if token in abbreviations]
    vectors[known] += teacher.encode([abbreviations[vocabulary[position]] for position in known])
    return np.concatenate([vectors, added])


def rank_weights(vocabulary):
    """Words and pieces of words are ranked by their place. The vocabulary lists single characters before them, in the
    order of their code points, which says nothing of their frequency: they all count as very frequent. Placeholders
    weigh nothing."""
    real = np.array([not is_placeholder(token) for token in vocabulary])
    character = np.array([len(token.removeprefix("##")) == 1 for token in vocabulary])
    word = real & ~character
    rank = np.where(character, CHARACTER_RANK, np.cumsum(word))
    probability = 1 / np.maximum(rank, 1) / (1 / np.arange(1, word.sum() + 1)).sum()
    return np.where(real, SMOOTHING / (SMOOTHING + probability), 0).astype(np.float32)


def principal_axes(vectors, dimensions):
    centred = vectors - vectors.mean(0)
    values, axes = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    axes = axes[:, np.argsort(-values)[:dimensions]]
    # The sign of an axis is free: the largest entry is made positive, so that every machine writes the same file.
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])
    return (centred @ axes).astype(np.float32)


def distil(folder, dimensions):
    teacher = teachers.Teacher(folder)
    vocabulary, own = extended_vocabulary(teacher)
    vectors = teacher_vectors(teacher, vocabulary, own)
    weights = rank_weights(vocabulary)
    reduced = np.zeros((len(vocabulary), dimensions), np.float32)
    reduced[weights > 0] = principal_axes(vectors[weights > 0], dimensions)
    reduced /= np.maximum(np.linalg.norm(reduced, axis=1, keepdims=True), 1e-9)
    return vocabulary, reduced * weights[:, None]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--teacher", required=True, help="folder with model.safetensors and tokenizer.json")
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--dimensions", type=int, default=256)
    options = arguments.parse_args()
    vocabulary, vectors = distil(options.teacher, options.dimensions)
    artifact.write(options.out, "periplus-distilled", vocabulary, vectors)


if __name__ == "__main__":
    main()
