# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs settle.mlir, compiled to settle.so, and compares what comes of it, and the steps that it
took, with loops in NumPy in double precision.

    settle.py CHECKPOINT

Limits lie between the changes of two steps, so that no rounding decides how many there are.
"""
import math
import subprocess
import sys

import numpy

from checkpoint import read_checkpoint

# The largest difference that is rounding, of values up to 5.
TOLERANCE = 1e-5


w = read_checkpoint(sys.argv[1])


def settle(x):
    """What each step gives, and how much that changes."""
    drive = x @ w["settle.outer.weight"].T + w["settle.outer.bias"]
    z = numpy.zeros((len(x), 24))
    while True:
        following = numpy.tanh(z @ w["settle.inner.weight"].T / 2 + drive)
        yield following, abs(following - z).max()
        z = following


def softmax(x):
    exponentials = numpy.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def attend(h, lengths):
    centred = h - h.mean(-1, keepdims=True)
    n = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    n = n * w["refine.norm.weight"] + w["refine.norm.bias"]
    q, v = n @ w["refine.query.weight"].T, n @ w["refine.value.weight"].T
    seen = numpy.zeros(h.shape)
    for b, length in enumerate(lengths):
        for head in range(4):
            columns = slice(8 * head, 8 * head + 8)
            scores = q[b, :, columns] @ n[b, :length, columns].T / math.sqrt(8)
            seen[b, :, columns] = softmax(scores) @ v[b, :length, columns]
    return seen


def refine(x, lengths):
    h = x
    while True:
        following = x + attend(h, lengths) / 2
        change = numpy.linalg.norm(following - h) / numpy.linalg.norm(following)
        yield following, change
        h = following


def first(sequence, steps):
    """What the last of so many steps gives, and a limit that its change is the first to meet."""
    values, changes = zip(*(step for step, _ in zip(sequence, range(steps))))
    limit = math.sqrt(changes[-1] * min(changes[:-1], default=2 * changes[-1]))
    assert changes[-1] < 0.99 * limit, "a limit that rounding may meet"
    return values[-1], changes[-1], limit


def call(entry, inputs, outputs):
    command = ["heddle-run", "run", "settle.so", f"--entry={entry}", "--threads=2"]
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
        command.append(f"--input={name}={name}.npy")
    command += [f"--output={name}={name}.npy" for name in outputs]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [numpy.load(f"{name}.npy") for name in outputs]


def report(entry, steps, taken, error):
    is_right = taken.tolist() == [steps] and error < TOLERANCE
    verdict = "as expected" if is_right else f"WRONG by {error} in {taken.tolist()} steps"
    print(f"{entry}, {steps} steps: {verdict}")


random = numpy.random.default_rng(3)
for batch, steps in [(1, 2), (1, 4), (3, 7), (17, 9), (2, 12)]:
    x = random.normal(size=(batch, 20)).astype("<f4")
    _, _, limit = first(settle(x.astype("f8")), steps)
    for most in steps - 1, steps, 50:
        expected, _, _ = first(settle(x.astype("f8")), min(steps, most))
        z, taken = call("settle", {"x": x, "limit": numpy.array([limit], "<f4"),
                                   "most": numpy.array([most], "<i4")}, ["z", "steps"])
        report("settle", min(steps, most), taken, abs(z - expected).max())

for lengths, steps in [([1], 1), ([9], 3), ([5, 12, 8], 2), ([33, 20], 5), ([7, 7, 2, 1], 6)]:
    x = random.normal(size=(len(lengths), max(lengths), 32)).astype("<f4")
    expected, change, limit = first(refine(x.astype("f8"), lengths), steps)
    h, taken, ratio = call("refine", {"x": x, "lengths": numpy.array(lengths, "<i4"),
                                      "limit": numpy.array([limit], "<f4")},
                           ["h", "steps", "ratio"])
    report("refine", steps, taken, numpy.maximum(abs(h - expected).max(), abs(ratio[0] - change)))
