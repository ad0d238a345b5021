"""What both learning steps need: unit vectors of bags with the way back, and an optimiser. Plain numpy."""

import numpy as np


class Embedded:
    """The unit vectors of texts (rows of token counts) over token vectors, and the way back from their gradient."""

    def __init__(self, counts, vectors):
        self.counts = counts
        sums = counts @ vectors
        self.lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        self.units = sums / self.lengths

    def back(self, gradient):
        along = (self.units * gradient).sum(1, keepdims=True)
        return self.counts.T @ ((gradient - self.units * along) / self.lengths)


class Halves:
    """Unit vectors of which two texts give half each, and the way back from their gradient."""

    def __init__(self, one, other):
        self.one, self.other = one, other
        sums = one.units + other.units
        self.lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        self.units = sums / self.lengths

    def back(self, gradient):
        along = (self.units * gradient).sum(1, keepdims=True)
        through = (gradient - self.units * along) / self.lengths
        return self.one.back(through) + self.other.back(through)


class Adam:
    """Kingma and Ba (2015), with their constants; `pull` takes that share of the value back at each step."""

    def __init__(self, shape, rate, pull=0.0):
        self.first, self.second = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.rate, self.pull, self.steps = rate, pull, 0

    def step(self, value, gradient, rate_share):
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient * gradient - self.second)
        first = self.first / (1 - 0.9**self.steps)
        second = self.second / (1 - 0.999**self.steps)
        value -= self.rate * rate_share * (first / (np.sqrt(second) + 1e-7) + self.pull * value)


def without_some(counts, dropout, generator):
    """The same texts with tokens left out at random."""
    counts = counts.copy()
    counts.data *= generator.random(len(counts.data)) >= dropout
    return counts
