# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with each kind of mask, with changed scores, and over a cache."""

from functools import partial

import numpy as np

import references
from case import F32, Case, Work, function, normal

WIDTH = 64  # of a head
DOCUMENTS = 4


def window_of(length):
    """Positions that a query of a window sees, its own among them."""
    return max(1, length // 8)


def kinds(length, heads):
    """What is given besides queries, keys and values; the mask; what is done to scores; how many
    pairs of a query and a key count; by name."""
    scores = f"tensor<1x{heads}x{length}x{length}xf32>"
    bias = f"""score(%bias : {scores}) {{
    ^bb0(%s: {scores}, %b: {scores}):
      %0 = arith.addf %s, %b : {scores}
      heddle.yield %0 : {scores}
  }}"""
    pairs = length * (length + 1) // 2
    window = window_of(length)
    documents = f"1x{length}xi32"
    return {
        "causal": ({}, "causal align(top_left)", "", pairs),
        "window": ({}, f"window left({window - 1}) right(0) align(top_left)", "",
                   window * length - window * (window - 1) // 2),
        "documents": ({"documents": documents},
                      f"documents %documents, %documents : tensor<{documents}>, "
                      f"tensor<{documents}>", "", length * length // DOCUMENTS),
        "masked": ({"kept": f"{length}x{length}xi1"},
                   f"dense %kept over(query, key) : tensor<{length}x{length}xi1>", "",
                   length * length),
        "biased": ({"bias": scores[7:-1]}, "", bias, length * length),
    }


def whole(kind, small):
    """All queries of a text at once."""
    length, heads = (80, 2) if small else (2048, 16)
    hidden = heads * WIDTH
    type = f"1x{length}x{hidden}xf32"
    given, mask, score, pairs = kinds(length, heads)[kind]
    source = function(
        {"q": type, "k": type, "v": type, **given}, type,
        (f"  %m = heddle.mask.{mask}\n" if mask else "")
        + f"  %y = heddle.attention %q, %k, %v {'mask(%m) ' if mask else ''}"
        f"heads({heads}, kv = {heads}) scale(0.125) {score} : "
        f"tensor<{type}>, tensor<{type}>, tensor<{type}>")

    def calls(random):
        arrays = {name: normal(random, 1, length, hidden) for name in "qkv"}
        if kind == "documents":
            arrays["documents"] = np.arange(length, dtype=np.int32)[None] * DOCUMENTS // length
        if kind == "masked":
            arrays["kept"] = random.random((length, length)) < 0.5
            arrays["kept"][length // 2] = False  # a row that sees nothing gives 0
        if kind == "biased":
            arrays["bias"] = normal(random, 1, heads, length, length)
        return [("run", arrays)]
    read = {"masked": length * length, "biased": F32 * heads * length * length}
    return Case(f"attention {kind}", f"{heads}x{WIDTH}, L={length}", f"attention_{kind}", source,
                calls, ("y", (1, length, hidden)),
                partial(references.attention, kind, window_of(length)),
                Work(4 * F32 * length * hidden + read.get(kind, 0), 4 * hidden * pairs),
                target="roof",
                peer=("attention", kind, heads, length, window_of(length), DOCUMENTS))


def decode(small):
    keys, heads = (96, 2) if small else (4096, 16)
    hidden = heads * WIDTH
    cache = f"!heddle.cache<1 x {heads} x {WIDTH} x f32>"
    given = (f'%cache: {cache} {{heddle.sizes = ["batch", "capacity"], '
             'heddle.name = "cache"}')
    pair, query = f"tensor<?x{keys}x{hidden}xf32>", f"?x{heads}x1x{WIDTH}xf32"
    source = f"""
func.func @fill(%k: {pair} {{heddle.sizes = ["batch"], heddle.name = "k"}},
    %v: {pair} {{heddle.sizes = ["batch"], heddle.name = "v"}},
    %starts: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "starts"}},
    %lengths: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "lengths"}},
    {given}) -> {cache} {{
  %y = heddle.cache.append %cache, %k, %v layer(0) at(%starts) lengths(%lengths)
    : {cache}, {pair}, {pair}, tensor<?xi32>, tensor<?xi32>
  return %y : {cache}
}}
func.func @run(%q: tensor<{query}> {{heddle.sizes = ["batch"], heddle.name = "q"}},
    %lengths: tensor<?xi32> {{heddle.sizes = ["batch"], heddle.name = "lengths"}}, {given})
    -> (tensor<{query}> {{heddle.name = "y"}}) {{
  %k, %v = heddle.cache.read %cache layer(0) : {cache}
  %m = heddle.mask.lengths %lengths : tensor<?xi32>
  %y = heddle.attention %q, %k, %v mask(%m) heads({heads}, kv = {heads}) scale(0.125)
    : tensor<{query}>, tensor<?x?x{hidden}xf32>, tensor<?x?x{hidden}xf32>
  return %y : tensor<{query}>
}}
"""

    def calls(random):
        lengths = np.array([keys], np.int32)
        return [("fill", {"k": normal(random, 1, keys, hidden),
                          "v": normal(random, 1, keys, hidden),
                          "starts": np.zeros(1, np.int32), "lengths": lengths}),
                ("run", {"q": normal(random, 1, heads, 1, WIDTH), "lengths": lengths})]
    return Case("attention decode", f"{heads}x{WIDTH}, {keys} keys", "attention_decode", source,
                calls, ("y", (1, heads, 1, WIDTH)), references.attention_decode,
                Work(2 * F32 * keys * hidden, 4 * keys * hidden), target="roof",
                cache={"batch": 1, "capacity": keys + 32}, peer=("attention_decode", heads, keys))


CASES = [*(partial(whole, kind) for kind in kinds(1, 1)), decode]
