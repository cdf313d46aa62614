# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What rows of numbers become."""
import math
from operator import mul


def dot(x, y):
    return sum(map(mul, x, y))


def silu(x):
    return x / (1 + math.exp(min(-x, 700)))


def relu(x):
    return max(x, 0.0)


def gelu_tanh(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = (
    ("silu", silu), ("relu", relu), ("tanh", math.tanh), ("gelu_tanh", gelu_tanh),
    ("gelu", lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2)))),
    ("sigmoid", lambda x: 1 / (1 + math.exp(min(-x, 700)))),
)  # fmt: skip


def norm_of(row, scale, epsilon):
    inverse = 1 / math.sqrt(dot(row, row) / len(row) + epsilon)
    return [value * inverse * w for value, w in zip(row, scale)]


def sigmoid(x):
    return 1 / (1 + math.exp(-max(min(x, 700), -700)))


def parts(row, count):
    size = len(row) // count
    return [row[i * size : (i + 1) * size] for i in range(count)]
