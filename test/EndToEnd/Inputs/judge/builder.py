# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are made op by op, with the values of one call at hand."""
import numpy

from . import elementwise_ops
from .bounded import Bounded
from .fills import PlainFills
from .program import Argument, Node, Value
from .shape_ops import Broadcast, Expand
from .tensors import Type, evaluate, names_in

# 1, primes, and what lies around a vector and a panel of AVX-512.
SIZES = (1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 63, 64, 65)


def draw_symbols(rng, names, choices):
    """Sizes by name, of which some are equal or 1, so that they can be broadcast together."""
    sizes = {}
    for name in names:
        alike = (1, *sizes.values())
        sizes[name] = rng.choice(alike if rng.random() < 0.3 else choices)
    return sizes


class Rejected(Exception):
    """An op that cannot be here, or whose result no comparison would say anything about."""


class Builder:
    """Adds ops to a block of a function.

    `values` has what ops may use, `known` what each is for `symbols`, with arguments filled
    from `seed`: the first of the calls that the function is judged by.
    """

    MOST = 4096
    # What an element's type is chosen of.
    ELEMENTS = ("f32",) * 12 + ("i32",) * 4 + ("bf16",) * 4 + ("f16", "f64", "i8", "i64", "i1") * 2 + (
        "i16", "ui8", "ui16", "ui32", "ui64", "f8E4M3FN", "f8E5M2",
    )  # fmt: skip

    def __init__(self, function, rng, symbols, seed, fills=PlainFills()):
        self.function, self.random, self.symbols, self.fills = function, rng, symbols, fills
        self.block = function.block
        self.values, self.known, self.weights = [], {}, []
        self.root, self.numbers = self, [0]
        self.seed = seed
        self.reuse = 0.6

    # ---- Values

    def fresh(self, type_):
        self.numbers[0] += 1
        return Value(self.numbers[0], type_)

    def argument(self, type_, fill=None):
        """A new argument."""
        root = self.root
        self.require(self.count(type_) <= self.MOST and type_.rank <= 6)
        argument = Argument(self.fresh(type_), fill or self.fills.any(type_.element))
        index = len(root.function.arguments)
        root.function.arguments.append(argument)
        array = argument.array(numpy.random.default_rng([*self.seed, index]), self.symbols)
        self.known[argument.value.number] = Bounded(array)
        root.values.append(argument.value)
        if root is not self:
            self.values.append(argument.value)
        return argument.value

    def operand(self, type_, fill=None):
        """A value of a type, new or used before."""
        same = [value for value in self.values if value.type == type_]
        if same and self.random.random() < self.reuse:
            return self.random.choice(same)
        return self.argument(type_, fill)

    def size(self):
        """A number, or a size that an argument has."""
        names = {n for a in self.root.function.arguments for s in a.value.type.sizes
                 for n in names_in(s)}  # fmt: skip
        if names and self.random.random() < 0.3:
            return self.random.choice(sorted(names))
        return self.random.choice(SIZES)

    def shape(self, rank, most=None):
        """Sizes, of which some are known by name alone."""
        while True:
            sizes = tuple(
                self.random.choice(sorted(self.symbols))
                if self.symbols and self.random.random() < 0.35
                else self.random.choice(SIZES)
                for _ in range(rank)
            )
            if self.count(Type(sizes)) <= (most or self.MOST):
                return sizes

    def count(self, type_):
        return numpy.prod([evaluate(size, self.symbols) for size in type_.sizes], dtype=int)

    def broadcast(self, x, sizes):
        if x.type.sizes == tuple(sizes):
            return x
        return self.emit(Broadcast(sizes), x)[0]

    def at_least_rank(self, x, rank):
        if x.type.rank >= rank:
            return x
        return self.emit(Expand(list(range(rank - x.type.rank))), x)[0]

    def condition(self, sizes):
        return elementwise_ops.condition(self, sizes)

    # ---- Ops

    def require(self, condition):
        if not condition:
            raise Rejected

    def emit(self, op, *operands):
        """Adds an op, unless its results are too large or say nothing."""
        results = [self.fresh(type_) for type_ in op.results(*(v.type for v in operands))]
        for result in results:
            self.require(self.count(result.type) <= self.MOST and result.type.rank <= 6)
        node = Node(op, list(operands), results)
        self.add(node, op.run(node, self.known, self.symbols))
        return results

    def add(self, node, computed):
        for value in computed:
            self.require(self.is_usable(value))
        self.block.nodes.append(node)
        for value, result in zip(node.results, computed):
            self.known[value.number] = result
            self.values.append(value)

    def is_usable(self, value):
        return True
