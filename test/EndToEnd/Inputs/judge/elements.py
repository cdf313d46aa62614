# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of elements: their numbers, and how NumPy keeps these.

The judge computes with doubles, integers of 64 bits and truths, whatever an element's type,
but for f64, whose numbers are of more bits: here is what that type makes of such numbers.
"""
import numpy

# The significant bits, and the smallest and the largest exponent of a normal number.
FLOATS = {
    "f32": (24, -126, 127), "f64": (53, -1022, 1023), "bf16": (8, -126, 127),
    "f16": (11, -14, 15), "f8E4M3FN": (4, -6, 8), "f8E5M2": (3, -14, 15),
}  # fmt: skip
# Those that results of f32 are rounded to once more.
NARROW = ("bf16", "f16", "f8E4M3FN", "f8E5M2")
STORED = ("f8E4M3FN", "f8E5M2")  # and not computed with
LARGEST_E4M3 = 448  # which has no infinity, but NaN
INTEGERS = {
    "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64,
    "ui4": 4, "ui8": 8, "ui16": 16, "ui32": 32, "ui64": 64,
}  # fmt: skip
UNSIGNED = ("ui4", "ui8", "ui16", "ui32", "ui64")
WEIGHTS_ALONE = ("i4", "ui4")
ALL = (*FLOATS, *(integer for integer in INTEGERS if integer not in WEIGHTS_ALONE), "i1")
# What arith and math compute with.
ARITHMETIC = tuple(element for element in ALL if element not in UNSIGNED + STORED)
NOT_FINITE = (numpy.nan, numpy.inf, -numpy.inf)
FILES = {
    "f32": numpy.float32, "f64": numpy.float64, "f16": numpy.float16, "i8": numpy.int8,
    "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64, "ui8": numpy.uint8,
    "ui16": numpy.uint16, "ui32": numpy.uint32, "ui64": numpy.uint64, "i1": numpy.bool_,
}  # fmt: skip


def kind_of(element):
    """What the judge computes with."""
    if element in FLOATS:
        return numpy.longdouble if element == "f64" else numpy.float64
    if element == "ui64":
        return numpy.uint64
    return numpy.int64 if element in INTEGERS else numpy.bool_


def range_of(element):
    """The smallest and the largest integer."""
    if element in UNSIGNED:
        return 0, 2 ** INTEGERS[element] - 1
    most = 2 ** (INTEGERS[element] - 1) - 1
    return -most - 1, most


def nearest(value, element):
    """Doubles as floats of a type, of two the even one; past the largest, infinity."""
    bits, lowest, highest = FLOATS[element]
    with numpy.errstate(all="ignore"):
        exponent = numpy.maximum(numpy.frexp(value)[1] - 1, lowest)
        one = numpy.asarray(value).dtype.type(1)
        place = numpy.ldexp(one, exponent - (bits - 1))
        rounded = numpy.rint(value / place) * place
        infinite = numpy.abs(rounded) >= numpy.ldexp(numpy.longdouble(1), highest + 1)
        if element == "f8E4M3FN":
            value = numpy.where(numpy.isinf(value), numpy.nan, value)
            infinite = numpy.abs(rounded) > LARGEST_E4M3
    largest = numpy.nan if element == "f8E4M3FN" else numpy.inf
    rounded = numpy.where(infinite, numpy.copysign(largest, value), rounded)
    return numpy.where(numpy.isfinite(value), rounded, value)


def wrap(value, element):
    """The lower bits of integers."""
    width = INTEGERS[element]
    if width == 64:
        return value.astype(kind_of(element))
    if element in UNSIGNED:
        return value % 2**width
    return (value + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def stored(array, element):
    """Any numbers, as the judge computes with what memory keeps of them."""
    array = numpy.asarray(array)
    if element in FLOATS:
        # Of integers and doubles none is rounded twice.
        return nearest(array.astype(numpy.longdouble), element).astype(kind_of(element))
    array = array.astype(kind_of(element))
    return wrap(array, element) if element in INTEGERS else array


def bytes_of(element):
    """The numbers that bytes stand for."""
    bits, lowest, highest = FLOATS[element]
    byte = numpy.arange(256)
    exponent, fraction = byte % 128 >> (bits - 1), byte % 2 ** (bits - 1)
    normal = numpy.ldexp(1 + fraction / 2 ** (bits - 1), exponent - 1 + lowest)
    subnormal = numpy.ldexp(fraction / 2 ** (bits - 1), lowest)
    value = numpy.where(exponent > 0, normal, subnormal)
    if element == "f8E4M3FN":
        value = numpy.where(byte % 128 == 127, numpy.nan, value)
    else:
        special = numpy.where(fraction == 0, numpy.inf, numpy.nan)
        value = numpy.where(value >= 2.0 ** (highest + 1), special, value)
    return numpy.where(byte < 128, value, -value)


def to_bytes(array, element):
    """The bytes of numbers that the type has."""
    numbers = bytes_of(element)[:128]
    finite = numpy.isfinite(numbers)
    byte = numpy.searchsorted(numbers[finite], numpy.abs(array))
    infinity = 0x7C if element == "f8E5M2" else 0x7F
    byte = numpy.where(numpy.isinf(array), infinity, byte)
    byte = numpy.where(numpy.isnan(array), 0x7F, byte)
    return (byte | numpy.where(numpy.signbit(array), 128, 0)).astype(numpy.uint8)


def to_file(array, element):
    """In C order. NumPy has no bf16, and no floats of eight bits: they are bits."""
    array = numpy.require(array, requirements="C")
    if element == "bf16":
        return (array.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    if element in STORED:
        return to_bytes(array, element)
    return array.astype(FILES[element])


def from_file(array, element):
    if element == "bf16":
        bits = array.view(numpy.uint16).astype(numpy.uint32) << numpy.uint32(16)
        return bits.view(numpy.float32).astype(numpy.float64)
    if element in STORED:
        return bytes_of(element)[array.view(numpy.uint8)]
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
