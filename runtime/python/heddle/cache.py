# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model keeps of the sequences so far, and memory of the host for it."""

from __future__ import annotations

import types
from collections.abc import Mapping

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


def describe_cache(argument) -> tuple:
    return (argument.extent[2], tuple(argument.part_bytes[:argument.parts]))


class Cache:
    """What a model keeps of the sequences so far. `sizes` are those it was made for. It lies on
    the device where one runs the model."""

    def __init__(self, description: tuple, sizes: Mapping[str, int], size: int,
                 device: Device | None = None, data: np.ndarray | None = None):
        self._description = description
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
        return Cache(self._description, self._sizes, self._memory.size, self._device, self.memory)

    def __copy__(self) -> Cache:
        return self.copy()

    def __deepcopy__(self, memo) -> Cache:
        return self.copy()

    def __getstate__(self):
        if self._device:
            raise TypeError("a cache on a device cannot be pickled; `memory` has its bytes")
        return self._description, self._sizes, self._memory.tobytes()

    def __setstate__(self, state) -> None:
        self._description, self._sizes, data = state
        self._memory = aligned(len(data))
        self._memory[:] = np.frombuffer(data, np.uint8)

    def __repr__(self) -> str:
        return f"Cache({', '.join(f'{k}={v}' for k, v in self._sizes.items())})"
