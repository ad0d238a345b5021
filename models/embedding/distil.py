"""Step 1: from the sentence model to one vector a token.

    python distil.py --teacher FOLDER --wordnet FOLDER --pack PACK --out distilled.bin --taught taught.npz

The vocabulary is the teacher's, and then words that it has only in pieces: the most frequent English ones, and the
abbreviations of `abbreviations.tsv`. Every token goes through the teacher alone, an abbreviation as what it stands for.
The results are centred; each gets a length that grows with its rank, that is, falls with its frequency (smooth inverse
frequency under Zipf's law). The texts of `texts.py` go through the teacher whole, for the next step.
"""

import argparse
import pathlib

import numpy as np
import wordfreq

import artifact
import teacher as teachers
import texts as teaching

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# The weight of a token of probability p is SMOOTHING / (SMOOTHING + p); Arora, Liang and Ma (2017) advise 1e-3 to 1e-4.
SMOOTHING = 3e-4
# The rank that every single character is given.
CHARACTER_RANK = 20
# The most frequent of so many English words that the teacher's vocabulary lacks are added, up to so many tokens: with
# 384 numbers each, the table stays below 16 MB.
FREQUENT_WORDS = 50_000
TOKENS = 39_500
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
    return (vocabulary + list(extra))[:TOKENS], len(vocabulary)


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


def distil(teacher):
    """(vocabulary, vectors, what was taken from each to centre them)"""
    vocabulary, own = extended_vocabulary(teacher)
    vectors = teacher_vectors(teacher, vocabulary, own)
    weights = rank_weights(vocabulary)
    centre = vectors[weights > 0].mean(0)
    vectors -= centre
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vocabulary, vectors * weights[:, None], centre


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--teacher", required=True, help="folder with model.safetensors and tokenizer.json")
    arguments.add_argument("--wordnet", required=True, help="folder with WordNet's data.noun and so on")
    arguments.add_argument("--pack", required=True, help="the training pack")
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--taught", required=True, help="where the texts and their vectors go")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    teacher = teachers.Teacher(options.teacher)
    vocabulary, vectors, centre = distil(teacher)
    artifact.write(options.out, "periplus-distilled", vocabulary, vectors)
    texts = teaching.read_texts(options.wordnet, options.pack, options.seed)
    teaching.write(options.taught, texts, teacher.encode([text for _, text in texts]) - centre)


if __name__ == "__main__":
    main()
