# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives heddle-opt lists of dimensions, right and wrong ones, behind linalg ops and in
attributes, and counts what it says."""

import subprocess

REDUCE = """func.func @f(%a: tensor<2xf32>, %b: tensor<f32>) -> tensor<f32> {{
  %r = linalg.reduce ins(%a : tensor<2xf32>) outs(%b : tensor<f32>) {}
    (%x: f32, %y: f32) {{ linalg.yield %x : f32 }}
  return %r : tensor<f32>
}}"""
TRANSPOSE = """func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {{
  %r = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%b : tensor<3x2xf32>) {}
  return %r : tensor<3x2xf32>
}}"""
WRONG = [(REDUCE, "dimensions " + rest) for rest in (
    "= [0.0]", "=\n[0.0]", "= 5", "=", "", "= array<i64: 0>", "= [0", "= [0,]", "= [0 1]",
    "= [--1]", "= [99999999999999999999]", "= [ // c\n 0.0]", "= // c\n [0.0]", "// c\n = [0.0]")] + [
    (TRANSPOSE, "permutation " + rest) for rest in ("= {}", "= [1, 0.0]", "= [1, x]")] + [
    (REDUCE, "// c\n dimensions = [0.0]")]  # fmt: skip
RIGHT = [
    REDUCE.format("dimensions = [0]"), REDUCE.format("dimensions // [0.0]\n = // c\n [ 0x0 ]"),
    TRANSPOSE.format("permutation = [1,\n0]"),
    "func.func private @g() attributes {x.d = 1, dimensions = [0 : i64, 1 : i64]}",
    'func.func private @g() attributes {reduction_dimensions = ["x"], permutation = 1.5}',
]  # fmt: skip


def run(text):
    return subprocess.run(["heddle-opt", "-o", "/dev/null"], input=text, text=True, capture_output=True)


refused = taken = 0
for form, rest in WRONG:
    done = run(form.format(rest))
    if "a list of integers of 64 bits" in done.stderr and done.returncode == 1:
        refused += 1
    else:
        print(repr(rest), done.returncode, done.stderr)
for text in RIGHT:
    done = run(text)
    if done.returncode == 0:
        taken += 1
    else:
        print(text, done.stderr)
print(f"{refused} of {len(WRONG)} wrong lists refused, {taken} of {len(RIGHT)} others taken")
