# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What C can hold of what Python has: ctypes cuts numbers and texts in silence."""

from __future__ import annotations

import operator
import os
from ctypes import c_void_p


def integer(name: str, value: int, bits: int = 64, signed: bool = True) -> int:
    """`value`, if it is an integer and one of C has room for it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None
    low, high = (-2**(bits - 1), 2**(bits - 1)) if signed else (0, 2**bits)
    if not low <= number < high:
        raise ValueError(f"{name} is {number}, expected {low} to {high - 1}")
    return number


def text(name: str, value: str) -> bytes:
    """A text that ends with a zero in C: it may have none."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, expected a text")
    return _without_zero(name, value.encode())


def printable(value: str) -> str:
    """Text of files on its way to a terminal, which would obey control characters."""
    return "".join(f"\\x{ord(c):02X}" if (c < " " and c not in "\n\t") or "\x7f" <= c < "\xa0"
                   else c for c in value)


def path(name: str, value: str | os.PathLike[str]) -> bytes:
    """The same of a path."""
    return _without_zero(name, os.fsencode(value))


def _without_zero(name: str, data: bytes) -> bytes:
    if b"\0" in data:
        raise ValueError(f"{name} has a zero character, at {data.index(0)}")
    return data


class Owner:
    """What owns memory of C, which is freed once.

    The garbage collector finalizes the members of a cycle in any order: who uses another owner's
    pointer asks for it by owned(), each time.
    """

    def __reduce_ex__(self, protocol):
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled")


def owned(name: str, pointer: c_void_p) -> c_void_p:
    """`pointer`, unless it has been freed."""
    if not pointer:
        raise ValueError(f"{name} has been freed")
    return pointer
