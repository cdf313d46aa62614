# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the layers of a file of layers/, and compares calls of them with its formulas.

    layer_ops.py TOPIC...

heddlec --verify looks at the same modules.
"""
import importlib
import sys
import time

import numpy

from judge.running import run
from layers.calls import errors


def check(topic, rng):
    functions = importlib.import_module(f"layers.{topic}").FUNCTIONS
    with open(f"{topic}.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(function.text() for function in functions))
    run("heddlec", f"{topic}.mlir", "--verify", "-o", f"{topic}.o")
    for function in functions:
        for number, sizes in enumerate(function.calls):
            for name, error in errors(function, f"{topic}.o", sizes, rng):
                verdict = "as expected" if error <= function.tolerance else f"WRONG by {error}"
                print(f"{function.name}, call {number}, {name}: {verdict}")


seed = time.time_ns() % 2**31
print(f"seed {seed}", file=sys.stderr)
for argument in sys.argv[1:]:
    check(argument, numpy.random.default_rng(seed))
