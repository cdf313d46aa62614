# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what random functions are made of."""
import collections
import re

from . import elements

VIEWS = ("transpose", "reshape", "expand", "squeeze", "slice", "split", "broadcast")
TYPE = re.compile(rf"[<x]({'|'.join(elements.ALL)})>")
OP = re.compile(r"^ *(%.*?) = ((?:heddle|arith|math|scf|func|tensor)\.\w+)(.*)")


def traits_of(text):
    """The ops of a function, each with the types that stand in its line; views of views."""
    found, views = set(), set()
    for line in text.splitlines():
        match = OP.match(line)
        if not match or "%c" in match[1]:
            continue  # constants and comparisons of control flow
        results, op, rest = match.groups()
        found.add((op, "all"))
        found |= {(op, element) for element in TYPE.findall(rest)}
        if op.removeprefix("heddle.") not in VIEWS:
            continue
        if views & set(re.findall(r"%\w+", rest)):
            found.add(("view of a view", "all"))
        views |= set(re.findall(r"%\w+", results))
    return found


def print_table(functions):
    """In how many functions an op is, and in how many with a type."""
    counts = collections.Counter()
    for function in functions:
        counts.update(traits_of(function.write()))
    columns = ("all", *elements.ALL)
    print(f"{'':24}" + "".join(f"{column:>6}" for column in columns))
    for op in sorted({op for op, _ in counts}):
        print(f"{op:24}" + "".join(f"{counts[op, column]:6}" for column in columns))
