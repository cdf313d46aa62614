# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that heddlec has compiled, called from Python.

    import heddle
    model = heddle.load("libdates.so")          # from heddlec --emit=shared
    help(model.prefill)                         # what it takes and gives
    cache = model.cache(batch=1, capacity=64)
    logits = model.prefill(ids=[[1, 12, 3]], starts=[0], lengths=[3], cache=cache)

    tokenizer = heddle.Tokenizer("model")       # needs libheddle_text.so
    for piece in model.generate("Once upon", tokenizer=tokenizer):
        print(piece, end="", flush=True)

This is a binding of artifacts: all that computes is in the shared library.
"""

from heddle.cache import Cache
from heddle.device import DeviceArray
from heddle.entry import Entry, PreparedCall
from heddle.errors import HeddleError
from heddle.model import Model, compile, load
from heddle.text import Tokenizer

__all__ = ["Cache", "DeviceArray", "Entry", "HeddleError", "Model", "PreparedCall", "Tokenizer",
           "compile", "load"]
