"""Step 2: move the token vectors until their sums lie where the sentence model puts whole texts.

    python imitate.py --table distilled.bin --taught taught.npz --out imitated.bin

A token alone says what the teacher makes of it without company. Here every text's sum is drawn to the teacher's vector
for it (tokenlearn of model2vec does the same), and within a batch of texts that are alike, each is to be about as near
to the others as the teacher has it (the divergence between the two softmaxes). What is learnt is one linear map for all
tokens and a change of each. No question's answer is looked at.
"""

import argparse

import numpy as np
import scipy.sparse

import artifact
import bags
import learning
import packs
import texts as teaching

PASSES = 4
BATCH = 512
# Weight of the divergence beside the cosine, and the temperature of its softmaxes.
DIVERGENCE = 0.1
TEMPERATURE = 0.05
DROPOUT = 0.1
LEARNING_RATE = 6e-3
MAP_LEARNING_RATE = 5e-4


def neighbours(likeness):
    likeness = likeness / TEMPERATURE
    np.fill_diagonal(likeness, -np.inf)
    likeness = np.exp(likeness - likeness.max(1, keepdims=True))
    return likeness / likeness.sum(1, keepdims=True)


def imitate(start, counts, taught, seed):
    """Token vectors such that the texts of `counts` have about the unit vectors `taught`."""
    generator = np.random.default_rng(seed)
    change = np.zeros_like(start)
    seen = np.zeros(len(start), np.float32)
    turn = np.eye(start.shape[1], dtype=np.float32)
    turn_steps = learning.Adam(turn.shape, MAP_LEARNING_RATE)
    batches, step = len(taught) // BATCH, 0
    for done in range(PASSES):
        # Texts that are alike have to meet: batches are slices along a random direction.
        along = taught @ generator.standard_normal(taught.shape[1]).astype(np.float32)
        slices = np.array_split(np.argsort(along), batches)
        losses = []
        for place in generator.permutation(batches):
            which = slices[place]
            drawn = learning.without_some(counts[which], DROPOUT, generator)
            tokens, used = np.unique(drawn.indices, return_inverse=True)
            drawn = scipy.sparse.csr_matrix((drawn.data, used, drawn.indptr), shape=(len(which), len(tokens)))
            texts = learning.Embedded(drawn, start[tokens] @ turn + change[tokens])
            wanted = taught[which]
            ours, theirs = neighbours(texts.units @ texts.units.T), neighbours(wanted @ wanted.T)
            divergence = (theirs * np.log((theirs + 1e-9) / (ours + 1e-9))).sum(1).mean()
            losses.append((1 - (texts.units * wanted).sum(1).mean(), divergence))
            by_likeness = DIVERGENCE / TEMPERATURE * (ours - theirs)
            gradient = texts.back(((by_likeness + by_likeness.T) @ texts.units - wanted) / len(which))
            rate_share = 1 - step / (PASSES * batches)
            # AdaGrad with one rate a token: rare ones move on, frequent ones settle.
            seen[tokens] += (gradient * gradient).mean(1)
            change[tokens] -= LEARNING_RATE * rate_share * gradient / (np.sqrt(seen[tokens])[:, None] + 1e-7)
            turn_steps.step(turn, start[tokens].T @ gradient, rate_share)
            step += 1
        cosine, divergence = np.mean(losses, 0)
        print(f"pass {done + 1}: cosine short of one by {cosine:.3f}, divergence {divergence:.3f}", flush=True)
    return start @ turn + change


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--table", required=True, help="what distil.py wrote")
    arguments.add_argument("--taught", required=True, help="the texts and vectors that distil.py wrote")
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--fold", choices=packs.FOLDS, help="see packs.py: the other databases' texts are left out")
    options = arguments.parse_args()
    _, vocabulary, start = artifact.read(options.table)
    databases, texts, taught = teaching.read(options.taught)
    if options.fold:
        known = packs.of_fold(set(databases) - {""}, options.fold) | {""}
        kept = [place for place, database in enumerate(databases) if database in known]
        texts, taught = [texts[place] for place in kept], taught[kept]
    made = bags.Bags(bags.tokenizer_of(vocabulary), texts)
    # Placeholders have no length and are to keep none: a text in which nothing is known has the zero vector.
    counted = start.any(1)[made.ids].astype(np.float32)
    counts = scipy.sparse.csr_matrix((counted, made.ids, made.starts), shape=(len(made), len(vocabulary)))
    vectors = imitate(start.astype(np.float32), counts, bags.unit(taught), options.seed)
    artifact.write(options.out, "periplus-imitated", vocabulary, vectors)


if __name__ == "__main__":
    main()
