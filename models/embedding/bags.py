"""Texts as bags of token ids, and their vectors as sums over a table."""

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers


class Bags:
    """Ids of many texts, one after the other; text i has ids[starts[i]:starts[i + 1]]."""

    def __init__(self, tokenizer, texts):
        encoded = [encoding.ids for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
        self.lengths = np.array([len(ids) for ids in encoded], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.ids = np.concatenate([np.array(ids, np.int64) for ids in encoded]) if encoded else np.zeros(0, np.int64)

    def __len__(self):
        return len(self.lengths)

    def take(self, which):
        """(ids, owner): the tokens of some texts, owner counting the texts from 0."""
        lengths = self.lengths[which]
        owner = np.repeat(np.arange(len(which)), lengths)
        offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self.ids[np.repeat(self.starts[which], lengths) + offset], owner

    def sums(self, table, which=None):
        """One sum of token vectors a text."""
        which = np.arange(len(self)) if which is None else which
        sums = np.zeros((len(which), table.shape[1]), np.float32)
        for first in range(0, len(which), 512):
            ids, owner = self.take(which[first : first + 512])
            if len(ids):
                edges = np.flatnonzero(np.diff(owner, prepend=-1))
                sums[first + owner[edges]] = np.add.reduceat(table[ids], edges)
        return sums


def tokenizer_of(vocabulary):
    """BERT's uncased WordPiece over a vocabulary in the order of its ids. No token is special: `[SEP]` in a text is
    four tokens like any other."""
    places = {token: position for position, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(vocab=places, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
