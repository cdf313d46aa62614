# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random layers and stacks of transformers, and compares calls of them with NumPy.

    random_transformers.py FIRST_SEED COUNT

What a seed makes is the next of KINDS, with random options and sizes. heddlec --verify looks at
it, too. Files of seeds that fail stay, to repeat it.
"""
import glob
import os
import random
import shutil
import sys

from judge.running import Failure
from layers.sizes import LENGTHS
from transformers.checking import check
from transformers.formulas import ACTIVATIONS
from transformers.parts import feed_forward, multi_head_attention
from transformers.stacks import options_of, transformer

TARGETS = ("native", "x86-64-v3")
WIDTHS = (8, 20, 33, 48, 64, 80, 96)
HEAD_SIZES = (1, 7, 8, 12, 48, 64, 80, 96, 128, 256)
LARGEST = 2000  # rows of a weight


def draw_heads(rng, sizes=HEAD_SIZES):
    """Heads of queries and of keys, and how large they are."""
    while True:
        kv, size = rng.choice((1, 2, 3)), rng.choice(sizes)
        heads = kv * rng.choice((1, 1, 2, 4))
        if (heads + 2 * kv) * size <= LARGEST:
            return heads, kv, size


def draw_feed_forward(name, rng):
    return feed_forward(name, rng.choice(sorted(ACTIVATIONS)), rng.random() < 0.5)


def draw_attention(name, rng):
    heads, kv, size = draw_heads(rng)
    mask = [kind for kind in ("causal", "lengths") if rng.random() < 0.5]
    is_self = rng.random() < 0.5
    is_combined = is_self and rng.random() < 0.5
    width = rng.choice(WIDTHS)
    widths = [width, width, width, rng.choice(WIDTHS), size, size]
    if not is_self:
        widths[1:3] = rng.choice(WIDTHS), rng.choice(WIDTHS)
    if not is_combined and rng.random() < 0.5:
        widths[5] = rng.choice((1, 5, 8, 40, 64))
    scale = rng.choice((None, None, 0.3, -0.5, 0.0))
    layer = rng.choice((None, 0, 2)) if is_self else None
    return multi_head_attention(name, heads, kv, mask, is_combined, is_self, widths,
                                *(rng.random() < 0.5 for _ in range(3)), scale,
                                rng.random() < 0.5, layer)  # fmt: skip


def draw_transformer(what):
    def draw(name, rng):
        heads, kv, size = draw_heads(rng, HEAD_SIZES[:6])
        options = options_of(
            rng.choice(("post", "pre", "sandwich")), rng.choice(("layer", "rms")), heads, kv,
            rng.choice(sorted(ACTIVATIONS)), rng.choice((1e-5, 1e-6, 1e-2)),
            rng.random() < 0.4, rng.random() < 0.4,
        )  # fmt: skip
        is_stack = "layer" not in what
        has_memory = what in ("decoder_layer", "decoder") and rng.random() < 0.4
        return transformer(
            name, what, options, rng.choice((1, 2)) if is_stack else 1, rng.choice(WIDTHS),
            rng.choice(WIDTHS) if has_memory else 0, size, rng.choice((1, 12, 64, 100)),
            rng.random() < 0.6, is_stack and rng.random() < 0.5, rng.choice((0, 1, 17, 70)),
            *(rng.random() < 0.6 for _ in range(4)),
            rng.random() < 0.5, what != "encoder_decoder" and rng.random() < 0.4,
        )  # fmt: skip

    return draw


KINDS = {
    "feed_forward": draw_feed_forward, "multi_head_attention": draw_attention,
    **{what: draw_transformer(what)
       for what in ("encoder_layer", "decoder_layer", "encoder", "decoder", "encoder_decoder")},
}  # fmt: skip


def make(seed):
    """A model and its formula, and the sizes of calls: batch, length and source."""
    rng = random.Random(f"transformers {seed}")
    kind = list(KINDS)[seed % len(KINDS)]
    model, compute = KINDS[kind](f"{kind}_{seed}", rng)
    spaces = [(batch, rng.choice(LENGTHS), rng.choice(LENGTHS)) for batch in (1, 3)]
    return model, compute, spaces


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    failed = 0
    for seed in range(first, first + count):
        model, compute, spaces = make(seed)
        try:
            check(model.name, model, compute, TARGETS[seed // len(KINDS) % 2], spaces)
        except Failure as failure:
            failed += 1
            print(failure, flush=True)
            continue
        shutil.rmtree(model.name)
        for file in glob.glob(model.name + ".*"):
            os.remove(file)
    print(f"{count} random transformers, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
