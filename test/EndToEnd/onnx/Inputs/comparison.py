# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs graphs that are written here, and compares with NumPy."""

import pathlib
import subprocess

import heddle
import numpy
import onnx_model as o

failed = 0


def run(nodes, given, results, stored=(), **options):
    """The results of a graph of `nodes` whose inputs are the arrays `given`, and whose initializers are `stored`."""
    values = [o.value(name, array.dtype.str[1:], array.shape) for name, array in given.items()]
    o.write("model.onnx", nodes, values, results, stored, **options)
    subprocess.run(["heddlec", "--quiet", "model.onnx", "--emit=shared", "-o", "model.so"], check=True)
    found = heddle.load("./model.so").run(**given)
    pathlib.Path("model.so").unlink()
    return list(found.values()) if isinstance(found, dict) else [found]


def report(what, found, wanted, tolerance=1e-5):
    global failed
    shapes = [x.shape for x in found], [x.shape for x in wanted]
    error = max(abs(x - y).max() for x, y in zip(found, wanted)) if shapes[0] == shapes[1] else shapes
    if shapes[0] != shapes[1] or not error < tolerance:
        failed += 1
        print(f"{what}: off by {error}")


def compare(nodes, given, expected, stored=(), tolerance=1e-5, **options):
    """`expected` are results by name, of which each is compared."""
    results = [o.value(name, array.dtype.str[1:].replace("f8", "f4"), array.shape) for name, array in expected.items()]
    for (name, wanted), found in zip(expected.items(), run(nodes, given, results, stored, **options)):
        report(name, [found.astype("f8")], [wanted.astype("f8")], tolerance)
