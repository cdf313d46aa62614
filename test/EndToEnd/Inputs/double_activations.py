# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of f64 compute in f64.

    double_activations.py WEIGHTS...

Compiles each layer of narrow_activations.py with activations of f64 and weights of f32 or f64.
heddlec --verify compares it with the formula of its description within the roundings of doubles;
a call here differs from the layer of f32 by roundings of that.
"""
import re
import subprocess
import sys

import numpy

from narrow_activations import ENCODER, LAYERS, literal, run, tensor, write_function


def verify(path):
    """Each layer, what it is verified within, and the largest of its numbers."""
    printed = subprocess.run(
        ["heddlec", "--quiet", path, "--verify", "--emit=shared", "-o", "m.so"], check=True,
        capture_output=True, text=True).stdout
    return re.findall(r"verified (\w+)_double as a whole: .* of tolerance (\S+) .* up to (\S+)",
                      printed)


def check(weights):
    generator = numpy.random.default_rng()
    drawn = [(f"@{name}_{w}", sizes) for name, layer in LAYERS.items()
             for w, sizes in layer[1].items()]
    drawn += [(f'@"e.layers.{number}.{w}"', sizes) for number in range(2)
              for w, sizes in ENCODER.items()]
    lines = []
    for name, sizes in drawn:
        text = literal(generator, sizes)
        if weights == "f64":
            array = numpy.frombuffer(bytes.fromhex(text.split('"')[1][2:]), "<f4").astype("<f8")
            text = f'dense<"0x{array.tobytes().hex().upper()}"> : {tensor(sizes, "f64")}'
        lines.append(f"heddle.weight {name} = {text}")
    for name, layer in LAYERS.items():
        double = write_function(name + "_double", layer, "f64", False)
        lines.append(double.replace("xf32>", f"x{weights}>"))
        if weights == "f32":
            lines.append(write_function(name + "_single", layer, "f32", False))
    with open("m.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    verified = verify("m.mlir")
    assert {name for name, _, _ in verified} == set(LAYERS), verified
    for name, tolerance, largest in verified:
        assert float(tolerance) < 1e-11 * float(largest), f"{name} is verified within {tolerance}"
    for name, (activations, _, _, results) in LAYERS.items() if weights == "f32" else ():
        inputs = {key: generator.standard_normal(sizes).astype("<f4")
                  for key, sizes in activations.items()}
        double = run(name + "_double", inputs, len(results), "f64")
        single = run(name + "_single", inputs, len(results), "f32")
        for found, expected in zip(double, single):
            error = numpy.abs(found - expected).max() / numpy.abs(expected).max()
            assert found.dtype == "<f8" and error < 1e-5, f"{name} is off by {error}"
    print(f"{len(LAYERS)} layers of f64 and weights of {weights}")


for element in sys.argv[1:]:
    check(element)
