# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes and options that layers are drawn with."""

BATCHES = (1, 3)
# Of one, of what tiles and blocks have, one less and one more, and primes.
LENGTHS = (1, 2, 5, 11, 12, 13, 31, 32, 33, 47, 63, 64, 65, 97)
CHANNELS = (8, 48, 64, 80, 96, 128, 256, 5, 7, 1)
ELEMENTS = ("f32", "f32", "f32", "bf16", "f16")
EPSILONS = (1.0e-5, 1.0e-2, 0.5)
INTEGERS = ("i32", "i64")
ACTIVATIONS = ("silu", "relu", "gelu", "gelu_tanh", "sigmoid", "tanh", "quick_gelu")


def some_lengths(random):
    """One for each of the batches."""
    return [random.choice(LENGTHS) for _ in BATCHES]


def few_elements(rank):
    """Sizes of a dimension, so that a tensor of so many is not large."""
    return LENGTHS if rank == 3 else (1, 2, 5, 7, 13, 17) if rank == 4 else (1, 2, 3, 5)
