# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A queue of OpenCL that a program has made itself."""
from ctypes import CDLL, POINTER, byref, c_int, c_size_t, c_uint, c_uint64, c_void_p


class Queue:
    def __init__(self, library, address):
        self._library, self.address = library, address

    def references(self):
        """How many hold it."""
        count = c_uint()
        assert self._library.clGetCommandQueueInfo(self.address, 0x1092, 4, byref(count),
                                                   None) == 0
        return count.value


def create():
    """The queue, and where it is for heddle.load."""
    library = CDLL("libOpenCL.so.1")
    library.clGetPlatformIDs.argtypes = (c_uint, POINTER(c_void_p), c_void_p)
    library.clGetDeviceIDs.argtypes = (c_void_p, c_uint64, c_uint, POINTER(c_void_p), c_void_p)
    library.clCreateContext.restype = c_void_p
    library.clCreateContext.argtypes = (c_void_p, c_uint, POINTER(c_void_p), c_void_p, c_void_p,
                                        POINTER(c_int))
    library.clCreateCommandQueueWithProperties.restype = c_void_p
    library.clCreateCommandQueueWithProperties.argtypes = (c_void_p, c_void_p, c_void_p,
                                                           POINTER(c_int))
    library.clGetCommandQueueInfo.argtypes = (c_void_p, c_uint, c_size_t, c_void_p, c_void_p)
    platform, device, code = c_void_p(), c_void_p(), c_int()
    assert library.clGetPlatformIDs(1, byref(platform), None) == 0
    assert library.clGetDeviceIDs(platform, 0xFFFFFFFF, 1, byref(device), None) == 0
    context = library.clCreateContext(None, 1, byref(device), None, None, byref(code))
    queue = library.clCreateCommandQueueWithProperties(context, device, None, byref(code))
    assert code.value == 0, code.value
    return Queue(library, queue), {"stream": queue, "context": context,
                                   "device_id": device.value}
