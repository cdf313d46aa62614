# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random layers that formulas of layers/ know, and compares calls of them with NumPy.

    random_functions.py FIRST_SEED COUNT

What a seed makes is the next of KINDS, with random options and sizes. heddlec --verify looks at
it, too. Files of seeds that fail stay, to repeat it.
"""
import glob
import os
import random
import sys

import numpy

from judge.running import Failure, is_refused_size, run
from layers import channels, dropout, experts, generics, merging, positions
from layers import recurrences, rotary
from layers.calls import errors
from layers.function import Argument

TARGETS = ("native", "x86-64-v3")
ACTIVATIONS = ("f32", "f32", "f32", "bf16", "f16")
KINDS = {
    **channels.DRAWN, **dropout.DRAWN, **experts.DRAWN, **generics.DRAWN, **merging.DRAWN,
    **positions.DRAWN, **recurrences.DRAWN, **rotary.DRAWN,
}  # fmt: skip


OF_F32 = ("generic", "merge_attention")  # as their text says


def make(seed):
    kind = list(KINDS)[seed % len(KINDS)]
    if kind not in OF_F32:
        Argument.activations = random.Random(f"activations {seed}").choice(ACTIVATIONS)
    function = KINDS[kind](f"{kind}_{seed}", random.Random(f"functions {seed}"))
    Argument.activations = "f32"
    return function


def check_call(function, artifact, sizes, rng):
    for name, error in errors(function, artifact, sizes, rng):
        if not error <= function.tolerance:
            raise Failure(f"{function.name} with {sizes}: {name} is off by {error}")


def check_empty(function, artifact, sizes, rng):
    """A call that is refused is one of which the formula makes nothing, either."""
    try:
        check_call(function, artifact, sizes, rng)
    except Failure as failure:
        if not is_refused_size(failure):
            raise
        try:
            function.compute(function.make_inputs(rng, sizes))
        except (IndexError, ValueError):
            return
        raise


def check(seed):
    function = make(seed)
    with open(function.name + ".mlir", "w", encoding="utf-8") as file:
        file.write(function.text())
    artifact, target = f"./{function.name}.so", TARGETS[seed // len(KINDS) % 2]
    run("heddlec", function.name + ".mlir", f"--target-cpu={target}", "--quiet",
        "--verify", "--emit=shared", "-o", artifact)  # fmt: skip
    rng = numpy.random.default_rng(seed)
    for sizes in function.calls:
        check_call(function, artifact, sizes, rng)
    for symbol in function.own_sizes(function.calls[0]):
        if f'#heddle.symbol<"{symbol}", ' not in function.text():  # It says itself what is least.
            check_empty(function, artifact, {**function.calls[0], symbol: 0}, rng)
    for file in glob.glob(function.name + ".*"):
        os.remove(file)


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    failed = 0
    for seed in range(first, first + count):
        try:
            check(seed)
        except Failure as failure:
            failed += 1
            print(failure, flush=True)
    print(f"{count} random functions, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
