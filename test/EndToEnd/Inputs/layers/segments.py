# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeddings of words, of the segments that they belong to and of their positions, as BERT adds
them up (arXiv:1810.04805, section 3.2), and its norm of the sum."""
import numpy

from .function import Argument, Function, weight

CALLS = ({"batch": 1, "length": 1}, {"batch": 3, "length": 17}, {"batch": 2, "length": 40})
WORDS, SEGMENTS, POSITIONS, CHANNELS = 70, 3, 40, 36
BOUNDED = f'attributes {{heddle.symbols = [#heddle.symbol<"length", 1 to {POSITIONS}>]}}'


def ids(count):
    return lambda rng, shape, sizes: rng.integers(0, count, shape)


def norm(x, w, b, epsilon=1e-12):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * w + b


def added(name, has_norm):
    words = Argument("batch", "length", element="i32", fill=ids(WORDS))
    kinds = Argument("batch", "length", element="i32", fill=ids(SEGMENTS))
    result = Argument("batch", "length", CHANNELS)
    weights = {
        "word": weight(WORDS, CHANNELS, scale=1),
        "segment": weight(SEGMENTS, CHANNELS, seed=2, scale=1),
        "position": weight(POSITIONS, CHANNELS, seed=3, scale=1),
    }
    body = f"""
        %a = heddle.embedding %words, %word : {words}, tensor<{WORDS}x{CHANNELS}xf32>
        %b = heddle.embedding %kinds, %segment : {kinds}, tensor<{SEGMENTS}x{CHANNELS}xf32>
        %c = arith.addf %a, %b : {result}
        %sum = heddle.add_positions %c, %position : {result}, tensor<{POSITIONS}x{CHANNELS}xf32>
    """
    if has_norm:
        weights |= {"w": weight(CHANNELS), "v": weight(CHANNELS, seed=4)}
        vector = f"tensor<{CHANNELS}xf32>"
        body += f"%y = heddle.layer_norm %sum, %w, %v epsilon(1.0e-12) : {result}, {vector}, {vector}"

    def formula(words, kinds, word, segment, position, w=None, v=None):
        total = word[words] + segment[kinds] + position[None, : words.shape[1]]
        return norm(total, w, v) if has_norm else total

    results = {"y" if has_norm else "sum": result}
    return Function(name, {"words": words, "kinds": kinds}, results, body, formula, CALLS,
                    weights, BOUNDED)  # fmt: skip


FUNCTIONS = [added("segments", False), added("segments_and_norm", True)]
