# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs segment_memory.mlir, compiled to segment_memory.o, segment after segment, and compares
it with the formula of Transformer-XL in NumPy, in double precision.

    segment_memory.py CHECKPOINT
"""
import sys

import numpy

from checkpoint import read_checkpoint
from judge.running import run

# Outputs are sums of 64 products of numbers near 1, which five such sums in a row come to.
# Each rounds by at most 64 * 2^-24 of what it adds up, about 8 at most: 5 * 8 * 64 * 2^-24.
TOLERANCE = 1.6e-4
HEADS, DEPTH, CHANNELS = 4, 16, 64

w = read_checkpoint(sys.argv[1])


def encoding(distance):
    angles = distance * 10000.0 ** (-numpy.arange(CHANNELS // 2) / (CHANNELS // 2 - 1))
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)])


def attend(x, memory, skipped):
    """One sequence: what each query attends to, score by score."""
    states = numpy.concatenate([memory, x])
    past = len(memory)
    queries, keys, values = (
        (rows @ w[f"{name}.weight"].T).reshape(-1, HEADS, DEPTH)
        for rows, name in ((x, "query"), (states, "key"), (states, "value"))
    )
    u, v = (w[name].reshape(HEADS, DEPTH) for name in ("content_bias", "distance_bias"))
    result = numpy.zeros((len(x), HEADS, DEPTH))
    for i, query in enumerate(queries):
        # j is the key, and past + i the place of the query.
        kept = range(skipped, past + i + 1)
        scores = []
        for j in kept:
            r = (w["position.weight"] @ encoding(past + i - j)).reshape(HEADS, DEPTH)
            scores.append(((query + u) * keys[j] + (query + v) * r).sum(1) / DEPTH**0.5)
        weights = numpy.exp(numpy.array(scores) - numpy.max(scores, 0))
        weights /= weights.sum(0)
        result[i] = (weights[:, :, None] * values[skipped : past + i + 1]).sum(0)
    return result.reshape(len(x), CHANNELS) @ w["output.weight"].T


def call(x, memory, skipped):
    arrays = {"x": x, "memory": memory, "skipped": skipped}
    for name, array in arrays.items():
        numpy.save(f"{name}.npy", array)
    run("heddle-run", "run", "segment_memory.o", "--entry=attend", "--threads=2",
        *(f"--input={name}={name}.npy" for name in arrays),
        "--output=y=y.npy", "--output=next=next.npy")  # fmt: skip
    return numpy.load("y.npy"), numpy.load("next.npy")


def check(name, batch, past, lengths):
    """A text in segments of these lengths, of which the last `past` states are remembered."""
    memory = numpy.zeros((batch, past, CHANNELS), "<f4")
    skipped = numpy.full(batch, past, "<i4")
    for number, length in enumerate(lengths):
        x = random.normal(size=(batch, length, CHANNELS)).astype("<f4")
        y, following = call(x, memory, skipped)
        expected = [
            attend(*(array.astype("f8") for array in row), skip)
            for *row, skip in zip(x, memory, skipped)
        ]
        error = abs(y - numpy.array(expected)).max()
        verdict = "as expected" if error <= TOLERANCE else f"WRONG by {error}"
        memory = numpy.concatenate([memory, x], 1)[:, -past:]
        if not numpy.array_equal(following, memory):
            verdict = "WRONG memory"
        skipped = numpy.maximum(skipped - length, 0).astype("<i4")
        print(f"{name}, segment {number}: {verdict}")


random = numpy.random.default_rng(7)
check("one token at a time", 1, 3, [1, 1, 1, 1, 1])
check("segments as long as the memory", 2, 16, [16, 16, 16])
check("segments of any length", 3, 20, [7, 33, 1])
check("long memory", 1, 70, [50, 50, 41])
