# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs recurrent.mlir, compiled to recurrent.so, and compares it with loops in NumPy in double
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


def lstm(x, h, c, name="lstm"):
    i, f, g, o = numpy.split(sum(linears(name, x, h)), 4, -1)
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


def expected_of_decoder(y, states, lengths, h, c):
    """Of each token the state after it, and the weights of the source's states for the one before."""
    outputs = numpy.zeros((*y.shape[:2], 24))
    weights = numpy.zeros((*y.shape[:2], states.shape[1]))
    for b, length in enumerate(lengths):
        hidden, cell, memory = h[b], c[b], states[b, :length]
        for t, token in enumerate(y[b]):
            shares = numpy.exp(memory @ hidden / 24**0.5)
            shares /= shares.sum()
            seen = numpy.concatenate((token, shares @ memory))
            hidden, cell = lstm(seen, hidden, cell, "decoder")
            outputs[b, t], weights[b, t, :length] = hidden, shares
    return outputs, weights


def judge(case, found, wanted):
    error = numpy.max([abs(a - b).max() for a, b in zip(found, wanted)])  # NaN, too
    print(f"{case}: {'as expected' if error < TOLERANCE else f'WRONG by {error}'}")


def check(step, lengths, capacity):
    x = random.normal(size=(len(lengths), capacity, 20)).astype("<f4")
    numpy.save("x.npy", x)
    numpy.save("lengths.npy", numpy.array(lengths, "<i4"))
    names = ["states", "last", "cell"][: 3 if step is lstm else 2]
    run("heddle-run", "run", "recurrent.so", f"--entry={step.__name__}", "--threads=2",
        "--input=x=x.npy", "--input=lengths=lengths.npy",
        *(f"--output={name}={name}.npy" for name in names))  # fmt: skip
    found = [numpy.load(f"{name}.npy") for name in names]
    wanted = expected(step, x.astype("f8"), lengths)
    judge(f"{step.__name__}, {max(lengths)} steps of {capacity}", found, wanted)


def check_decoder(steps):
    """After an LSTM, whose lengths and results still lie there."""
    y = random.normal(size=(len(numpy.load("lengths.npy")), steps, 20)).astype("<f4")
    numpy.save("y.npy", y)
    inputs = ["y", "states", "lengths", "last", "cell"]
    run("heddle-run", "run", "recurrent.so", "--entry=decoder", "--threads=2",
        *(f"--input={name}={name}.npy" for name in inputs),
        "--output=outputs=outputs.npy", "--output=shares=shares.npy")  # fmt: skip
    _, states, lengths, last, cell = (numpy.load(f"{name}.npy") for name in inputs)
    wanted = expected_of_decoder(*(a.astype("f8") for a in (y, states)), lengths, last, cell)
    found = numpy.load("outputs.npy"), numpy.load("shares.npy")
    judge(f"decoder, {steps} steps over {states.shape[1]}", found, wanted)


random = numpy.random.default_rng(4)
for cell in gru, lstm:
    for lengths, capacity in ([1], 1), ([7], 9), ([3, 12, 5], 12), ([2, 1] * 9, 31):
        check(cell, lengths, capacity)
        if cell is lstm:
            check_decoder(capacity // 2 + 1)
