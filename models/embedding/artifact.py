"""The file that the binary embeds. `llm/src/embedding.rs` reads the same layout and refuses any other.

Little-endian, in this order:

    8 bytes   magic `PERIEMB\\0`
    u32       format version, 1
    u32       dimensions
    u32       tokens
    u32       length of the name in bytes
    u32       length of the vocabulary in bytes
    bytes     name, UTF-8: ends in a hash of what follows, because an index made with other vectors must be rebuilt
    bytes     vocabulary, UTF-8: one WordPiece token a line, line number = token id, no newline at the end
    f32 * tokens               scale of each row
    i8  * tokens * dimensions  rows

The vector of a token is its row times its scale. The length of that vector is the token's weight in the mean, so no
second table of weights is needed: a text is the sum of its tokens' vectors, made a unit vector.
"""

import hashlib
import struct

import numpy as np

MAGIC = b"PERIEMB\0"
FORMAT_VERSION = 1


def quantise(vectors):
    """(int8 rows, f32 scales): each row spread over -127..127."""
    largest = np.abs(vectors).max(1)
    scales = np.where(largest > 0, largest / 127, 0).astype(np.float32)
    rows = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    return rows, scales


def write(path, name, vocabulary, vectors):
    rows, scales = quantise(vectors)
    words = "\n".join(vocabulary).encode()
    body = words + scales.astype("<f4").tobytes() + rows.tobytes()
    name = f"{name}-{hashlib.sha256(body).hexdigest()[:8]}".encode()
    tokens, dimensions = rows.shape
    assert tokens == len(vocabulary) and not any("\n" in token for token in vocabulary)
    with open(path, "wb") as file:
        file.write(MAGIC)
        file.write(struct.pack("<5I", FORMAT_VERSION, dimensions, tokens, len(name), len(words)))
        file.write(name + body)


def read(path):
    """(name, vocabulary, f32 vectors)"""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == MAGIC, f"{path} is not an embedding file"
    version, dimensions, tokens, name_length, words_length = struct.unpack_from("<5I", data, 8)
    assert version == FORMAT_VERSION, f"{path} has format {version}"
    at = 28
    name = data[at : at + name_length].decode()
    at += name_length
    vocabulary = data[at : at + words_length].decode().split("\n")
    at += words_length
    scales = np.frombuffer(data, "<f4", tokens, at)
    rows = np.frombuffer(data, np.int8, tokens * dimensions, at + 4 * tokens).reshape(tokens, dimensions)
    return name, vocabulary, rows * scales[:, None]
