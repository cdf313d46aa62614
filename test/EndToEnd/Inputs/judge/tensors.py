# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of tensors whose sizes may be known by name alone."""
import math
import re
from typing import NamedTuple

from . import elements

# A size is a number, or the text of an expression over symbols.


def floordiv(a, b):
    return a // b


def evaluate(size, symbols):
    """The number that a size is, for given values of the symbols."""
    if isinstance(size, int):
        return size
    return eval(size, {"floordiv": floordiv, "min": min}, symbols)  # pylint: disable=eval-used


def evaluate_all(sizes, symbols):
    return tuple(evaluate(size, symbols) for size in sizes)


def names_in(size):
    if isinstance(size, int):
        return set()
    return set(re.findall(r"[a-z]\w*", size)) - {"floordiv", "min"}


def text_of(size):
    return str(size) if isinstance(size, int) else f'"{size}"'


def list_of(sizes):
    return "[" + ", ".join(map(text_of, sizes)) + "]"


def sum_of(*sizes):
    """The numbers are added up, so that equal sums read alike more often."""
    number = sum(size for size in sizes if isinstance(size, int))
    names = [size for size in sizes if not isinstance(size, int)]
    if not names:
        return number
    return " + ".join(names + [str(number)] * (number != 0))


def product_of(*sizes):
    number = math.prod(size for size in sizes if isinstance(size, int))
    names = [f"({size})" if " " in size else size for size in sizes if not isinstance(size, int)]
    if not names:
        return number
    return " * ".join(names + [str(number)] * (number != 1))


class Type(NamedTuple):
    sizes: tuple
    element: str = "f32"

    def __str__(self):
        parts = [str(s) if isinstance(s, int) else "?" for s in self.sizes]
        return f"tensor<{'x'.join(parts + [self.element])}>"

    @property
    def rank(self):
        return len(self.sizes)

    @property
    def is_static(self):
        return all(isinstance(size, int) for size in self.sizes)

    @property
    def is_float(self):
        return self.element in elements.FLOATS

    def of(self, element):
        return Type(self.sizes, element)

    def but(self, axis, *sizes):
        """With other sizes in the place of one, or of none."""
        return Type(self.sizes[:axis] + sizes + self.sizes[axis + 1 :], self.element)

    def shape(self, symbols):
        return evaluate_all(self.sizes, symbols)
