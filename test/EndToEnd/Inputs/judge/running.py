# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles functions and calls them."""
import os
import re
import subprocess

import numpy

from .elements import from_file, to_file

LONGEST = 1200


class Failure(Exception):
    """Something that a compiled module does and its description does not say."""


def is_refused_size(failure):
    """Whether a call has failed as some op has nothing to read, or no size, at a size of 0."""
    return bool(re.search(r"is 0, expected [1-9]\d* to|do not fit together", str(failure)))


def is_refused_broadcast(failure):
    """Whether a call has failed as its sizes cannot be broadcast together."""
    return "cannot be broadcast together" in str(failure)


# Of f64, as devices/Inputs/ptx_of.sh has them.
OF_LIBRARY = (r"a?(sin|cos|tan)h?|exp|exp2|expm1|log|log2|log10|log1p|erf|erfc|cbrt|pow|atan2|fmod")


def is_lacked_by_device(failure):
    """Whether a function of f64 cannot be compiled for CUDA, which has no library of C."""
    calls = rf"it calls ({OF_LIBRARY}), which a device does not have"
    return bool(re.search(calls, str(failure)))


def run(*command):
    """Runs a command; its messages are the failure, as is that it never ends."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)}: no end after {LONGEST} seconds") from None
    if done.returncode:
        message = done.stderr.strip() or f"status {done.returncode}"
        raise Failure(f"{' '.join(command)}: {message}")


def compile_functions(functions, name, *options):
    """Makes NAME.so of one module with all functions: an object is linked for each call."""
    with open(name + ".mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(function.write() for function in functions))
    run("heddlec", "--quiet", name + ".mlir", *options, "--emit=shared", "-o", name + ".so")


def compile_or_report(functions, name, *options):
    """The functions that can be compiled, together where that is all of them, and None of those
    that the device cannot compute."""
    try:
        compile_functions(functions, name, *options)
        return {function.name: name + ".so" for function in functions}
    except Failure as failure:
        if len(functions) == 1:
            if is_lacked_by_device(failure):
                return {functions[0].name: None}
            print(failure)
            return {}
    artifacts = {}
    for function in functions:
        artifacts.update(compile_or_report([function], function.name, *options))
    return artifacts


def call(function, artifact, inputs, symbols):
    """The arrays that a function gives for its inputs."""
    command = ["heddle-run", "run", artifact, f"--entry={function.name}"]
    command += [f"--size={name}={symbols[name]}" for name in function.symbols()]
    for index, (argument, array) in enumerate(zip(function.arguments, inputs)):
        numpy.save(f"a{index}.npy", to_file(array, argument.value.type.element))
        command.append(f"--input=a{index}=a{index}.npy")
    outputs = [f"result{index}" for index in range(len(function.results))]
    command += [f"--output={name}={name}.npy" for name in outputs]
    run(*command)
    types = [value.type for value in function.results]
    arrays = [
        from_file(numpy.load(name + ".npy"), type_.element) for name, type_ in zip(outputs, types)
    ]
    for name in outputs:
        os.remove(name + ".npy")
    return arrays


def make_inputs(function, seed, symbols):
    return [
        argument.array(numpy.random.default_rng([*seed, index]), symbols)
        for index, argument in enumerate(function.arguments)
    ]


def check_entry(model, entry, inputs, sizes=(), **expected):
    """Calls an entry point of an object; its outputs must be these, bit by bit."""
    command = ["heddle-run", "run", model, f"--entry={entry}"]
    command += [f"--size={size}" for size in sizes]
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
        command.append(f"--input={name}={name}.npy")
    run(*command, *(f"--output={name}={name}.npy" for name in expected))
    for name, value in expected.items():
        found = numpy.load(f"{name}.npy")
        assert numpy.array_equal(found, value), f"{entry}: {name} is {found}, expected {value}"
    print(f"{entry}: as expected")
