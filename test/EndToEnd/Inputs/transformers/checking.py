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
        symbols["capacity"] = symbols["length"] + 3
        arrays = model.inputs(symbols)
        expected = compute({key: a.astype(numpy.float64 if a.dtype.kind == "f" else a.dtype)
                            for key, a in arrays.items()}, model.weights)  # fmt: skip
        if not model.cache:
            compare(name, space, call(model, artifact, arrays, []), expected)
            continue
        # Tokens in two calls, of which the second has the cache of the first.
        cut = (symbols["length"] + 1) // 2
        for begin, end in ((0, cut), (cut, symbols["length"])):
            if begin == end:
                continue
            part = {key: of_tokens(model, key, a, begin, end) for key, a in arrays.items()}
            for key, number in (("starts", begin), ("counts", end - begin)):
                part[key] = numpy.full(symbols["batch"], number, "i4")
            options = [f"--size=capacity={symbols['capacity']}", "--cache-out=cache"]
            found = call(model, artifact, part, options + ["--cache-in=cache"] * (begin > 0))
            wanted = [a[:, begin:end] if a.ndim == 3 else a[:, :, begin:end] for a in expected]
            for index, array in enumerate(found):
                # Weights of positions that the cache does not hold are 0.
                pad = wanted[index].shape[-1]
                assert array.ndim == 3 or not array[..., pad:].any()
                found[index] = array[..., :pad]
            compare(name, space, found, wanted)


def of_tokens(model, name, array, begin, end):
    """What an argument has of some tokens."""
    sizes = model.arguments[name][1]
    return array.take(range(begin, end), axis=sizes.index("length")) if "length" in sizes else array


def call(model, artifact, arrays, options):
    command = ["heddle-run", "run", artifact, f"--entry={model.name}", *options]
    for argument, array in arrays.items():
        numpy.save(f"{argument}.npy", array)
        command.append(f"--input={argument}={argument}.npy")
    outputs = [f"r{index}" for index in range(len(model.results))]
    run(*command, *(f"--output={output}={output}.npy" for output in outputs))
    return [numpy.load(output + ".npy") for output in outputs]
