# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each tensor op in many shapes and compares it with its formula.

    tensor_ops.py [--seed=N] [--cases=N] OP...    (N cases of each)
    tensor_ops.py [--seed=N] [--cases=N] --element=TYPE    (a few of every op on one type)

The shapes of an op's cases are always the same, as are those of two calls of each; which N cases
are tried and what arguments hold is random, and follows from the seed that is printed. heddlec
--verify looks at the same modules.
"""
import argparse
import random
import sys
import time

from judge import elements, elementwise_ops, indexing_ops, product_ops, reduction_ops
from judge import quantization_ops, shape_ops, special
from judge.builder import SIZES, Builder, Rejected, draw_symbols
from judge.comparing import compare, would_notice
from judge.program import Function
from judge.running import Failure, call, compile_or_report, make_inputs
from judge.tensors import Type

RANKS = (1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 2, 3, 4, 5, 2)
CASES = len(RANKS)
CASES_OF_ELEMENT = 3
# Attempts to make a case of a shape: all are refused where an op has no case for a type.
ATTEMPTS = 1000
# Inputs that say nothing are drawn again. Three in ten have nothing special in them
# (special.py), so that one in 2^30 stays.
DRAWS = 60


def truth(b, x):
    """heddle.cast to i1 and from it."""
    element = b.random.choice(elements.ALL)
    return b.emit(indexing_ops.Cast(element), *b.emit(indexing_ops.Cast("i1"), x))


def any_or_all(b, x):
    b.require(x.type.rank > 0)
    axes = sorted(b.random.sample(range(x.type.rank), b.random.randint(1, x.type.rank)))
    kind = b.random.choice(("any", "all"))
    condition = b.emit(indexing_ops.Cast("i1"), x)[0]
    reduced = b.emit(reduction_ops.Reduce(kind, axes, True), condition)[0]
    return b.emit(indexing_ops.Where(), reduced, x, b.operand(x.type))


PROPOSALS = {
    **shape_ops.PROPOSALS, **indexing_ops.PROPOSALS, **reduction_ops.PROPOSALS,
    **product_ops.PROPOSALS, **quantization_ops.PROPOSALS, **elementwise_ops.PROPOSALS, "truth": truth,
    "any_or_all": any_or_all,
}  # fmt: skip
FILLS = {
    "cast": special.RoundedFills(), "truth": special.RoundedFills(),
    "any_or_all": special.TiedFills(), "arg_reduce": special.TiedFills(),
    "top_k": special.TiedFills(), "softmax": special.ExponentFills(),
    "log_softmax": special.ExponentFills(), "cumulative_sum": special.SummedFills(),
    "matmul": special.ZeroFills(), "unary": special.EdgeFills(),
    "binary": special.EdgeFills(), "fma": special.EdgeFills(), "pair": special.EdgeFills(),
    "compare": special.TiedFills(),
}  # fmt: skip
REDUCTIONS = {"product": special.FactorFills(), "log_sum_exp": special.ExponentFills()}


class LaterFills(special.MovedFills):
    """Fills by what the op turns out to be."""

    def __init__(self, name):
        self.chosen = FILLS.get(name, special.MovedFills())

    def any(self, element):
        return lambda *args: self.chosen.any(element)(*args)

    def settle(self, op):
        if isinstance(op, reduction_ops.Reduce) and op.kind not in ("any", "all"):
            self.chosen = REDUCTIONS.get(op.kind, special.SummedFills())
        if isinstance(op, indexing_ops.Scatter) and op.kind == "add":
            self.chosen = special.SummedFills()


# Ops that types without arithmetic are not for, and floats of eight bits.
ELEMENTWISE = ("unary", "binary", "broadcast_binary", "fma", "pair", "compare")
COMPUTING = ("reduce", "arg_reduce", "cumulative_sum", "softmax", "log_softmax", "top_k", "matmul")


def has_cases(name, element):
    """Whether an op has a meaning for a type of its first operand."""
    if name in ELEMENTWISE and element not in elements.ARITHMETIC:
        return False
    if element in elements.STORED and name in COMPUTING:
        return False
    if name in ("softmax", "log_softmax", "fma"):
        return element in elements.FLOATS
    return element != "i1" or name not in ("cumulative_sum", "unary", "pair")


def other_sizes(function, symbols, rng):
    """Those of a second call, which are the same where it accepts few."""
    for _ in range(200):
        other = {symbol: rng.choice((1, *SIZES[:8])) for symbol in symbols}
        if other != symbols and function.block.accepts(other):
            return other
    return symbols


def make_case(name, number, rng, elements_of):
    """A function of one op, and the sizes of two calls of it."""
    for attempt in range(number, number + ATTEMPTS):
        function = Function(f"{name}_{number}")
        symbols = draw_symbols(rng, "nmk"[: rng.choice((0, 2, 3))], SIZES)
        fills = LaterFills(name)
        builder = Builder(function, rng, symbols, [0], fills)
        builder.reuse = 0
        element = rng.choice(elements_of)
        try:
            x = builder.argument(Type(builder.shape(RANKS[attempt % len(RANKS)], 2048), element))
            if name == "reduce":
                kinds = reduction_ops.kinds_of(x.type)
                kind = kinds[number % len(kinds)]
                results = reduction_ops.reduce(builder, x, kind)
            else:
                results = PROPOSALS[name](builder, x)
            fills.settle(function.block.nodes[-1].op)
            function.results = results
            calls = symbols, other_sizes(function, symbols, rng)
            # Constants may be infinite, and leave nothing else whatever the inputs.
            for sizes in calls:
                telling_inputs(function, [number], sizes)
        except (Rejected, Failure):
            continue  # with another rank, as this one may have no case
        return function, calls
    raise AssertionError(f"no case of {name} was made for {', '.join(elements_of)}")


def make_cases(name, seed, count, element=None):
    """Some of those of an op on all types, or a few on one."""
    elements_of = (element,) if element else Builder.ELEMENTS
    numbers = random.Random(seed).sample(range(CASES), count)
    return [
        make_case(name, number, random.Random(f"{name} {element} {number}"), elements_of)
        for number in sorted(numbers)
    ]


def check(name, seed, count, element=None):
    cases = make_cases(name, seed, count, element)
    artifacts = compile_or_report([function for function, _ in cases], name, "--verify")
    failures = len(cases) - len(artifacts)
    for function, calls in cases:
        artifact = artifacts.get(function.name)
        for number, symbols in enumerate(calls if artifact else ()):
            try:
                inputs, expected = telling_inputs(function, [seed, number], symbols)
                compare(function, call(function, artifact, inputs, symbols), expected)
            except Failure as failure:
                failures += 1
                print(f"{failure} (with {symbols})")
    print(f"{name}: {len(cases)} cases, {failures} failed")
    return failures


def telling_inputs(function, seed, symbols):
    """Inputs of which at least one result is a number, and what they must give.

    An element that is not finite can leave nothing else in a small result.
    """
    for draw in range(DRAWS):
        inputs = make_inputs(function, [*seed, draw], symbols)
        expected = function.run(inputs, symbols)
        if any(map(would_notice, expected)):
            return inputs, expected
    raise Failure(f"{function.name}: no result of {DRAWS} inputs says anything")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**31)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--element", choices=elements.ALL)
    parser.add_argument("ops", nargs="*", choices=[[], *PROPOSALS], metavar="OP")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    failures = 0
    element = options.element
    count = options.cases or (CASES_OF_ELEMENT if element else CASES)
    for name in options.ops or [name for name in PROPOSALS if has_cases(name, element)]:
        failures += check(name, options.seed, count, element)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
