# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs recurrent.mlir, compiled to recurrent.o, and compares it with loops in NumPy in double
precision, as torch.nn.GRU and LSTM have them.

    recurrent.py CHECKPOINT
"""
import sys

import numpy

from checkpoint import read_checkpoint
from judge.running import run

# States are below 1, cells below the number of steps; each step adds a few roundings of sums of
# 44 terms and hands on, of what was there before, less than all.
TOLERANCE = 1e-5

w = read_checkpoint(sys.argv[1])


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def linears(name, x, h):
    return (
        x @ w[f"{name}.input.weight"].T + w[f"{name}.input.bias"],
        h @ w[f"{name}.hidden.weight"].T + w[f"{name}.hidden.bias"],
    )


def gru(x, h, c):
    (a_r, a_z, a_n), (u_r, u_z, u_n) = (numpy.split(y, 3, -1) for y in linears("gru", x, h))
    r, z = sigmoid(a_r + u_r), sigmoid(a_z + u_z)
    n = numpy.tanh(a_n + r * u_n)
    return (1 - z) * n + z * h, c


def lstm(x, h, c):
    i, f, g, o = numpy.split(sum(linears("lstm", x, h)), 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
    return sigmoid(o) * numpy.tanh(c), c


def expected(step, x, lengths):
    states = numpy.zeros((*x.shape[:2], 24))
    last, cell = numpy.zeros((2, len(x), 24))
    for b, length in enumerate(lengths):
        h, c = numpy.zeros((2, 24))
        for t in range(length):
            h, c = step(x[b, t], h, c)
            states[b, t] = h
        last[b], cell[b] = h, c
    return states, last, cell


def check(step, lengths, capacity):
    x = random.normal(size=(len(lengths), capacity, 20)).astype("<f4")
    numpy.save("x.npy", x)
    numpy.save("lengths.npy", numpy.array(lengths, "<i4"))
    names = ["states", "last", "cell"][: 3 if step is lstm else 2]
    run("heddle-run", "run", "recurrent.o", f"--entry={step.__name__}", "--threads=2",
        "--input=x=x.npy", "--input=lengths=lengths.npy",
        *(f"--output={name}={name}.npy" for name in names))  # fmt: skip
    error = max(
        abs(numpy.load(f"{name}.npy") - array).max()
        for name, array in zip(names, expected(step, x.astype("f8"), lengths))
    )
    verdict = "as expected" if error < TOLERANCE else f"WRONG by {error}"
    print(f"{step.__name__}, {max(lengths)} steps of {capacity}: {verdict}")


random = numpy.random.default_rng(4)
for cell in gru, lstm:
    check(cell, [1], 1)
    check(cell, [7], 9)
    check(cell, [3, 12, 5], 12)
    check(cell, [2, 1] * 9, 31)
