# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares functions of f64, of numbers for which LLVM knows others, with the C library."""

import ctypes
import subprocess

import numpy

MODULE = """
func.func @%s(%%x: tensor<?xf64> {heddle.name = "x", heddle.sizes = ["n"]},
    %%k: tensor<?xi32> {heddle.name = "k", heddle.sizes = ["n"]}) -> (tensor<?xf64> {heddle.name = "y"}) {
  %%y = heddle.generic over ["n"] ins(%%x, %%k : tensor<?xf64>, tensor<?xi32>)
      maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] {
  ^bb0(%%v: f64, %%i: i32):
    %%f = arith.sitofp %%i : i32 to f64
    %%two = arith.constant 2.0 : f64
    %%ten = arith.constant 10.0 : f64
    %%half = arith.constant 0.5 : f64
    %%high = arith.constant 16.0 : f64
    %s
    heddle.yield %%r : f64
  } : tensor<?xf64>
  return %%y : tensor<?xf64>
}
"""
C = ctypes.CDLL("libm.so.6")


def library(name):
    function = getattr(C, name)
    function.restype = ctypes.c_double
    return lambda *numbers: function(*map(ctypes.c_double, numbers))


power, sin, cos = library("pow"), library("sin"), library("cos")
FUNCTIONS = {
    "power": ("%r = math.powf %v, %f : f64", power),
    "root": ("%r = math.powf %v, %half : f64", lambda v, i: power(v, 0.5)),
    "high": ("%r = math.powf %v, %high : f64", lambda v, i: power(v, 16)),
    "two": ("%r = math.exp2 %f : f64", lambda v, i: library("exp2")(i)),
    "doubled": ("%r = math.powf %two, %f : f64", lambda v, i: power(2, i)),
    "integer": ("%r = math.fpowi %v, %i : f64, i32", power),
    "ten": ("%r = math.powf %ten, %v : f64", lambda v, i: power(10, v)),
    "both": (
        "%s = math.sin %v : f64\n%c = math.cos %v : f64\n%r = arith.mulf %s, %c : f64",
        lambda v, i: sin(v) * cos(v),
    ),
}

with open("functions.mlir", "w", encoding="utf-8") as file:
    for name, (body, _) in FUNCTIONS.items():
        file.write(MODULE % (name, body))
subprocess.run(["heddlec", "--quiet", "functions.mlir", "--emit=shared", "-o", "functions.so"],
               check=True)
numbers = [-numpy.inf, numpy.inf, numpy.nan, 0.0, -0.0, -8.0, 1e-300, 300.0, 4e10]
numbers += list(numpy.random.default_rng().normal(0, 20, 16))
exponents = [-1100, -308, -3, 0, 1, 3, 300, 1000]
x = numpy.repeat(numbers, len(exponents))
k = numpy.tile(exponents, len(numbers)).astype("<i4")
numpy.save("x.npy", x)
numpy.save("k.npy", k)
for name, (_, function) in FUNCTIONS.items():
    subprocess.run(["heddle-run", "run", "functions.so", f"--entry={name}", "--input=x=x.npy",
                    "--input=k=k.npy", "--output", "y=y.npy"], check=True,
                   stdout=subprocess.DEVNULL)
    expected = numpy.array([function(*pair) for pair in zip(x, k)])
    got = numpy.load("y.npy")
    same = (got == expected) & (numpy.signbit(got) == numpy.signbit(expected))
    same |= numpy.isnan(got) & numpy.isnan(expected)
    wrong = [f"x = {a!r}, k = {b}: {c!r}, expected {d!r}" for a, b, c, d, right in
             zip(x, k, got, expected, same) if not right]
    print(f"{name}:", "; ".join(wrong) or "as the C library")
