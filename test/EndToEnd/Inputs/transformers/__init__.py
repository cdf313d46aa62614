# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and whole transformers with weights of a checkpoint: texts, and formulas in NumPy."""
