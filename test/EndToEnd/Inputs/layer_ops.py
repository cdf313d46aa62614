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


def check_call(function, number, sizes, rng):
    inputs = function.make_inputs(rng, sizes)
    command = ["heddle-run", "run", f"{function.topic}.o", f"--entry={function.name}"]
    command += [f"--size={name}={size}" for name, size in function.own_sizes(sizes).items()]
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
        command.append(f"--input={name}={name}.npy")
    command += [f"--output={name}={name}.npy" for name in function.results]
    run(*command)
    expected = function.compute(inputs)
    for name, array in zip(function.results, expected):
        got = numpy.load(f"{name}.npy").astype("f8")
        assert got.shape == array.shape, (function.name, got.shape, array.shape)
        error = (abs(got - array) / (1 + abs(array))).max()
        verdict = "as expected" if error <= function.tolerance else f"WRONG by {error}"
        print(f"{function.name}, call {number}, {name}: {verdict}")


def check(topic, rng):
    functions = importlib.import_module(f"layers.{topic}").FUNCTIONS
    with open(f"{topic}.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(function.text() for function in functions))
    run("heddlec", f"{topic}.mlir", "--verify", "-o", f"{topic}.o")
    for function in functions:
        function.topic = topic
        for number, sizes in enumerate(function.calls):
            check_call(function, number, sizes, rng)


seed = time.time_ns() % 2**31
print(f"seed {seed}", file=sys.stderr)
for argument in sys.argv[1:]:
    check(argument, numpy.random.default_rng(seed))
