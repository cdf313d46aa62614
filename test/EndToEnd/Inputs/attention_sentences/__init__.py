# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A check of each sentence of dialect/Attention.md, whose docstring is that sentence."""

from . import masks, scores, weights  # noqa: F401
from .calls import CHECKS  # noqa: F401
