# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What C can hold of what Python has: ctypes cuts numbers and texts in silence."""

from __future__ import annotations

import os


def integer(name: str, value: int, bits: int = 64, signed: bool = True) -> int:
    """`value`, if an integer of C has room for it."""
    low, high = (-2**(bits - 1), 2**(bits - 1)) if signed else (0, 2**bits)
    if not low <= int(value) < high:
        raise ValueError(f"{name} is {value}, expected {low} to {high - 1}")
    return int(value)


def text(name: str, value: str) -> bytes:
    """A text that ends with a zero in C: it may have none."""
    return _without_zero(name, value.encode())


def path(name: str, value: str | os.PathLike[str]) -> bytes:
    """The same of a path."""
    return _without_zero(name, os.fsencode(value))


def _without_zero(name: str, data: bytes) -> bytes:
    if b"\0" in data:
        raise ValueError(f"{name} has a zero character, at {data.index(0)}")
    return data


class Owner:
    """What owns memory of C, which is freed once."""

    def __reduce_ex__(self, protocol):
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled")
