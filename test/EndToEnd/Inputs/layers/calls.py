# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls compiled functions, and says how far their results are from the formulas."""
import numpy

from judge.running import Failure, run


def call(function, artifact, sizes, inputs):
    """The arrays that the entry point gives, by the names of its results."""
    command = ["heddle-run", "run", artifact, f"--entry={function.name}"]
    command += [f"--size={name}={size}" for name, size in function.own_sizes(sizes).items()]
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", function.arguments[name].file(array))
        command.append(f"--input={name}={name}.npy")
    command += [f"--output={name}={name}.npy" for name in function.results]
    run(*command)
    return {
        name: result.read(numpy.load(f"{name}.npy")) for name, result in function.results.items()
    }


# Of the results of a type, relative to each of them.
ROUNDING = {"f32": 0.0, "bf16": 2.0**-8, "f16": 2.0**-11}


def errors(function, artifact, sizes, rng):
    """Of a call with random inputs: each result's name, and its largest error, relative to
    elements of more than 1."""
    inputs = function.make_inputs(rng, sizes)
    results = call(function, artifact, sizes, inputs)
    expected = function.compute(inputs)
    for (name, got), array in zip(results.items(), expected):
        if got.shape != array.shape:
            raise Failure(f"{function.name}: {name} is {got.shape}, expected {array.shape}")
        rounding = ROUNDING[function.results[name].element]
        with numpy.errstate(invalid="ignore"):
            error = numpy.maximum(abs(got - array) - rounding * abs(array), 0) / (1 + abs(array))
            is_equal = (got == array) | (numpy.isnan(got) & numpy.isnan(array))
            error = numpy.where(is_equal, 0, error)
        yield name, error.max(initial=0)
