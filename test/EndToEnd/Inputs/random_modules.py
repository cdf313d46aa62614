# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random graphs of tensor ops and compares whole calls with NumPy.

    random_modules.py FIRST_SEED COUNT [HEDDLEC_OPTION...]
    random_modules.py FIRST_SEED COUNT --count    (what the modules are made of)

A seed makes a module of one to three functions (judge/graphs.py), with loops, branches and
calls, each of which is called with the sizes that it was made with and with others. Each
result's comparison is itself tried: were its largest element wrong by a
thousandth, it would fail.

Files of seeds that fail stay, to repeat it.
"""
import glob
import os
import random
import sys

from judge.builder import SIZES
from judge.comparing import compare, would_notice
from judge.control_flow import Uncertain
from judge.counting import print_table
from judge.graphs import kinds_of, make_function
from judge.running import Failure, call, compile_or_report, is_refused_broadcast
from judge.running import is_refused_size, make_inputs
from judge.tensors import evaluate_all

MOST_FUNCTIONS = 3
EMPTY = []  # functions of which a call with sizes of 0 was compared
REFUSED = []  # functions that refused sizes which cannot be broadcast together
TARGETS = ("native", "x86-64-v3")
LARGEST = 1 << 16


def most_elements(function, symbols):
    """Of the arguments and results of a function's ops."""
    most = 1
    types = [argument.value.type for argument in function.arguments]
    types += [value.type for node in function.block.nodes for value in node.results]
    for type_ in types:
        count = 1
        for size in evaluate_all(type_.sizes, symbols):
            count *= size
        most = max(most, count)
    return most


def other_sizes(function, symbols, rng, accepted):
    """Sizes of a second call, which the function accepts or not; none where it has no others."""
    for _ in range(50 if symbols else 0):
        other = {symbol: rng.choice((1, *SIZES)) for symbol in symbols}
        if (
            other != symbols
            and function.block.accepts(other) == accepted
            and most_elements(function, other) <= LARGEST
        ):
            return other
    return None


def check_refused(function, symbols, seed, artifact):
    """A call with sizes that cannot be broadcast together, if there are such."""
    other = other_sizes(function, symbols, random.Random(f"refused {function.name}"), False)
    if not other:
        return
    try:
        call(function, artifact, make_inputs(function, [*seed, 3], other), other)
    except Failure as failure:
        if is_refused_broadcast(failure):
            REFUSED.append(function.name)
            return
        raise
    raise Failure(f"{function.name}: a call with {other} is not refused")


def is_known(function, inputs, symbols):
    """Whether NumPy makes something of a call, which has no loop: one may not end, or take parts
    of a tensor that has none."""
    if "scf." in function.write():
        return False
    try:
        function.run(inputs, symbols)
        return True
    except (Uncertain, AssertionError, IndexError, ValueError):
        return False


def check_empty(function, symbols, seed, artifact):
    """A call with one size, or all of them, of 0, unless an op cannot have it."""
    rng = random.Random(f"empty {function.name}")
    if not symbols:
        return
    zeros = rng.choice([list(symbols), [rng.choice(sorted(symbols))]])
    other = {**symbols, **dict.fromkeys(zeros, 0)}
    if not function.block.accepts(other):
        other = dict.fromkeys(symbols, 0)
    if not function.block.accepts(other):
        return
    inputs = make_inputs(function, [*seed, 2], other)
    try:
        found = call(function, artifact, inputs, other)
    except Failure as failure:
        if is_refused_size(failure) and not is_known(function, inputs, other):
            return
        raise
    try:
        expected = function.run(inputs, other)
    except (Uncertain, IndexError):  # An op reads an element of none, of which nothing is made.
        return
    compare(function, found, expected)
    EMPTY.append(function.name)


def check_calls(function, symbols, seed, artifact):
    inputs = make_inputs(function, seed, symbols)
    expected = function.run(inputs, symbols)
    if not all(map(would_notice, expected)):
        raise Failure(f"{function.name}: a result may be anything")
    compare(function, call(function, artifact, inputs, symbols), expected)
    check_empty(function, symbols, seed, artifact)
    check_refused(function, symbols, seed, artifact)
    other = other_sizes(function, symbols, random.Random(function.name), True)
    if not other:
        return
    inputs = make_inputs(function, [*seed, 1], other)
    try:
        expected = function.run(inputs, other)
    except Uncertain:
        return
    compare(function, call(function, artifact, inputs, other), expected)


def make(seed):
    """The functions of a module; the first is the same however many there are."""
    count = random.Random(f"module {seed}").randint(1, MOST_FUNCTIONS)
    names = [f"f{seed}"] + [f"f{seed}_{other}" for other in range(1, count)]
    wanted = [kinds_of(seed)] + [()] * (count - 1)
    return [
        make_function(name, random.Random(f"graph {name[1:]}"), kinds)
        for name, kinds in zip(names, wanted)
    ]


def check_module(seed, options):
    made = make(seed)
    name = f"m{seed}"
    artifacts = compile_or_report([function for function, _, _ in made], name, *options)
    failed = 0
    for function, symbols, seed in made:
        try:
            if function.name not in artifacts:
                raise Failure(f"{function.name} cannot be compiled")
            if artifact := artifacts[function.name]:
                check_calls(function, symbols, seed, artifact)
        except Failure as failure:
            failed += 1
            print(failure, flush=True)
    if not failed:
        for file in glob.glob(name + ".*"):
            os.remove(file)
    return failed > 0


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    if sys.argv[3:] == ["--count"]:
        made = [make(seed) for seed in range(first, first + count)]
        print_table(function for functions in made for function, _, _ in functions)
        return 0
    failed = 0
    for seed in range(first, first + count):
        target = f"--target-cpu={TARGETS[seed % len(TARGETS)]}"
        failed += check_module(seed, [target, *sys.argv[3:]])
    print(
        f"{count} random modules, {failed} failed; {len(EMPTY)} calls with sizes of 0, "
        f"{len(REFUSED)} refused as sizes cannot be broadcast together"
    )
    # Nearly every module has sizes, and few ops refuse 0.
    return 1 if failed or (count >= 8 and not EMPTY) else 0


if __name__ == "__main__":
    sys.exit(main())
