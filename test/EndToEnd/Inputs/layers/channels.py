# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers whose channels come first: torch.nn.GroupNorm, convolutions, pooling and patches."""
import math

import numpy

from .function import Argument, Function, type_of, weight
from .sizes import BATCHES, ELEMENTS, EPSILONS, LENGTHS, few_elements, some_lengths


def group_norm(x, w, b, groups, epsilon):
    if not x.size:
        return x
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


def count_windows(size, taps, stride, dilation, low, high):
    return (size + low + high - dilation * (taps - 1) - 1) // stride + 1


def windows_of(x, taps, strides, dilations, low, high, value):
    """[n, c, p, q, j, k]: tap (j, k) of window (p, q)."""
    rows, columns = (
        numpy.arange(count_windows(size, *along))[:, None] * along[1]
        + numpy.arange(along[0]) * along[2]
        for size, *along in zip(x.shape[2:], taps, strides, dilations, low, high)
    )
    x = numpy.pad(x, ((0, 0), (0, 0), *zip(low, high)), constant_values=value)
    return x[:, :, rows[:, None, :, None], columns[None, :, None, :]]


def conv_2d(x, w, b, strides, dilations, low, high, groups):
    seen = windows_of(x, w.shape[2:], strides, dilations, low, high, 0)
    seen = seen.reshape(len(x), groups, w.shape[1], *seen.shape[2:])
    w = w.reshape(groups, len(w) // groups, *w.shape[1:])
    y = numpy.einsum("ngipqjk,goijk->ngopq", seen, w)
    return y.reshape(len(x), len(b), *y.shape[3:]) + b[:, None, None]


def pool_2d(x, kind, window, strides, dilations, low, high):
    along = (window, strides, dilations, low, high)
    if kind == "max":
        return windows_of(x, *along, -numpy.inf).max((-2, -1))
    counts = windows_of(numpy.ones_like(x), *along, 0).sum((-2, -1))
    return windows_of(x, *along, 0).sum((-2, -1)) / numpy.maximum(counts, 1)


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


def filters(out, *sizes, bias, element):
    """A weight of `out` rows and perhaps a bias, and the op's clause of that."""
    weights = {"w": weight(out, *sizes, element=element)}
    if not bias:
        return weights, ""
    weights["b"] = weight(out, element=element)
    return weights, f" bias(%b : {type_of(weights['b'])})"


def convolution(name, channels, out, taps, stride=1, padding=0, dilation=1, groups=1, bias=True,
                calls=({"n": 1, "l": 40}, {"n": 3, "l": 131}), length=None, least=40, element="f32"):  # fmt: skip
    x = Argument(2 if length else "n", channels, length or "l")
    reach = 2 * padding - dilation * (taps - 1) - 1
    size = f"(l + {reach}) // {stride} + 1" if stride > 1 else f"l + {reach + 1}"
    y = Argument(x.sizes[0], out, (length + reach) // stride + 1 if length else size)
    weights, clause = filters(out, channels // groups, taps, bias=bias, element=element)
    return Function(
        name, {"x": x}, {"y": y},
        f"%y = heddle.conv_1d %x, %w{clause} stride({stride}) padding({padding}) "
        f"dilation({dilation}) groups({groups}) : {x}, {type_of(weights['w'])}",
        lambda x, w, b=numpy.zeros(out): conv_1d(x, w, b, stride, padding, dilation, groups),
        ({},) if length else calls, weights,
        "" if length else 'attributes {heddle.symbols = [#heddle.symbol<"l", %d to 4096>]}' % least,
    )  # fmt: skip


class Windows:
    """The numbers that heddle.conv_2d and heddle.pool_2d share."""

    def __init__(self, taps, strides=(1, 1), low=(0, 0), high=None, dilations=(1, 1)):
        self.taps, self.strides, self.dilations = taps, strides, dilations
        self.low, self.high = low, low if high is None else high

    def __str__(self):
        names = ("strides", "low", "high", "dilations")
        return " ".join(f"{name} {list(getattr(self, name))}" for name in names)

    def along(self):
        return list(zip(self.taps, self.strides, self.dilations, self.low, self.high))

    def shape(self, sizes):
        """How many windows there are of images of those sizes, which may be symbols."""
        return [
            count_windows(size, *along)
            if isinstance(size, int)
            else f"({size} + {along[3] + along[4] - along[2] * (along[0] - 1) - 1}) // {along[1]} + 1"
            for size, along in zip(sizes, self.along())
        ]

    def least(self):
        """The sizes of the least images."""
        return [max(1, d * (t - 1) + 1 - low - high) for t, _, d, low, high in self.along()]

    def declare(self, sizes):
        symbols = [
            f'#heddle.symbol<"{size}", {least} to 1000>'
            for size, least in zip(sizes, self.least())
            if isinstance(size, str)
        ]
        return f"attributes {{heddle.symbols = [{', '.join(symbols)}]}}" if symbols else ""


def convolution_2d(name, sizes, out, windows, groups=1, bias=True, calls=({},), element="f32"):
    x, y = Argument(*sizes), Argument(sizes[0], out, *windows.shape(sizes[2:]))
    weights, clause = filters(out, sizes[1] // groups, *windows.taps, bias=bias, element=element)
    return Function(
        name, {"x": x}, {"y": y},
        f"%y = heddle.conv_2d %x, %w{clause} {windows} groups({groups}) : "
        f"{x}, {type_of(weights['w'])}",
        lambda x, w, b=numpy.zeros(out): conv_2d(
            x, w, b, windows.strides, windows.dilations, windows.low, windows.high, groups),
        calls, weights, windows.declare(sizes[2:]),
    )  # fmt: skip


def pooling(name, sizes, kind, windows, calls=({},)):
    x, y = Argument(*sizes), Argument(*sizes[:2], *windows.shape(sizes[2:]))
    w = windows
    return Function(
        name, {"x": x}, {"y": y},
        f"%y = heddle.pool_2d {kind} %x window {list(w.taps)} {w} : {x}",
        lambda x: pool_2d(x, kind, w.taps, w.strides, w.dilations, w.low, w.high),
        calls, attributes=w.declare(sizes[2:]),
    )  # fmt: skip


def image(name, sizes, side, out, calls=({},), bias=True, result=None, least=8, element="f32"):
    x, y = Argument(*sizes), Argument(*result)
    weights, clause = filters(out, sizes[1], side, side, bias=bias, element=element)
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
    convolution_2d("conv_2d_plain", (1, 16, 20, 37), 32, Windows((3, 3), low=(1, 1))),
    convolution_2d("conv_2d_stride", (2, 3, 33, 30), 20, Windows((7, 5), (2, 3), (3, 1), (2, 4))),
    convolution_2d("conv_2d_all", ("n", 8, "rows", "columns"), 24,
                   Windows((3, 2), (2, 1), (0, 3), (4, 0), (2, 3)), 4, calls=(
                       {"n": 1, "rows": 9, "columns": 40}, {"n": 3, "rows": 18, "columns": 1})),
    convolution_2d("conv_2d_depthwise", ("n", 24, 14, 14), 24, Windows((3, 3), low=(1, 1)), 24,
                   False, ({"n": 1}, {"n": 2}), "bf16"),
    convolution_2d("conv_2d_depthwise_by_2", (2, 12, 15, "columns"), 12,
                   Windows((3, 3), (2, 2), (1, 1), (1, 1), (1, 2)), 12,
                   calls=({"columns": 28}, {"columns": 7})),
    convolution_2d("conv_2d_sparse", (1, 6, 23, 30), 20, Windows((2, 1), (5, 7), (1, 0), (3, 2))),
    convolution_2d("conv_2d_empty", (1, 2, 0, 4), 3, Windows((2, 1), (1, 1), (1, 0), (2, 0))),
    convolution_2d("conv_2d_one_tap", (2, 33, 7, 9), 65, Windows((1, 1))),
    convolution_2d("conv_2d_one_place", (1, 16, 5, 7), 48, Windows((5, 7)), element="f16"),
    convolution_2d("conv_2d_patches", (1, 3, 32, 40), 17, Windows((8, 8), (8, 8))),
    pooling("pool_max", (2, 5, 28, 35), "max", Windows((3, 3), (2, 2), (1, 1))),
    pooling("pool_mean", (2, 5, 20, 17), "mean", Windows((2, 3), (2, 3))),
    pooling("pool_mean_padded", ("n", 3, "rows", "columns"), "mean",
            Windows((3, 2), (1, 2), (2, 0), (1, 3), (2, 4)),
            ({"n": 1, "rows": 2, "columns": 33}, {"n": 3, "rows": 9, "columns": 2})),
    pooling("pool_max_empty", (1, 2, 0, 4), "max", Windows((1, 1), high=(1, 0))),
    pooling("pool_max_nothing", (1, 2, 1, 4), "max", Windows((2, 1), low=(2, 0), dilations=(3, 1))),
    pooling("pool_mean_nothing", (1, 2, 1, 4), "mean",
            Windows((2, 1), low=(2, 0), dilations=(3, 1))),
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


def draw_windows(random):
    def pair(*numbers):
        return tuple(random.choice(numbers) for _ in range(2))

    return Windows(pair(1, 2, 3, 3, 5, 7), pair(1, 1, 2, 3), pair(0, 1, 1, 2, 5),
                   pair(0, 1, 1, 2, 4), pair(1, 1, 1, 2, 3))  # fmt: skip


def draw_images(windows, random):
    """Sizes of images, of which some are symbols, and calls of them."""
    sizes, calls = [], [{"n": n} for n in BATCHES]
    for symbol, least in zip(("rows", "columns"), windows.least()):
        lengths = [least + random.choice((1, 2, 5, 7, 16, 17, 33)) - 1 for _ in BATCHES]
        is_known = random.random() < 0.6
        sizes.append(lengths[0] if is_known else symbol)
        for call, length in zip(calls, lengths):
            call[symbol] = length
    return sizes, calls


def draw_convolution_2d(name, random):
    windows = draw_windows(random)
    groups = random.choice((1, 1, 1, 2, 3, 8))
    channels, out = (groups * random.choice((1, 1, 4, 5, 8, 17)) for _ in range(2))
    images, calls = draw_images(windows, random)
    return convolution_2d(name, (random.choice(("n", *BATCHES)), channels, *images), out, windows,
                          groups, random.random() < 0.6, calls, random.choice(ELEMENTS))  # fmt: skip


def draw_pooling(name, random):
    windows = draw_windows(random)
    images, calls = draw_images(windows, random)
    sizes = random.choice(("n", *BATCHES)), random.choice((1, 3, 5, 16)), *images
    return pooling(name, sizes, random.choice(("max", "mean")), windows, calls)


DRAWN = {
    "group_norm": draw_norm, "conv_1d": draw_convolution, "conv_2d": draw_convolution_2d,
    "pool_2d": draw_pooling, "patch_embedding": draw_patches,
}  # fmt: skip
