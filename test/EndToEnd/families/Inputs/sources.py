# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled encoder-decoder reads, and its decoder, which attends to that."""
import inspect

import numpy as np


class Source:
    """Texts of ids, or features [bins, frames], in one batch. Ids behind shorter texts are any."""

    def __init__(self, model, inputs, padding=7):
        self.model = model
        names = inspect.signature(model.encode).parameters
        given = {}
        if "features" in names:
            given["features"] = np.array(inputs, np.float32)
            self.cross = model.cache("encode", "cross", batch=len(inputs))
            self.lengths = None
        else:
            self.lengths = np.array([len(text) for text in inputs], np.int32)
            ids = np.full((len(inputs), self.lengths.max()), padding, np.int32)
            for row, text in zip(ids, inputs):
                row[:len(text)] = text
            given["ids"], given["lengths"] = ids, self.lengths
            self.cross = model.cache("encode", "cross", batch=len(inputs),
                                     source=int(self.lengths.max()))
        self.hidden = model.encode(**given, cross=self.cross)
        if self.lengths is not None:
            self.hidden = [row[:n] for row, n in zip(self.hidden, self.lengths)]

    def prefill(self, ids, starts, lengths, cache):
        return self._call(self.model.prefill, ids, starts, lengths, cache)

    def decode(self, ids, starts, lengths, cache):
        return self._call(self.model.decode, ids, starts, lengths, cache)

    def _call(self, entry, ids, starts, lengths, cache):
        given = {} if self.lengths is None else {"cross_lengths": self.lengths}
        return entry(ids=ids, starts=starts, lengths=lengths, cache=cache, cross=self.cross, **given)
