# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers whose channels come first: torch.nn.GroupNorm and Conv1d, and patches of images."""
import math

import numpy

from .function import Argument, Function, type_of, weight
from .sizes import BATCHES, ELEMENTS, EPSILONS, LENGTHS, few_elements, some_lengths


def group_norm(x, w, b, groups, epsilon):
    grouped = x.reshape(len(x), groups, math.prod(x.shape[1:]) // groups)
    centred = grouped - grouped.mean(-1, keepdims=True)
    scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    along = (1, -1) + (1,) * (x.ndim - 2)
    return scaled.reshape(x.shape) * w.reshape(along) + b.reshape(along)


def conv_1d(x, w, b, stride, padding, dilation, groups):
    x = numpy.pad(x, ((0, 0), (0, 0), (padding, padding)))
    out, in_, taps = w.shape
    length = (x.shape[2] - dilation * (taps - 1) - 1) // stride + 1
    y = numpy.zeros((len(x), out, length))
    for o in range(out):
        first = o // (out // groups) * in_
        for k in range(taps):
            seen = x[:, first : first + in_, k * dilation :][:, :, : (length - 1) * stride + 1]
            y[:, o] += numpy.einsum("i,nil->nl", w[o, :, k], seen[:, :, ::stride])
    return y + b[:, None]


def patches(x, w, b):
    side = w.shape[2]
    rows, columns = x.shape[2] // side, x.shape[3] // side
    x = x[:, :, : rows * side, : columns * side]
    x = x.reshape(*x.shape[:2], rows, side, columns, side)
    return numpy.einsum("ncyixj,ocij->nyxo", x, w).reshape(len(x), rows * columns, len(w)) + b


def norm(name, sizes, groups, calls, epsilon=1e-5, elements=("f32",) * 3, tolerance=1e-5):
    x = Argument(*sizes, element=elements[0])
    w, b = (Argument(sizes[1], element=element) for element in elements[1:])
    return Function(
        name, {"x": x, "w": w, "b": b}, {"y": x},
        f"%y = heddle.group_norm %x, %w, %b groups({groups}) epsilon({epsilon:.1e}) : {x}, {w}, {b}",
        lambda x, w, b: group_norm(x, w, b, groups, epsilon), calls, tolerance=tolerance,
    )  # fmt: skip


def convolution(name, channels, out, taps, stride=1, padding=0, dilation=1, groups=1, bias=True,
                calls=({"n": 1, "l": 40}, {"n": 3, "l": 131}), length=None, least=40, element="f32"):  # fmt: skip
    x = Argument(2 if length else "n", channels, length or "l")
    reach = 2 * padding - dilation * (taps - 1) - 1
    size = f"(l + {reach}) // {stride} + 1" if stride > 1 else f"l + {reach + 1}"
    y = Argument(x.sizes[0], out, (length + reach) // stride + 1 if length else size)
    weights = {"w": weight(out, channels // groups, taps, element=element)}
    clause = ""
    if bias:
        weights["b"] = weight(out, element=element)
        clause = f" bias(%b : {type_of(weights['b'])})"
    return Function(
        name, {"x": x}, {"y": y},
        f"%y = heddle.conv_1d %x, %w{clause} stride({stride}) padding({padding}) "
        f"dilation({dilation}) groups({groups}) : {x}, {type_of(weights['w'])}",
        lambda x, w, b=numpy.zeros(out): conv_1d(x, w, b, stride, padding, dilation, groups),
        ({},) if length else calls, weights,
        "" if length else 'attributes {heddle.symbols = [#heddle.symbol<"l", %d to 4096>]}' % least,
    )  # fmt: skip


def image(name, sizes, side, out, calls=({},), bias=True, result=None, least=8, element="f32"):
    x, y = Argument(*sizes), Argument(*result)
    weights = {"w": weight(out, sizes[1], side, side, element=element)}
    clause = ""
    if bias:
        weights["b"] = weight(out, element=element)
        clause = f" bias(%b : {type_of(weights['b'])})"
    return Function(
        name, {"x": x}, {"y": y},
        f"%y = heddle.patch_embedding %x, %w{clause} : {x}, {type_of(weights['w'])}",
        lambda x, w, b=numpy.zeros(out): patches(x, w, b), calls, weights,
        "attributes {heddle.symbols = [%s]}"
        % ", ".join(f'#heddle.symbol<"{side}", {least} to 1000>' for side in ("rows", "columns"))
        if "rows" in sizes else "",
    )  # fmt: skip


FUNCTIONS = [
    norm("norm_rows", (5, 12), 3, ({},)),
    norm("norm_1d", ("n", 32, "l"), 8, ({"n": 1, "l": 1}, {"n": 3, "l": 65})),
    norm("norm_2d", (2, 12, 5, 7), 4, ({},)),
    norm("norm_2d_dynamic", ("n", 6, "rows", "columns"), 2, ({"n": 2, "rows": 3, "columns": 17},), epsilon=0.5),
    norm("norm_instances", (3, 5, 33), 5, ({},)),
    norm("norm_all", (3, 5, 33), 1, ({},)),
    convolution("conv_plain", 16, 32, 3, padding=1),
    convolution("conv_stride", 12, 20, 3, stride=2, padding=1),
    convolution("conv_dilation", 5, 7, 4, dilation=3, bias=False),
    convolution("conv_all", 8, 24, 5, stride=3, padding=4, dilation=2, groups=4),
    convolution("conv_depthwise", 24, 24, 4, padding=3, groups=24),
    convolution("conv_static", 80, 64, 3, padding=1, length=100),
    convolution("conv_one_tap", 33, 65, 1, length=50),
    convolution("conv_one_place", 16, 48, 7, length=7),
    image("patches", (2, 3, 32, 32), 8, 48, result=(2, 16, 48)),
    image("patches_left_over", (2, 3, 21, 30), 4, 17, result=(2, 35, 17), bias=False),
    image("patches_dynamic", ("n", 1, "rows", "columns"), 8, 64, ({"n": 1, "rows": 8, "columns": 9},
          {"n": 3, "rows": 33, "columns": 24}), result=("n", "(rows // 8) * (columns // 8)", 64)),
]  # fmt: skip


# ---- One of each, drawn


def draw_norm(name, random):
    groups = random.choice((1, 1, 2, 3, 4, 8))
    channels = groups * random.choice((1, 1, 2, 3, 4, 8, 16))
    rank = random.choice((2, 3, 3, 4, 4, 5))
    symbols = {}
    sizes = [random.choice(("n", *BATCHES)), channels]
    for symbol in ("l", "m", "k")[: rank - 2]:
        size = random.choice(few_elements(rank))
        if random.random() < 0.5:
            symbols[symbol] = size
        sizes.append(symbol if symbol in symbols else size)
    calls = [{"n": batch, **symbols} for batch in BATCHES]
    # Elements of a group of two differ by little at times, and roundings of their mean count.
    return norm(name, sizes, groups, calls, random.choice(EPSILONS),
                [random.choice(ELEMENTS) for _ in range(3)], tolerance=1e-4)  # fmt: skip


def draw_convolution(name, random):
    groups = random.choice((1, 1, 1, 2, 3, 8))
    channels, out = (groups * random.choice((1, 1, 4, 5, 8, 16, 33)) for _ in range(2))
    taps, stride = random.choice((1, 2, 3, 3, 4, 5, 7)), random.choice((1, 1, 2, 3, 5))
    dilation, padding = random.choice((1, 1, 2, 3)), random.choice((0, 0, 1, 2, 4, 9))
    least = max(1, dilation * (taps - 1) + 1 - 2 * padding)
    calls = [{"n": n, "l": least + length - 1} for n, length in zip(BATCHES, some_lengths(random))]
    known = least + random.choice(LENGTHS) - 1 if random.random() < 0.3 else None
    return convolution(name, channels, out, taps, stride, padding, dilation, groups,
                       random.random() < 0.6, calls, known, least, random.choice(ELEMENTS))  # fmt: skip


def draw_patches(name, random):
    side, channels = random.choice((1, 2, 3, 4, 5, 8, 16)), random.choice((1, 3, 4, 5))
    element, out = random.choice(ELEMENTS), random.choice((1, 5, 17, 48, 64, 80))
    bias = random.random() < 0.6
    places = [
        [side * random.choice((1, 2, 3, 7, 11)) + random.randrange(side) for _ in range(2)]
        for _ in BATCHES
    ]
    if random.random() < 0.5:
        calls = [{"n": n, "rows": r, "columns": c} for n, (r, c) in zip(BATCHES, places)]
        count = f"(rows // {side}) * (columns // {side})"
        return image(name, ("n", channels, "rows", "columns"), side, out, calls, bias,
                     ("n", count, out), side, element)  # fmt: skip
    batch, (rows, columns) = random.choice(BATCHES), places[0]
    count = (rows // side) * (columns // side)
    return image(name, (batch, channels, rows, columns), side, out, ({},), bias,
                 (batch, count, out), element=element)  # fmt: skip


DRAWN = {"group_norm": draw_norm, "conv_1d": draw_convolution, "patch_embedding": draw_patches}
