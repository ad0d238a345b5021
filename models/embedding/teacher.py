"""The sentence model that is distilled: all-MiniLM-L6-v2 (Apache-2.0), run with numpy alone.

Six encoder layers of 384 dimensions are forty lines of matrix products, so neither torch nor an inference runtime is
needed. `folder` holds `model.safetensors` and `tokenizer.json`, as published.
"""

import pathlib

import numpy as np
import safetensors.numpy
import tokenizers

LAYERS, HEADS, HEAD_WIDTH = 6, 12, 32
MAX_TOKENS = 256


def load_tokenizer(folder):
    tokenizer = tokenizers.Tokenizer.from_file(str(pathlib.Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def gelu(x):
    """By its usual approximation with tanh: ten times as fast as the error function, and vectors stay the same to six
    digits."""
    y = x * x
    y *= np.float32(0.044715)
    y += 1
    y *= x
    y *= np.float32((2 / np.pi) ** 0.5)
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= np.float32(0.5)
    return y


class Teacher:
    def __init__(self, folder):
        self.tokenizer = load_tokenizer(folder)
        self.weights = safetensors.numpy.load_file(str(pathlib.Path(folder) / "model.safetensors"))

    def _linear(self, x, name):
        # One product of two matrices: a stack of small ones takes several times as long.
        y = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T
        y += self.weights[name + ".bias"]
        return y.reshape(*x.shape[:-1], -1)

    def _norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-12))
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def encode_ids(self, ids, mask):
        """Token ids and mask, both (batch, length) -> mean of the last layer under the mask, not normalised."""
        batch, length = ids.shape
        embeddings = self.weights["embeddings.word_embeddings.weight"][ids]
        embeddings = embeddings + self.weights["embeddings.position_embeddings.weight"][:length]
        embeddings = embeddings + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(embeddings, "embeddings.LayerNorm")
        attention_bias = np.where(mask[:, None, None, :] > 0, 0, -1e9).astype(np.float32)

        def heads(y):
            return y.reshape(batch, length, HEADS, HEAD_WIDTH).transpose(0, 2, 1, 3)

        for layer in range(LAYERS):
            prefix = f"encoder.layer.{layer}."
            query, key, value = (heads(self._linear(x, f"{prefix}attention.self.{part}")) for part in ("query", "key", "value"))
            scores = query @ key.transpose(0, 1, 3, 2) / np.float32(HEAD_WIDTH**0.5) + attention_bias
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, HEADS * HEAD_WIDTH)
            x = self._norm(x + self._linear(mixed, prefix + "attention.output.dense"), prefix + "attention.output.LayerNorm")
            inner = gelu(self._linear(x, prefix + "intermediate.dense"))
            x = self._norm(x + self._linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm")
        weights = mask[:, :, None].astype(np.float32)
        return (x * weights).sum(1) / weights.sum(1)

    def encode(self, texts, batch=64):
        """Unit vectors of texts; batches hold texts of about the same length."""
        encoded = [encoding.ids[:MAX_TOKENS] for encoding in self.tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(encoded)), key=lambda position: len(encoded[position]))
        vectors = np.zeros((len(encoded), HEADS * HEAD_WIDTH), np.float32)
        for start in range(0, len(order), batch):
            chunk = order[start : start + batch]
            length = max(len(encoded[position]) for position in chunk)
            ids = np.zeros((len(chunk), length), np.int64)
            mask = np.zeros((len(chunk), length), np.int64)
            for row, position in enumerate(chunk):
                ids[row, : len(encoded[position])] = encoded[position]
                mask[row, : len(encoded[position])] = 1
            vectors[chunk] = self.encode_ids(ids, mask)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
