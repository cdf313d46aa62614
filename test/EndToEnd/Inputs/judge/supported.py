# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiled modules can keep in memory, so far."""

# Truths, which only a kernel knows that compares and chooses.
I1_VALUES = False
# Values without dimensions, but for constants and arguments.
RANK_0_VALUES = False
# Weights of layers that are no weights of the model.
ARGUMENTS_AS_WEIGHTS = False
# Integers as results of entry points.
I32_RESULTS = False
# Arguments, values and results of bf16.
BF16_VALUES = False
