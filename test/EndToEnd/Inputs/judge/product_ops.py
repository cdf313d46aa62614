# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of ProductOps.td."""
from . import elements
from .bounded import each, matrix_product
from .program import Op, write_op
from .shape_ops import common_sizes, partners
from .tensors import Type, evaluate_all, fit_together


class Matmul(Op):
    def __init__(self, transpose_a, transpose_b):
        self.transpose_a, self.transpose_b = transpose_a, transpose_b

    def results(self, a, b):
        batch = common_sizes(a.sizes[:-2], b.sizes[:-2])
        rows = a.sizes[-1 if self.transpose_a else -2]
        columns = b.sizes[-2 if self.transpose_b else -1]
        return [Type((*batch, rows, columns), a.element)]

    def text(self, names, types, results):
        flags = " transpose_a" * self.transpose_a + " transpose_b" * self.transpose_b
        return write_op(names, types, results, flags, "heddle.matmul")

    def accepts(self, types, symbols):
        return fit_together([type_.shape(symbols)[:-2] for type_ in types])

    def compute(self, symbols, a, b):
        turn = lambda v: each(lambda array: array.swapaxes(-1, -2), v)  # noqa: E731
        return matrix_product(turn(a) if self.transpose_a else a, turn(b) if self.transpose_b else b)


# ---- One of each, on a given value


def matmul(b, x):
    """The other operand has fewer dimensions, sizes of 1, or those of x."""
    b.require(x.type.element not in elements.STORED)
    if x.type.rank < 2:
        x = b.at_least_rank(x, 2)
    rank, sizes = x.type.rank, x.type.sizes
    flags = b.random.random() < 0.4, b.random.random() < 0.4
    is_first = b.random.random() < 0.6
    depth = sizes[-1 if is_first != flags[0 if is_first else 1] else -2]
    if b.random.random() < 0.3:
        batch = partners(b, sizes[:-2])
    else:
        batch = [1 if b.random.random() < 0.2 else size for size in sizes[:-2]]
    b.require(fit_together([evaluate_all(part, b.symbols) for part in (batch, sizes[:-2])]))
    batch = batch[b.random.choice((0, 0, rank)) :]
    other = [b.size(), depth] if is_first == flags[1 if is_first else 0] else [depth, b.size()]
    y = b.operand(Type((*batch, *other), x.type.element))
    return b.emit(Matmul(*flags), *((x, y) if is_first else (y, x)))


PROPOSALS = {"matmul": matmul}
