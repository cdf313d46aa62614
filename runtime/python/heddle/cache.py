# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model keeps of the sequences so far, and memory of the host for it."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from heddle import _abi
from heddle.device import Device, DeviceMemory
from heddle.values import integer


def aligned(size: int) -> np.ndarray:
    """Zeros that begin at a multiple of 64 bytes, as compiled code wants them."""
    # NumPy lets an empty slice begin where its array does.
    memory = np.zeros(max(size, 1) + _abi.ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % _abi.ALIGNMENT
    return memory[first:first + max(size, 1)]


class Layout(NamedTuple):
    """What a call has to find in a cache: the model that has filled it, where what of a position
    lies, and of how many there is room for."""

    fingerprint: int
    layout: int
    part_bytes: tuple[int, ...]
    extents: tuple[int, ...]

    @staticmethod
    def of(model, argument, extents: Sequence[int]) -> Layout:
        return Layout(model.fingerprint, argument.layout,
                      tuple(argument.part_bytes[:argument.parts]), tuple(extents))

    def difference(self, expected: Layout) -> str | None:
        """Why a call cannot take a cache of this layout, if it cannot."""
        if self.fingerprint != expected.fingerprint:
            return "the cache is that of another model"
        if (self.layout, self.part_bytes) != (expected.layout, expected.part_bytes):
            return "the cache is that of another argument, with other heads or types"
        if self.extents != expected.extents:
            return (f"the cache has the extents {list(self.extents)}, expected "
                    f"{list(expected.extents)} for these sizes")
        return None


class Cache:
    """What a model keeps of the sequences so far. `sizes` are those it was made for. It lies on
    the device where one runs the model."""

    def __init__(self, layout: Layout, texts: tuple[str, ...], sizes: Mapping[str, int], size: int,
                 device: Device | None = None, data: np.ndarray | None = None):
        self._layout = layout
        self._texts = texts  # of the extents that the sizes are for
        self._size = size
        self._sizes = {name: integer(f"size '{name}'", value) for name, value in sizes.items()}
        if data is None:
            data = np.zeros(size, np.uint8)
        if device:
            self._memory = DeviceMemory(device, size, data)
        else:
            self._memory = aligned(size)
            self._memory[:size] = data

    @property
    def sizes(self) -> Mapping[str, int]:
        return types.MappingProxyType(self._sizes)

    @property
    def memory(self) -> np.ndarray:
        """The bytes; a copy of them where they are on a device."""
        return self._memory.download() if self._device else self._memory

    @property
    def _device(self) -> Device | None:
        return self._memory.device if isinstance(self._memory, DeviceMemory) else None

    @property
    def _address(self) -> int:
        return self._memory.address.value if self._device else self._memory.ctypes.data

    def copy(self) -> Cache:
        """Another cache with the same contents, to go on from here in two ways."""
        return Cache(self._layout, self._texts, self._sizes, self._size, self._device,
                     self.memory[:self._size])

    def __copy__(self) -> Cache:
        return self.copy()

    def __deepcopy__(self, memo) -> Cache:
        return self.copy()

    def __getstate__(self):
        if self._device:
            raise TypeError("a cache on a device cannot be pickled; `memory` has its bytes")
        return (self._layout, self._texts, self._sizes, self._size,
                self._memory[:self._size].tobytes())

    def __setstate__(self, state) -> None:
        self._layout, self._texts, self._sizes, self._size, data = state
        if len(data) != self._size:
            raise ValueError(f"the cache has {len(data)} bytes, expected {self._size}")
        self._memory = aligned(self._size)
        self._memory[:self._size] = np.frombuffer(data, np.uint8)

    def __repr__(self) -> str:
        return f"Cache({', '.join(f'{k}={v}' for k, v in self._sizes.items())})"
