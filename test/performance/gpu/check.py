# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case's result against its reference."""

import math

import numpy as np

from case import Case, Running

MOST_ROWS = 64
AGAIN = 3  # calls: the first of these becomes a graph of launches, and others update that


def check(case: Case, model, random: np.random.Generator, weights) -> tuple[float, str]:
    """How much the result differs, and what is wrong with it, or nothing."""
    calls = (case.checked or case.calls)(random)
    running = Running(case, model, calls)
    first = running.read(1)
    if not np.array_equal(first, running.read(AGAIN), equal_nan=True):
        return math.inf, "the same call has another result when it is repeated"
    result = first.reshape(-1, first.shape[-1])
    rows = np.arange(len(result))
    if len(rows) > MOST_ROWS:  # the first, the last, and some between
        middle = random.choice(rows[1:-1], MOST_ROWS - 2, replace=False)
        rows = np.sort(np.concatenate([rows[[0, -1]], middle]))
    if unwritten := int(np.isnan(result).sum()):
        return math.inf, f"{unwritten} of {result.size} elements are not written, or no numbers"
    expected = case.reference(calls, rows, weights)
    difference = np.abs(result[rows] - expected)
    scale = np.sqrt(np.mean(expected * expected))
    error = float(difference.max() / scale)
    if error <= case.tolerance:
        return error, ""
    row, column = np.unravel_index(difference.argmax(), difference.shape)
    return error, (f"differs by {error:.1e} at row {rows[row]}, column {column}: "
                   f"{result[rows[row], column]:.9g}, expected {expected[row, column]:.9g}; at "
                   f"most {case.tolerance:.0e} is allowed")
