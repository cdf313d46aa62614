# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structured op: folds over some of the dimensions, rows that become one dimension, and
tables that are read at computed coordinates."""
import math

import numpy

from .function import Argument, Function

SIZES = (1, 2, 5, 12, 13, 31, 32, 33, 64)
# Of the value so far and a term: what the text says, and what that is.
FOLDS = {
    "sum": ("0.0", ["%{r} = arith.addf %{old}, %term : f32"], lambda old, x: old + x),
    "squares": ("1.0", ["%{r}_2 = arith.mulf %term, %term : f32",
                        "%{r} = arith.addf %{old}, %{r}_2 : f32"], lambda old, x: old + x * x),
    "endless": ("0x7F800000", ["%{r} = arith.addf %{old}, %term : f32"], lambda old, x: old + x),
    "undefined": ("0x7FC00000", ["%{r} = arith.addf %{old}, %term : f32"], lambda old, x: old + x),
    "most": ("0xFF800000", ["%{r} = arith.maximumf %{old}, %term : f32"], numpy.maximum),
    # In no other order.
    "halved": ("0.0", ["%{r}_half = arith.constant 0.5 : f32",
                       "%{r}_sum = arith.addf %{old}, %term : f32",
                       "%{r} = arith.mulf %{r}_sum, %{r}_half : f32"],
               lambda old, x: (old + x) * 0.5),
}  # fmt: skip


def number_of(initial):
    if "x" in initial:
        return float(numpy.array(int(initial, 16), numpy.uint32).view(numpy.float32))
    return float(initial)


def quoted(size):
    return f'"{size}"' if isinstance(size, str) else str(size)


def draw_fold(name, random):
    """Terms are x * (coordinate + size) / 64 of one dimension."""
    numbers = [random.choice(SIZES) for _ in "nml"]
    sizes = [s if random.random() < 0.5 else number for s, number in zip("nml", numbers)]
    kept, order, along = random.choice((1, 2)), random.sample(range(3), 3), random.randrange(3)
    folds = random.sample(sorted(FOLDS), random.choice((1, 1, 2)))
    # Whose value so far each one goes on from.
    olds = random.choice(([0, 1], [1, 0])) if len(folds) > 1 else [0]
    x = Argument(*(sizes[dim] for dim in order))
    result = Argument(*sizes[:kept])
    lines, arguments = [], ["%e: f32"]
    for number, fold in enumerate(folds):
        arguments.append(f"%old{number}: f32")
        lines += [line.format(r=f"r{number}", old=f"old{olds[number]}") for line in FOLDS[fold][1]]
    names = [f"y{number}" for number in range(len(folds))]
    coordinates = ", ".join(f"d{dim}" for dim in order)
    yields = ", ".join(f"%r{number}" for number in range(len(folds)))
    body = "\n".join([
        f"%y:{len(folds)} = heddle.generic over [{', '.join(map(quoted, sizes[:kept]))}] "
        f"reduce [{', '.join(map(quoted, sizes[kept:]))}] "
        f"initial [{', '.join(FOLDS[fold][0] + ' : f32' for fold in folds)}] ins(%x : {x}) "
        f"maps [affine_map<(d0, d1, d2) -> ({coordinates})>] {{",
        f"^bb0({', '.join(arguments)}):", f"%i = heddle.index {along}",
        f"%n = heddle.size {quoted(sizes[along])} : i32", "%s = arith.addi %i, %n : i32",
        "%f = arith.sitofp %s : i32 to f32", "%by = arith.constant 0.015625 : f32",
        "%g = arith.mulf %f, %by : f32", "%term = arith.mulf %e, %g : f32", *lines,
        f"heddle.yield {yields} : {', '.join(['f32'] * len(folds))}",
        f"}} : {', '.join([str(result)] * len(folds))}",
    ]).replace("%y:1 =", "%y =")  # fmt: skip

    def compute(x):
        x = numpy.transpose(x, numpy.argsort(order))
        shape = [-1 if dim == along else 1 for dim in range(3)]
        terms = x * ((numpy.arange(x.shape[along]) + x.shape[along]) / 64).reshape(shape)
        terms = terms.reshape(*x.shape[:kept], math.prod(x.shape[kept:]))
        values = [numpy.full(x.shape[:kept], number_of(FOLDS[fold][0])) for fold in folds]
        for place in range(terms.shape[-1]):
            values = [FOLDS[fold][2](values[old], terms[..., place])
                      for fold, old in zip(folds, olds)]  # fmt: skip
        return tuple(values)

    calls = [dict(zip("nml", numbers)), dict(zip("nml", [random.choice(SIZES) for _ in "nml"]))]
    results = {n: result for n in names}
    return Function(name, {"x": x}, results, body, compute, calls, tolerance=2e-4,
                    values=["%y"] if len(folds) == 1 else [f"%y#{i}" for i in range(len(folds))])  # fmt: skip


def draw_rows(name, random):
    """Tokens of all sequences become the rows of a matrix."""
    channels = random.choice(SIZES)
    x, y = Argument("batch", "length", channels), Argument("batch * length", channels)
    body = f"""%y = heddle.generic over ["batch * length", {channels}] ins(%x : {x})
maps [affine_map<(m, c)[length] -> (m floordiv length, m mod length, c)>] symbols ["length"] {{
^bb0(%e: f32):
%r = arith.addf %e, %e : f32
heddle.yield %r : f32
}} : {y}"""
    calls = [{"batch": batch, "length": random.choice(SIZES)} for batch in (1, 3)]
    return Function(name, {"x": x}, {"y": y}, body,
                    lambda x: 2 * x.reshape(-1, channels), calls)  # fmt: skip


def draw_read(name, random):
    """A row that the caller gives, and a column that follows from the place."""
    rows, columns, over = (random.choice(SIZES) for _ in range(3))
    step, shift = random.choice((-3, -1, 0, 1, 2)), random.choice((-40, -2, 0, 1, 7))
    has_fill = random.random() < 0.5
    table = Argument("rows", columns) if random.random() < 0.5 else Argument(rows, columns)
    ids = Argument("n", element="i32",
                   fill=lambda rng, shape, sizes: rng.integers(-4, rows + 5, shape))  # fmt: skip
    y = Argument("n", over)
    fill = " fill(%zero)" if has_fill else ""
    body = f"""%y = heddle.generic over ["n", {over}] ins(%ids : {ids})
maps [affine_map<(d0, d1) -> (d0)>] tables(%table : {table}) {{
^bb0(%row: i32, %t: {table}):
%i = heddle.index 1
%step = arith.constant {step} : i32
%shift = arith.constant {shift} : i32
%zero = arith.constant 0.25 : f32
%m = arith.muli %i, %step : i32
%column = arith.addi %m, %shift : i32
%r = heddle.read %t[%row, %column]{fill} : {table}
heddle.yield %r : f32
}} : {y}"""

    def compute(table, ids):
        row, column = numpy.broadcast_arrays(ids[:, None], numpy.arange(over) * step + shift)
        inside = (row >= 0) & (row < len(table)) & (column >= 0) & (column < columns)
        found = table[numpy.clip(row, 0, len(table) - 1), numpy.clip(column, 0, columns - 1)]
        return numpy.where(inside, found, 0.25) if has_fill else found

    calls = [{"n": n, "rows": rows} for n in (1, random.choice(SIZES))]
    return Function(name, {"table": table, "ids": ids}, {"y": y}, body, compute, calls)


def draw(name, random):
    return random.choice((draw_fold, draw_fold, draw_rows, draw_read))(name, random)


DRAWN = {"generic": draw}
