# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the layers of a file of layers/, and compares calls of them with its formulas.

    layer_ops.py [--seed=NUMBER] TOPIC[:FUNCTION,...|:COUNT]...

Without names all functions of a topic are meant, or COUNT of them that are drawn. heddlec --verify looks at the same modules.
Inputs are others in each run, unless a seed is given, which a run prints.
"""
import importlib
import sys
import time

import numpy

from judge.running import run
from layers.calls import errors


def check(topic, rng):
    topic, _, names = topic.partition(":")
    functions = importlib.import_module(f"layers.{topic}").FUNCTIONS
    if names.isdigit():
        functions = [functions[i] for i in sorted(rng.choice(len(functions), int(names), False))]
    elif names:
        functions = [function for function in functions if function.name in names.split(",")]
    with open(f"{topic}.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(function.text() for function in functions))
    run("heddlec", f"{topic}.mlir", "--verify", "--emit=shared", "-o", f"{topic}.so")
    failed = False
    for function in functions:
        for number, sizes in enumerate(function.calls):
            for name, error in errors(function, f"{topic}.so", sizes, rng):
                is_right = error <= function.tolerance
                verdict = "as expected" if is_right else f"WRONG by {error}"
                print(f"{function.name}, call {number}, {name}: {verdict}")
                failed |= not is_right
    return failed


seed, topics = time.time_ns() % 2**31, sys.argv[1:]
if topics[0].startswith("--seed="):
    seed = int(topics.pop(0).removeprefix("--seed="))
print(f"seed {seed}", file=sys.stderr)
sys.exit(any([check(topic, numpy.random.default_rng(seed)) for topic in topics]))
