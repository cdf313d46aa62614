# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model, and compares calls of it with its formula."""
import numpy

from judge.running import Failure, run

# No sum has more than 300 terms, and each layer of at most four ends or begins with a norm,
# so that f32 loses some ten of its 24 bits: the largest element may be off by 1e-4 of it.
TOLERANCE = 1e-4


def compare(name, space, found, expected):
    for index, (got, want) in enumerate(zip(found, expected)):
        if got.shape != want.shape:
            raise Failure(f"{name}: result {index} of {space} is {got.shape}, not {want.shape}")
        worst = numpy.abs(got - want).max() / max(numpy.abs(want).max(), 1e-30)
        if not worst <= TOLERANCE:
            raise Failure(f"{name}: result {index} of {space} is off by {worst:.2g} of its largest")


def check(name, model, compute, target, spaces):
    """Calls with each of some spaces: batch, length, source."""
    model.write()
    artifact = f"./{name}.so"
    run("heddlec", f"{name}.mlir", f"--weights={name}", f"--target-cpu={target}", "--verify",
        "--quiet", "--emit=shared", "-o", artifact)  # fmt: skip
    for space in spaces:
        symbols = dict(zip(("batch", "length", "source"), space))
        arrays = model.inputs(symbols)
        command = ["heddle-run", "run", artifact, f"--entry={name}"]
        for argument, array in arrays.items():
            numpy.save(f"{argument}.npy", array)
            command.append(f"--input={argument}={argument}.npy")
        outputs = [f"r{index}" for index in range(len(model.results))]
        run(*command, *(f"--output={output}={output}.npy" for output in outputs))
        expected = compute({key: a.astype(numpy.float64 if a.dtype.kind == "f" else a.dtype)
                            for key, a in arrays.items()}, model.weights)  # fmt: skip
        compare(name, space, [numpy.load(output + ".npy") for output in outputs], expected)
