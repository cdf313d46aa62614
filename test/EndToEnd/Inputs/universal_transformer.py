# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs universal_transformer.mlir, compiled to universal.o, and compares it with a loop over the
formulas of a layer in NumPy, in double precision.

    universal_transformer.py CHECKPOINT
"""
import sys
from types import SimpleNamespace

import numpy

from checkpoint import read_checkpoint
from judge.running import run
from transformers.formulas import Layers, linear

# A layer adds sums of at most 32 products of numbers near 1 to each token, and six of them hand
# on what the ones before have rounded: 6 * 6 * 32 * 2^-24 of numbers up to 8.
TOLERANCE = 5e-4
STEPS, LIMIT = 6, 0.99

w = read_checkpoint(sys.argv[1])
layers = Layers(
    w, SimpleNamespace(kind="layer", epsilon=1e-5, heads=2, kv=2, order="pre", activation="relu")
)
halted_after = set()


def universal(x):
    """What is taken of the states, the steps, and how close a choice was."""
    taken, halted = numpy.zeros_like(x), numpy.zeros((*x.shape[:2], 1))
    keep = numpy.ones((1, 1, x.shape[1], x.shape[1]), bool)
    closest = 1
    for step in range(1, STEPS + 1):
        x = layers.layer(x, keep, "layer.")
        p = 1 / (1 + numpy.exp(-linear(x, w["halt.weight"], w["halt.bias"])))
        isLast = p + halted > LIMIT
        if (isLast & (halted < 1)).any():
            halted_after.add(step)
        closest = min(closest, abs(p + halted - LIMIT).min())
        share = numpy.where(isLast, 1 - halted, p)
        halted, taken = halted + share, taken + share * x
        if halted.min() >= LIMIT:
            break
    return taken, step, closest


def check(batch, length):
    x = random.normal(size=(batch, length, 16)).astype("<f4")
    numpy.save("x.npy", x)
    run("heddle-run", "run", "universal.o", "--entry=universal", "--threads=2",
        "--input=x=x.npy", "--output=y=y.npy", "--output=steps=steps.npy")  # fmt: skip
    y, steps, closest = universal(x.astype("f8"))
    error = abs(numpy.load("y.npy") - y).max()
    found = int(numpy.load("steps.npy"))
    verdict = "as expected"
    if closest < TOLERANCE:
        verdict = "no test: a token may halt in another step"
    elif not error <= TOLERANCE or found != steps:
        verdict = f"WRONG by {error}, in {found} steps"
    print(f"{batch} x {length}, {steps} steps: {verdict}")
    run("heddle-run", "run", "universal.o", "--entry=repeated", "--threads=2",
        "--input=x=x.npy", "--output=y=y.npy")  # fmt: skip
    keep, y = numpy.ones((1, 1, length, length), bool), x.astype("f8")
    for _ in range(3):
        y = layers.layer(y, keep, "layer.")
    error = abs(numpy.load("y.npy") - y).max()
    verdict = "as expected" if error <= TOLERANCE else f"WRONG by {error}"
    print(f"{batch} x {length}, repeated: {verdict}")


random = numpy.random.default_rng(11)
check(1, 1)
check(3, 7)
check(2, 33)
print("tokens halted after", ", ".join(map(str, sorted(halted_after))), "steps")
