# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of tensors whose sizes may be known by name alone."""
import math
import re
from typing import NamedTuple

import numpy

from . import elements

# A size is a number, or the text of an expression over symbols.


def floordiv(a, b):
    return a // b


def evaluate(size, symbols):
    """The number that a size is, for given values of the symbols."""
    if isinstance(size, int):
        return size
    functions = {"floordiv": floordiv, "min": min, "max": max}
    return eval(size, functions, symbols)  # pylint: disable=eval-used


def evaluate_all(sizes, symbols):
    return tuple(evaluate(size, symbols) for size in sizes)


def names_in(size):
    if isinstance(size, int):
        return set()
    return set(re.findall(r"[a-z]\w*", size)) - {"floordiv", "min", "max"}


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


BROADCAST = {}  # of the text of a size, the sizes that it is broadcast of


def order_of(size):
    """Symbols, products and sums, as the compiler has them."""
    return not size.isidentifier(), "+" in size, size


def broadcast_of(*sizes):
    """NumPy's rule; the same text whatever the order."""
    names = set()
    for size in sizes:
        names |= set(BROADCAST.get(size, (size,))) - {1}
    numbers = [name for name in names if isinstance(name, int)]
    if numbers or not names:
        return numbers[0] if numbers else 1
    names = sorted(names, key=order_of)
    if len(names) == 1:
        return names[0]
    most, least = names[0], f"min({names[0]}, 1)"
    for name in names[1:]:
        most, least = f"max({most}, {name})", f"min({least}, {name})"
    text = f"{most} * {least}"
    BROADCAST[text] = tuple(names)
    return text


def fit_together(shapes):
    """Whether NumPy broadcasts them."""
    try:
        numpy.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


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
