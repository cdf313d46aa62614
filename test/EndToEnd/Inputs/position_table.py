# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs position_table.mlir, compiled to position_table.o, and compares it with NumPy."""
import subprocess
import sys
import time

import numpy

from judge.running import run

seed = time.time_ns() % 2**31
print(f"seed {seed}", file=sys.stderr)
random = numpy.random.default_rng(seed)
table = random.standard_normal((512, 64), numpy.float32)
numpy.save("p.npy", table)


def command(entry, x, *outputs):
    numpy.save("x.npy", x)
    files = [f"--output={name}={name}.npy" for name in outputs]
    return ["heddle-run", "run", "position_table.o", f"--entry={entry}", "--input=x=x.npy",
            "--input=p=p.npy", *files]  # fmt: skip


def check(name, expected):
    assert numpy.array_equal(numpy.load(f"{name}.npy"), expected), name


def floats(*shape):
    return random.standard_normal(shape, numpy.float32)


for length in (1, 7, 64, 511, 512):
    x = floats(3, length, 64)
    run(*command("f", x, "y"))
    check("y", x + table[:length])
for length in (8, 31, 512):
    x = floats(length, 64)
    run(*command("backwards", x, "y", "largest"))
    check("y", x + table[:length][::-1])
    check("largest", numpy.sort(x.T, axis=1)[:8, ::-1][:, :8])
for entry, x in ("f", floats(1, 513, 64)), ("backwards", floats(7, 64)):
    refused = subprocess.run(command(entry, x, "y"), capture_output=True, text=True)
    assert refused.returncode == 1, refused
    print(refused.stderr.strip())
