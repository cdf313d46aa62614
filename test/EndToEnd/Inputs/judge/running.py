# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles functions and calls them."""
import os
import subprocess

import numpy


LONGEST = 300


class Failure(Exception):
    """Something that a compiled module does and its description does not say."""


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
    """Makes NAME.o of one module with all functions."""
    with open(name + ".mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(function.write() for function in functions))
    run("heddlec", name + ".mlir", *options, "-o", name + ".o")


def compile_or_report(functions, name, *options):
    """The functions that can be compiled, together where that is all of them."""
    try:
        compile_functions(functions, name, *options)
        return {function.name: name + ".o" for function in functions}
    except Failure as failure:
        if len(functions) == 1:
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
    for index, array in enumerate(inputs):
        numpy.save(f"a{index}.npy", array)
        command.append(f"--input=a{index}=a{index}.npy")
    outputs = [f"result{index}" for index in range(len(function.results))]
    command += [f"--output={name}={name}.npy" for name in outputs]
    run(*command)
    arrays = [numpy.load(name + ".npy") for name in outputs]
    for name in outputs:
        os.remove(name + ".npy")
    return arrays


def make_inputs(function, seed, symbols):
    return [
        argument.array(numpy.random.default_rng([*seed, index]), symbols)
        for index, argument in enumerate(function.arguments)
    ]
