# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles layers and whole transformers and compares calls with NumPy in double precision.

    known_transformers.py NAME... [COUNT]

Each name is one of this file's table, or what several begin with, of which COUNT are drawn.
`heddlec --verify` compares it with the reference, too.
"""
import random
import sys

from judge.running import Failure
from transformers.checking import check
from transformers.formulas import ACTIVATIONS
from transformers.parts import feed_forward, multi_head_attention
from transformers.stacks import options_of, transformer

TARGETS = ("native", "x86-64-v3")
# Of calls: batch, length, source. Of one, and of what tiles and blocks have, and one more.
SPACES = ((1, 1, 1), (3, 12, 33), (2, 37, 5))

MODELS = {
    **{f"feed_forward_{kind}": (feed_forward, kind, index % 2 == 0)
       for index, kind in enumerate(ACTIVATIONS)},
    "attention_combined": (multi_head_attention, 4, 4, ("causal", "lengths"), True, True),
    "attention_grouped": (multi_head_attention, 4, 2, ("lengths",), True, True, None, True, False,
                          True),
    "attention_self": (multi_head_attention, 4, 1, ("causal",), False, True,
                       (40, 40, 40, 24, 16, 8)),
    "attention_cross": (multi_head_attention, 4, 4, ("lengths",)),
    "attention_widths": (multi_head_attention, 6, 2, (), False, False, (48, 20, 36, 30, 16, 7),
                         True, True, True, 0.3),
    "attention_cached": (multi_head_attention, 4, 2, (), False, True, (40, 40, 40, 24, 16, 8), True,
                         True, True, None, True, 1),
    "encoder_layer_post": (transformer, "encoder_layer", options_of("post")),
    "encoder_layer_bare": (transformer, "encoder_layer", options_of("pre", kv=2), 1, 48, 0, 20,
                           100, False),
    "encoder_layer_sandwich": (transformer, "encoder_layer",
                               options_of("sandwich", "rms", 4, 2, "gelu_tanh", 1e-6)),
    "encoder_layer_gated": (transformer, "encoder_layer",
                            options_of("pre", "rms", 4, 2, "silu", 1e-3, True, True)),
    "decoder_layer_gated": (transformer, "decoder_layer",
                            options_of("post", "layer", 4, 1, "gelu", 1e-5, True, True), 1, 48, 28,
                            12, 100, False),
    "decoder_layer_post": (transformer, "decoder_layer", options_of("post", activation="gelu")),
    "decoder_layer_pre": (transformer, "decoder_layer", options_of("pre", "rms")),
    "decoder_layer_sandwich": (transformer, "decoder_layer", options_of("sandwich")),
    "decoder_layer_memory": (transformer, "decoder_layer", options_of("post", kv=1), 1, 48, 28,
                             12, 100, True, False, 0, False),
    "encoder_post": (transformer, "encoder", options_of("post"), 2),
    "encoder_pre": (transformer, "encoder", options_of("pre", activation="silu"), 2, 48, 0, 12,
                    100, True, True),
    "decoder_layer_cached": (transformer, "decoder_layer", options_of("pre", kv=2), 1, 48, 0, 12, 100,
                             True, False, 0, True, True, False, True, True, True),
    "encoder_layer_cached": (transformer, "encoder_layer", options_of("pre"), 1, 48, 0, 12, 100,
                             True, False, 0, True, False, False, True, True, True),
    "decoder_post": (transformer, "decoder", options_of("post"), 2),
    "decoder_pre": (transformer, "decoder", options_of("pre"), 2, 48, 0, 12, 100, True, True),
    "encoder_decoder_post": (transformer, "encoder_decoder", options_of("post"), 2, 48, 0, 12,
                             100, True, True, 70),
    "encoder_decoder_pre": (transformer, "encoder_decoder", options_of("pre", activation="gelu"),
                            1, 48, 0, 12, 100, True, True),
}  # fmt: skip


def main():
    failures = 0
    kinds = [kind for kind in sys.argv[1:] if not kind.isdigit()]
    names = [name for name in MODELS if name.startswith(tuple(kinds))]
    if len(kinds) < len(sys.argv) - 1:
        names = random.sample(names, int(sys.argv[-1]))
    for index, name in enumerate(names):
        try:
            make, *arguments = MODELS[name]
            check(name, *make(name, *arguments), TARGETS[index % 2], SPACES)
        except Failure as failure:
            failures += 1
            print(failure, flush=True)
    print(f"{len(names) - failures} of {len(names)} models agree")
    sys.exit(failures > 0 or not names)


if __name__ == "__main__":
    main()
