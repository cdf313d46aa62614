# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that are doubled and halved so often that only what remembers shared values ends; the
second ones are larger than what they are made of, and stay in kernels."""
import sys

TIMES = int(sys.argv[1])
print("heddle.weight @w = dense<[1.0, 2.0]> : tensor<2xf32>")
print("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {")
print("  %half = arith.constant dense<0.5> : tensor<2xf32>")
print("  %y0 = heddle.weight_ref @w : tensor<2xf32>")
for i in range(TIMES):
    print(f"  %s{i} = arith.addf %y{i}, %y{i} : tensor<2xf32>")
    print(f"  %y{i + 1} = arith.mulf %s{i}, %half : tensor<2xf32>")
print(f"  %z = arith.addf %x, %y{TIMES} : tensor<2xf32>\n  return %z : tensor<2xf32>\n}}")
print("func.func @g(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {")
print("  %w = heddle.weight_ref @w : tensor<2xf32>")
print("  %half = arith.constant dense<0.5> : tensor<9x2xf32>")
print("  %y0 = heddle.broadcast %w to [9, 2] : tensor<2xf32> -> tensor<9x2xf32>")
for i in range(TIMES):
    print(f"  %s{i} = arith.addf %y{i}, %y{i} : tensor<9x2xf32>")
    print(f"  %y{i + 1} = arith.mulf %s{i}, %half : tensor<9x2xf32>")
print(f"  %z = arith.addf %x, %y{TIMES} : tensor<9x2xf32>\n  return %z : tensor<9x2xf32>\n}}")
