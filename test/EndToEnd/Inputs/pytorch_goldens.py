# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a module of pytorch/, calls each of its functions and compares the results with
those of PyTorch.

    pytorch_goldens.py FOLDER

FOLDER is one that pytorch/goldens.py has written, and model.mlir in it has a function for each
case.
"""
import pathlib
import sys

import numpy

from judge.running import Failure, run

# Elements are of order 1, f32 rounds by 6e-8 of them, and sums have at most 40 terms: the worst
# result was seen to be off by 1.1e-6.
TOLERANCE = 1e-5
EXPECTED = "expected."


def check(case):
    arrays = {path.stem: path for path in sorted(case.glob("*.npy"))}
    inputs = {name: path for name, path in arrays.items() if not name.startswith(EXPECTED)}
    expected = {name[len(EXPECTED) :]: arrays[name] for name in arrays.keys() - inputs.keys()}
    run("heddle-run", "run", "./model.so", f"--entry={case.name}",
        *(f"--input={name}={path}" for name, path in inputs.items()),
        *(f"--output={name}={name}.npy" for name in expected))  # fmt: skip
    for name, path in expected.items():
        found, wanted = numpy.load(name + ".npy"), numpy.load(path)
        if found.shape != wanted.shape:
            raise Failure(f"{name} is {found.shape}, not {wanted.shape}")
        error = numpy.abs(found.astype("f8") - wanted).max()
        if not error <= TOLERANCE:
            raise Failure(f"{name} is off by {error:.2g}")


folder = pathlib.Path(sys.argv[1])
run("heddlec", str(folder / "model.mlir"), f"--weights={folder}", "--quiet", "--emit=shared",
    "-o", "model.so")  # fmt: skip
for case in sorted(path for path in folder.iterdir() if path.is_dir()):
    try:
        check(case)
        print(f"{case.name}: within 1e-5")
    except Failure as failure:
        print(f"{case.name}: {failure}")
