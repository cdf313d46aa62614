"""Writes modules whose compile time grew faster than they do: large_modules.py KIND COUNT.

ops       so many ops of several kinds, none of which can be left out
additions a chain of additions, each of the one before and of an earlier one
shared    a chain of integers, each the one before added to itself
choices   a chain of scf.if, each of which hands on two tensors in two orders
"""

import sys

kind, count = sys.argv[1], int(sys.argv[2])
x = "tensor<4x64xf32>"


def ops():
    print(f"func.func @f(%v0: {x}) -> {x} {{")
    for i in range(count):
        last, other = f"%v{i}", f"%v{max(i - 7, 0)}"
        form = [
            f"arith.addf {last}, {other} : {x}",
            f"math.tanh {last} : {x}",
            f"heddle.softmax {last} axis(1) : {x}",
            f"arith.mulf {last}, {other} : {x}",
        ][i % 4]
        print(f"  %v{i + 1} = {form}")
    print(f"  return %v{count} : {x}\n}}")


def additions():
    print(f"func.func @f(%v0: {x}) -> {x} {{")
    for i in range(count):
        print(f"  %v{i + 1} = arith.addf %v{i}, %v{i if i % 2 else 0} : {x}")
    print(f"  return %v{count} : {x}\n}}")


def shared():
    integers = "tensor<2xi32>"
    print(f"func.func @f(%v0: {integers}) -> {integers} {{")
    for i in range(count):
        print(f"  %v{i + 1} = arith.addi %v{i}, %v{i} : {integers}")
    print(f"  return %v{count} : {integers}\n}}")


def choices():
    print(f"func.func @f(%a0: {x}, %k: tensor<i32>) -> ({x}, {x}) {{")
    print("  %zero = arith.constant 0 : i32")
    print("  %n = tensor.extract %k[] : tensor<i32>")
    print("  %p = arith.cmpi eq, %n, %zero : i32")
    print(f"  %b0 = math.tanh %a0 : {x}")
    for i in range(count):
        print(f"  %a{i + 1}, %b{i + 1} = scf.if %p -> ({x}, {x}) {{")
        print(f"    %u = arith.addf %a{i}, %b{i} : {x}")
        print(f"    scf.yield %u, %a{i} : {x}, {x}\n  }} else {{")
        print(f"    %u = arith.subf %b{i}, %a{i} : {x}")
        print(f"    scf.yield %b{i}, %u : {x}, {x}\n  }}")
    print(f"  return %a{count}, %b{count} : {x}, {x}\n}}")


{"ops": ops, "additions": additions, "shared": shared, "choices": choices}[kind]()
