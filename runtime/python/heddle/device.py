# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices that run a model's kernels, and their memory."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from typing import NamedTuple

import numpy as np

from heddle import _abi
from heddle.errors import check
from heddle.values import Owner, integer, owned


class Place(NamedTuple):
    """Which device, what of the program's own it is used through (addresses, 0 for none), and
    whether it launches each kernel by itself."""

    index: int = 0
    stream: int = 0
    context: int = 0
    device_id: int = 0
    launches_alone: bool = False


class Device(Owner):
    """A device of the kind that a model was compiled for, with a stream and the weights."""

    def __init__(self, library: ctypes.CDLL, model, weights: c_void_p, place: Place):
        self._library = library
        self._memory: set[int] = set()  # what is allocated there
        self.handle, self.stream, self.weights = c_void_p(), c_void_p(), c_void_p()
        error, pointer = POINTER(_abi.Error), POINTER(c_void_p)
        copies = (c_int, c_void_p, c_void_p, c_void_p, c_size_t, error)
        _abi.declare(library, {
            "heddle_device_open": (c_int, POINTER(_abi.DeviceOptions), c_void_p, pointer, error),
            "heddle_device_close": (None, c_void_p),
            "heddle_device_name": (c_char_p, c_void_p),
            "heddle_device_allocate": (c_int, c_void_p, c_size_t, pointer, error),
            "heddle_device_release": (None, c_void_p, c_void_p),
            "heddle_stream_create": (c_int, c_void_p, c_void_p, c_void_p, pointer, error),
            "heddle_stream_destroy": (None, c_void_p),
            "heddle_stream_wait": (c_int, c_void_p, error),
            "heddle_stream_upload": copies,
            "heddle_stream_download": copies,
            "heddle_stream_copy": copies,
            "heddle_weights_upload": (c_int, c_void_p, c_void_p, c_void_p, pointer, error),
        })
        options = (os.environ.get("HEDDLE_OPENCL_OPTIONS")
                   if model.device_kind == _abi.OPENCL else None)
        check(library.heddle_device_open,
              byref(_abi.DeviceOptions(model.device_kind, integer("device", place.index, 32),
                                       _address("context", place.context),
                                       _address("device_id", place.device_id),
                                       options.encode() if options else None,
                                       place.launches_alone)),
              None, byref(self.handle))
        check(library.heddle_stream_create, self.handle, _address("stream", place.stream), None,
              byref(self.stream))
        check(library.heddle_weights_upload, weights, self.stream, None, byref(self.weights))

    def __del__(self) -> None:
        # Of objects in a cycle it may go before its memory's owners do.
        if memory := getattr(self, "_memory", None):
            self._library.heddle_stream_wait(self.stream, None)
            for address in memory:
                self._library.heddle_device_release(self.handle, address)
            memory.clear()
        for name, free in (("weights", "heddle_weights_close"),
                           ("stream", "heddle_stream_destroy"), ("handle", "heddle_device_close")):
            if pointer := getattr(self, name, None):
                getattr(self._library, free)(pointer)
                setattr(self, name, None)

    @property
    def name(self) -> str:
        return self._library.heddle_device_name(owned("the device", self.handle)).decode()

    def allocate(self, size: int) -> c_void_p:
        address = c_void_p()
        check(self._library.heddle_device_allocate, owned("the device", self.handle), size,
              byref(address))
        self._memory.add(address.value)
        return address

    def release(self, address: c_void_p) -> None:
        if address and address.value in self._memory:
            self._memory.remove(address.value)
            self._library.heddle_device_release(self.handle, address)

    def move(self, how: str, to, source, size: int) -> None:
        """`how`: upload, download or copy; it is done when this returns."""
        stream = owned("the device", self.stream)
        check(getattr(self._library, f"heddle_stream_{how}"), stream, to, source, size)
        self.wait()

    def wait(self) -> None:
        """Until all that was begun is done."""
        check(self._library.heddle_stream_wait, owned("the device", self.stream))


def _address(name: str, value: int) -> int | None:
    return integer(name, value, signed=False) or None


class DeviceMemory(Owner):
    """Bytes on a device, which may be any where `data` does not say what they are."""

    def __init__(self, device: Device, size: int, data: np.ndarray | None = None):
        self.device, self.size, self.address = device, size, c_void_p()
        self.address = device.allocate(size)
        if data is not None:
            device.move("upload", self.address, np.ascontiguousarray(data).ctypes.data, size)

    def __del__(self) -> None:
        # A device that is gone has taken its memory along.
        self.device.release(self.address)
        self.address = None

    def download(self) -> np.ndarray:
        data = np.empty(self.size, np.uint8)
        self.device.move("download", data.ctypes.data, self.address, self.size)
        return data


class DeviceArray:
    """An array that lies on a model's device, for calls that Entry.prepare makes; model.array(...)
    is one. bf16 is its bits, as uint16."""

    def __init__(self, device: Device, data: np.ndarray):
        self.shape, self.dtype, self.ndim = data.shape, data.dtype, data.ndim
        self.nbytes = data.nbytes
        self._memory = DeviceMemory(device, max(data.nbytes, 1))
        self.write(data)

    def write(self, data: np.ndarray) -> None:
        """Replaces all elements, after what was begun before."""
        data = np.ascontiguousarray(data, self.dtype)
        if data.shape != self.shape:
            raise ValueError(f"the array has shape {list(self.shape)}, the data "
                             f"{list(data.shape)}")
        self._device.move("upload", self._memory.address, data.ctypes.data, data.nbytes)

    def read(self) -> np.ndarray:
        """A copy of the elements, once all that was begun is done."""
        data = np.empty(self.shape, self.dtype)
        self._device.move("download", data.ctypes.data, self._memory.address, data.nbytes)
        return data

    @property
    def _device(self) -> Device:
        return self._memory.device

    @property
    def _address(self) -> int:
        return owned("the array", self._memory.address).value

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype}{list(self.shape)})"
