# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs nearest_memory.mlir, compiled to nearest_memory.o, and compares it with the formula of
memorizing transformers in NumPy, in double precision.

    nearest_memory.py CHECKPOINT
"""
import sys

import numpy

from checkpoint import read_checkpoint
from judge.running import run

# As in segment_memory.py: outputs are sums of 64 products of numbers near 1, and so is what
# they are made of, four times in a row: 4 * 8 * 64 * 2^-24.
TOLERANCE = 1.3e-4
# Two products of which one is taken: what both are rounded by, 2 * 16 * 2^-24 of at most 32,
# and as much again of the queries that they are made of.
NEAR = 2 * (2 * 16 * 2**-24 * 32)
HEADS, DEPTH, NEAREST = 4, 16, 8

w = read_checkpoint(sys.argv[1])


def softmax(scores):
    weights = numpy.exp(scores - scores.max())
    return weights / weights.sum()


def attend(x, keys, values, nearest):
    """One sequence. `nearest` has been found: it has to be the largest, up to roundings."""
    q, k, v = (
        (x @ w[f"{name}.weight"].T).reshape(-1, HEADS, DEPTH) for name in ("query", "key", "value")
    )
    gate = 1 / (1 + numpy.exp(-w["gate_bias"]))
    result = numpy.zeros(q.shape)
    for h in range(HEADS):
        for i, query in enumerate(q[:, h]):
            own = softmax(k[: i + 1, h] @ query / DEPTH**0.5) @ v[: i + 1, h]
            products, chosen = keys[h] @ query, nearest[h, i]
            assert len(set(chosen)) == NEAREST, f"found twice: {chosen}"
            least = numpy.sort(products)[-NEAREST]
            assert products[chosen].min() >= least - NEAR, f"not the nearest: {chosen}"
            far = softmax(products[chosen] / DEPTH**0.5) @ values[h][chosen]
            result[i, h] = gate[h] * far + (1 - gate[h]) * own
    return result.reshape(len(x), -1) @ w["output.weight"].T


def check(batch, length, stored):
    arrays = {
        "x": random.normal(size=(batch, length, 48)),
        "keys": random.normal(size=(HEADS, stored, DEPTH)),
        "values": random.normal(size=(HEADS, stored, DEPTH)),
    }
    for name, array in arrays.items():
        arrays[name] = array.astype("<f4")
        numpy.save(f"{name}.npy", arrays[name])
    run("heddle-run", "run", "nearest_memory.o", "--entry=attend", "--threads=2",
        *(f"--input={name}={name}.npy" for name in arrays),
        "--output=y=y.npy", "--output=nearest=nearest.npy")  # fmt: skip
    x, keys, values = (array.astype("f8") for array in arrays.values())
    nearest = numpy.load("nearest.npy")
    expected = [attend(row, keys, values, found) for row, found in zip(x, nearest)]
    error = abs(numpy.load("y.npy") - numpy.array(expected)).max()
    verdict = "as expected" if error <= TOLERANCE else f"WRONG by {error}"
    print(f"{batch} texts of {length} tokens, {stored} stored: {verdict}")


random = numpy.random.default_rng(8)
check(1, 1, 8)
check(3, 17, 9)
check(2, 40, 500)
check(1, 5, 6000)
