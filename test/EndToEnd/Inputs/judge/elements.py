# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of elements: their numbers, and how NumPy keeps these.

The judge computes with doubles, integers of 64 bits and truths, whatever an element's type:
here is what that type makes of such numbers.
"""
import numpy

# The significant bits, and the smallest and the largest exponent of a normal number.
FLOATS = {"f32": (24, -126, 127), "bf16": (8, -126, 127), "f16": (11, -14, 15)}
INTEGERS = {"i8": 8, "i32": 32, "i64": 64}
ALL = (*FLOATS, *INTEGERS, "i1")
NOT_FINITE = (numpy.nan, numpy.inf, -numpy.inf)
FILES = {
    "f32": numpy.float32, "f16": numpy.float16, "i8": numpy.int8, "i32": numpy.int32,
    "i64": numpy.int64, "i1": numpy.bool_,
}  # fmt: skip


def kind_of(element):
    """What the judge computes with."""
    if element in FLOATS:
        return numpy.float64
    return numpy.int64 if element in INTEGERS else numpy.bool_


def range_of(element):
    """The smallest and the largest integer."""
    most = 2 ** (INTEGERS[element] - 1) - 1
    return -most - 1, most


def nearest(value, element):
    """Doubles as floats of a type, of two the even one; past the largest, infinity."""
    bits, lowest, highest = FLOATS[element]
    with numpy.errstate(all="ignore"):
        exponent = numpy.maximum(numpy.frexp(value)[1] - 1, lowest)
        place = numpy.ldexp(1.0, exponent - (bits - 1))
        rounded = numpy.rint(value / place) * place
        infinite = numpy.abs(rounded) >= 2.0 ** (highest + 1)
    rounded = numpy.where(infinite, numpy.copysign(numpy.inf, value), rounded)
    return numpy.where(numpy.isfinite(value), rounded, value)


def wrap(value, element):
    """The lower bits of integers."""
    width = INTEGERS[element]
    if width == 64:
        return value
    return (value + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def stored(array, element):
    """Any numbers, as the judge computes with what memory keeps of them."""
    array = numpy.asarray(array).astype(kind_of(element))
    if element in FLOATS:
        return nearest(array, element)
    return wrap(array, element) if element in INTEGERS else array


def to_file(array, element):
    """In C order. NumPy has no bf16: it is bits."""
    array = numpy.require(array, requirements="C")
    if element == "bf16":
        return (array.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    return array.astype(FILES[element])


def from_file(array, element):
    if element == "bf16":
        bits = array.view(numpy.uint16).astype(numpy.uint32) << numpy.uint32(16)
        return bits.view(numpy.float32).astype(numpy.float64)
    assert array.dtype == FILES[element], (array.dtype, element)
    return array.astype(kind_of(element))


def literal(number, element):
    """A number with its type, as attributes write it."""
    if element == "i1":
        return "true" if number else "false"
    if element in FLOATS and not numpy.isfinite(number):
        # MLIR has no words for these.
        bits = to_file(numpy.array(number), element)
        return f"0x{bits.tobytes()[::-1].hex().upper()} : {element}"
    return f"{number!r} : {element}"


def dense(number, element):
    return f"dense<{literal(number, element).split()[0]}>"
