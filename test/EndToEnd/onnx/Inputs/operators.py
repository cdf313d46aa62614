# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of which ONNX's tests in ../shared have no case, against NumPy."""

import comparison
import numpy
import onnx_model as o
from comparison import compare

random = numpy.random.default_rng()


def floats(*shape):
    return random.standard_normal(shape).astype("f4")


# ---- Einsum

arrays = {"a": floats(2, 3, 4, 5), "b": floats(2, 3, 6, 5), "m": floats(5, 7), "n": floats(3, 7), "v": floats(5)}
equations = {
    "bhid,bhjd->bhij": "ab",
    "bhid,bhjd->bihj": "ab",
    "abij,jk": "am",
    "...j,jk->k...": "am",
    "abij->ja": "a",
    "abij,hk,jk->ahi": "anm",
    "abij,j,jk->bk": "avm",
    "i,jk->kij": "vn",
    "bhid,...->ib...": "av",
    " i , i -> ": "vv",
}
compare(
    [o.node("Einsum", list(names), [text], equation=text) for text, names in equations.items()],
    arrays,
    {text: numpy.einsum(text, *(arrays[name].astype("f8") for name in names)) for text, names in equations.items()},
    tolerance=1e-4,
)

# ---- Indices

data, updates = floats(4, 5), floats(3, 5)
rows = random.permuted(numpy.tile(numpy.arange(4), (5, 1)), axis=1).T[:3]
scattered = data.copy()
numpy.put_along_axis(scattered, rows, updates, 0)
added = data.astype("f8")
numpy.add.at(added, (rows, numpy.arange(5)), updates)
cache, more, starts = floats(2, 3, 6, 4), floats(2, 3, 2, 4), numpy.array([1, 4])
linear, circular = cache.copy(), cache.copy()
for sequence, start in enumerate(starts):
    for row in range(2):
        linear[sequence, :, start + row] = more[sequence, :, row]
        circular[sequence, :, (start + 1 + row) % 6] = more[sequence, :, row]
compare(
    [
        o.node("ScatterElements", ["data", "rows", "updates"], ["scattered"], axis=-2),
        o.node("ScatterElements", ["data", "negative", "updates"], ["added"], axis=0, reduction="add"),
        o.node("TensorScatter", ["cache", "more", "starts"], ["linear"]),
        o.node("TensorScatter", ["cache", "more", "later"], ["circular"], mode="circular"),
        o.node("EyeLike", ["data"], ["eye"], k=1),
        o.node("Shape", ["data"], ["shape"], end=1),
        o.node("ConstantOfShape", ["shape"], ["ones"], value=numpy.array([1], "f4")),
        o.node("NonZero", ["ones"], ["places"]),
        o.node("NonZero", ["some"], ["others"]),
    ],
    {
        "data": data,
        "updates": updates,
        "rows": rows,
        "negative": rows - 4,
        "cache": cache,
        "more": more,
        "starts": starts,
        "later": starts + 1,
    },
    {
        "scattered": scattered,
        "added": added,
        "linear": linear,
        "circular": circular,
        "eye": numpy.eye(4, 5, 1, "f4"),
        "places": numpy.arange(4)[None],
        "others": numpy.array([[0, 2, 3]]),
    },
    {"some": numpy.array([1, 0, 7, -1])},
    opset=24,
)

# ---- Numbers of few bits

x = floats(3, 12)
X = x.astype("f8")


def decoded(codes, scales, zeros=0):
    return (codes.astype("f8") - zeros) * scales.astype("f8")


bytes_ = random.integers(0, 256, (12, 8)).astype("u1")
signed = random.integers(-128, 128, (12, 8)).astype("i1")
halves = random.integers(-8, 8, (12, 7)).astype("i1")
of_channels, of_blocks = floats(8), floats(3, 8)
zeros, block_zeros = random.integers(0, 256, 8).astype("u1"), random.integers(-128, 128, (3, 8)).astype("i1")
scale, zero, place = numpy.array(0.1, "f4"), numpy.array(117, "u1"), numpy.array(3, "i1")
quantized = numpy.clip(numpy.round(x / scale) + 3, -128, 127)
low, high = min(X.min(), 0), max(X.max(), 0)
dynamic_scale = (high - low) / 255
dynamic_zero = numpy.round(-low / dynamic_scale)
integers = random.integers(0, 256, (2, 3, 12)).astype("u1")
row_zeros = random.integers(0, 256, 3).astype("u1")
stored = {
    "bytes": bytes_,
    "signed": signed,
    "halves": o.half_bytes(halves, "halves", o.INT4),
    "channels": of_channels,
    "blocks": of_blocks,
    "zeros": zeros,
    "block_zeros": block_zeros,
    "scale": scale,
    "zero": zero,
    "place": place,
}
compare(
    [
        o.node("DequantizeLinear", ["bytes", "channels", "zeros"], ["w0"]),
        o.node("MatMul", ["x", "w0"], ["of channels"]),
        o.node("DequantizeLinear", ["signed", "blocks", "block_zeros"], ["w1"], axis=0, block_size=4),
        o.node("MatMul", ["x", "w1"], ["of blocks"]),
        o.node("DequantizeLinear", ["bytes", "scale", "zero"], ["w2"]),
        o.node("MatMul", ["x", "w2"], ["of one scale"]),
        o.node("DequantizeLinear", ["halves", "scale"], ["w3"]),
        o.node("MatMul", ["x", "w3"], ["of half bytes"]),
        o.node("QuantizeLinear", ["x", "scale", "place"], ["q"]),
        o.node("Cast", ["q"], ["quantized"], to=1),
        o.node("DequantizeLinear", ["q", "scale", "place"], ["and back"]),
        o.node("DynamicQuantizeLinear", ["x"], ["d", "dynamic scale", "z"]),
        o.node("Cast", ["z"], ["dynamic zero"], to=1),
        o.node("DequantizeLinear", ["d", "dynamic scale", "z"], ["dynamic"]),
        o.node("MatMulInteger", ["integers", "signed", "zero"], ["one zero"]),
    ],
    {"x": x, "integers": integers},
    {
        "of channels": X @ decoded(bytes_, of_channels, zeros.astype("f8")),
        "of blocks": X @ decoded(signed, of_blocks.repeat(4, 0), block_zeros.repeat(4, 0).astype("f8")),
        "of one scale": X @ decoded(bytes_, scale, 117),
        "of half bytes": X @ decoded(halves, scale),
        "quantized": quantized,
        "and back": decoded(quantized, scale, 3),
        "dynamic scale": numpy.array(dynamic_scale),
        "dynamic zero": numpy.array(dynamic_zero),
        "one zero": (integers.astype("i4") - 117) @ signed.astype("i4"),
    },
    [*(array if isinstance(array, bytes) else o.tensor(array, name) for name, array in stored.items())],
    tolerance=2e-3,
    opset=21,
)
many = (integers.astype("i4") - row_zeros[:, None].astype("i4")) @ (bytes_.astype("i4") - zeros)
compare(
    [o.node("MatMulInteger", ["integers", "bytes", "row_zeros", "zeros"], ["many zeros"])],
    {"integers": integers, "row_zeros": row_zeros},
    {"many zeros": many},
    {"bytes": bytes_, "zeros": zeros},
)


def packed(codes, bits):
    """Rows of integers, each of whole bytes."""
    if bits == 8:
        return codes
    codes = numpy.pad(codes, ((0, 0), (0, codes.shape[1] % 2)))
    return codes[:, ::2] | codes[:, 1::2] << 4


nodes, stored, expected = [], {}, {}
for name, bits, inputs, has_zeros in (("four", 4, 64, False), ("with zeros", 4, 48, True), ("eight", 8, 40, True)):
    groups = -(-inputs // 32)
    codes = random.integers(0, 1 << bits, (7, groups * 32)).astype("u1")
    zeros = random.integers(0, 1 << bits, (7, groups)).astype("u1")
    scales = floats(7, groups)
    stored |= {name + "b": packed(codes, bits).reshape(7, groups, -1), name + "s": scales.reshape(-1)}
    stored |= {name + "z": packed(zeros, bits).reshape(-1)} if has_zeros else {}
    names = [name + "b", name + "s", name + "z" if has_zeros else ""]
    nodes.append(o.node("Slice", ["wide", "start", name + "e", "axis"], [name + "x"]))
    stored[name + "e"] = numpy.array([inputs])
    sizes = {"K": inputs, "N": 7, "bits": bits, "block_size": 32}
    nodes.append(o.node("MatMulNBits", [name + "x", *names], [name], "com.microsoft", **sizes))
    middle = zeros.repeat(32, 1).astype("f8") if has_zeros else 1 << bits - 1
    wide = floats(2, 64) if not expected else wide
    matrix = decoded(codes, scales.repeat(32, 1), middle)[:, :inputs]
    expected[name] = wide[:, :inputs].astype("f8") @ matrix.T
stored |= {"start": numpy.array([0]), "axis": numpy.array([1])}
compare(nodes, {"wide": wide}, expected, stored, tolerance=2e-3, domains=["com.microsoft"])

# Products of integers and weights that become floats, as quantised models have them: sums are exact.
DEPTH, OUTPUTS = 52, 35
codes = {"u": random.integers(0, 256, (2, 5, DEPTH)).astype("u1"), "s": random.integers(-128, 128, (9, DEPTH)).astype("i1")}
stored = {"us": random.integers(-128, 128, (DEPTH, OUTPUTS)).astype("i1")}
stored |= {"uu": random.integers(0, 256, (DEPTH, OUTPUTS)).astype("u1"), "middle": numpy.array(131, "u1")}
stored |= {"columns": random.integers(0, 256, OUTPUTS).astype("u1"), "low": numpy.array([-7], "i1")}
cases = {
    "no zeros": ("s", "us", None, None),
    "bytes": ("u", "us", None, None),
    "zero of inputs": ("u", "us", "place", None),
    "zero of signed inputs": ("s", "uu", "low", None),
    "zero of a matrix": ("s", "uu", None, "middle"),
    "zeros of columns": ("u", "uu", "place", "columns"),
}
nodes, expected = [], {}
given = {**codes, "place": numpy.array(77, "u1")}
for name, inputs in cases.items():
    nodes.append(o.node("MatMulInteger", [each or "" for each in inputs], [name + "i"]))
    nodes.append(o.node("Cast", [name + "i"], [name], to=1))
    known = {**given, **stored}
    x, w, zero, zeros = (0 if each is None else known[each].astype("i8") for each in inputs)
    expected[name] = (x - zero) @ (w - zeros)
expected = {name: array.astype("f8") for name, array in expected.items()}
compare(nodes, given, expected, stored, tolerance=1e-3)

# Diagonals far outside of a matrix.
square = floats(3, 4)
compare(
    [o.node("Trilu", ["x", "far"], ["none"], upper=1), o.node("Trilu", ["x", "near"], ["all"], upper=1)],
    {"x": square},
    {"none": 0 * square, "all": square},
    {"far": numpy.array(2**62), "near": numpy.array(-(2**63))},
)
comparison.summarise()
