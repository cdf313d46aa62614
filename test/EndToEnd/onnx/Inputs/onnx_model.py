# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX files and tensors, as the format's onnx.proto says, without the package onnx."""

import struct

import numpy

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 8, 9, 10, 11
UINT4, INT4 = 21, 22
TYPES = {"f4": FLOAT, "u1": UINT8, "i1": INT8, "i4": INT32, "i8": INT64, "b1": BOOL, "f2": FLOAT16, "f8": DOUBLE}


def varint(number):
    number &= (1 << 64) - 1
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


def field(number, value):
    if isinstance(value, bool) or isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(array, name="", **more):
    """A TensorProto. `more` may have external=(location, offset, length)."""
    array = numpy.asarray(array)
    message = b"".join(field(1, size) for size in array.shape)
    message += field(2, TYPES[array.dtype.str[1:]]) + field(8, name)
    if "external" not in more:
        return message + field(9, array.tobytes())
    for key, value in zip(("location", "offset", "length"), more["external"]):
        message += field(13, field(1, key) + field(2, str(value)))
    return message + field(14, 1)


def half_bytes(array, name, kind):
    """A TensorProto of UINT4 or INT4."""
    codes = numpy.append(array.reshape(-1), [0] * (array.size % 2)).astype("u1") & 15
    message = b"".join(field(1, size) for size in array.shape)
    return message + field(2, kind) + field(8, name) + field(9, (codes[::2] | codes[1::2] << 4).tobytes())


class Reference:
    """An attribute of the call, in a function: its name and AttributeProto.AttributeType."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def attribute(name, value):
    if isinstance(value, Reference):
        return field(1, name) + field(20, value.kind) + field(21, value.name)
    if isinstance(value, (bool, int)):
        return field(1, name) + field(3, int(value)) + field(20, 2)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    if isinstance(value, bytes):  # a graph
        return field(1, name) + field(6, value) + field(20, 5)
    if isinstance(value, numpy.ndarray):
        return field(1, name) + field(5, tensor(value)) + field(20, 4)
    return field(1, name) + b"".join(field(8, number) for number in value) + field(20, 7)


def node(op, inputs, outputs, domain="", name="", **attributes):
    message = b"".join(field(1, each) for each in inputs) + b"".join(field(2, each) for each in outputs)
    message += field(3, name) + field(4, op) + field(7, domain)
    return message + b"".join(field(5, attribute(key, value)) for key, value in attributes.items())


def value(name, dtype, shape):
    """A ValueInfoProto; sizes are numbers, or texts that name them. A shape of None is not said."""
    described = field(1, TYPES.get(dtype, dtype))
    if shape is not None:
        described += field(2, b"".join(field(1, field(1, s) if isinstance(s, int) else field(2, s)) for s in shape))
    return field(1, name) + field(2, field(1, described))


def graph(nodes, inputs, outputs, initializers=()):
    """`initializers` are arrays by name, or whole TensorProtos."""
    message = b"".join(field(1, each) for each in nodes) + field(2, "graph")
    for each in initializers.items() if isinstance(initializers, dict) else enumerate(initializers):
        message += field(5, each[1] if isinstance(each[1], bytes) else tensor(each[1], each[0]))
    message += b"".join(field(11, each) for each in inputs)
    return message + b"".join(field(12, each) for each in outputs)


def function(domain, name, inputs, outputs, nodes, attributes=(), opset=17, **defaults):
    message = field(1, name) + field(10, domain)
    for number, names in ((4, inputs), (5, outputs), (6, attributes)):
        message += b"".join(field(number, each) for each in names)
    message += b"".join(field(7, each) for each in nodes) + field(9, field(2, opset))
    message += field(9, field(1, domain) + field(2, 1))
    return message + b"".join(field(11, attribute(key, value)) for key, value in defaults.items())


def model(graph, opset=17, domains=(), functions=()):
    message = field(1, 8) + field(2, "test") + field(7, graph) + field(8, field(2, opset))
    message += b"".join(field(8, field(1, domain) + field(2, 1)) for domain in domains)
    return message + b"".join(field(25, each) for each in functions)


def write(path, *arguments, **options):
    with open(path, "wb") as file:
        file.write(model(graph(*arguments), **options))


class Graph:
    """Nodes in the order in which they are called, with names that are made up, and the tensors that they read."""

    def __init__(self):
        self.nodes, self.stored = [], {}

    def __call__(self, op, *inputs, result=None, **attributes):
        name = result or f"{op}_{len(self.nodes)}"
        inputs = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        self.nodes.append(node(op, inputs, [name], name=name, **attributes))
        return name

    def constant(self, array):
        array = numpy.asarray(array)
        name = f"constant_{len(self.stored)}"
        self.stored[name] = array.astype({"i": "i8", "f": "f4"}.get(array.dtype.kind, array.dtype))
        return name

    def size(self, value, axis):
        return self("Gather", self("Shape", value), axis, axis=0)
