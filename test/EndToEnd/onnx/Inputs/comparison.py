# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs graphs that are written here, and compares with NumPy, and with ONNX Runtime where
$NODE_PATH says where onnxruntime-node is."""

import json
import os
import pathlib
import subprocess
import tempfile

import heddle
import numpy
import onnx_model as o

failed = compared = 0


def run(nodes, given, results, stored=(), valid=..., **options):
    """The results of a graph of `nodes` whose inputs are the arrays `given`, and whose initializers are `stored`.
    ONNX Runtime has the same, or the same of the first one where `valid` is true."""
    values = [o.value(name, array.dtype.str[1:], array.shape) for name, array in given.items()]
    o.write("model.onnx", nodes, values, results, stored, **options)
    subprocess.run(["heddlec", "--quiet", "model.onnx", "--emit=shared", "-o", "model.so"], check=True)
    found = heddle.load("./model.so").run(**given)
    pathlib.Path("model.so").unlink()
    found = list(found.values()) if isinstance(found, dict) else [found]
    if "NODE_PATH" in os.environ:
        compare_with_runtime(given, found, valid)
    return found


def compare_with_runtime(given, found, valid):
    """Those of model.onnx."""
    global compared
    try:
        results = runtime_results(given)
    except RuntimeError as error:
        print(f"ONNX Runtime refuses: {error}")
        return
    compared += 1
    for index, ((name, theirs), mine) in enumerate(zip(results.items(), found)):
        if valid is not ... and index > 0:
            break
        theirs, mine = theirs[valid].astype("f8"), mine[valid].astype("f8")
        scale = max(1, abs(theirs).max(initial=0))
        report(f"ONNX Runtime, {name}", [mine / scale], [theirs / scale], 1e-4)


def runtime_results(given):
    """What ONNX Runtime makes of model.onnx, by name."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        described = []
        for index, (name, array) in enumerate(given.items()):
            described.append({"name": name, "type": array.dtype.name, "dims": array.shape})
            (folder / f"{index}.bin").write_bytes(array.tobytes())
        (folder / "inputs.json").write_text(json.dumps(described))
        script = pathlib.Path(__file__).parents[4] / "compiler/tools/heddle-run/onnxruntime.js"
        done = subprocess.run(["node", script, "model.onnx", folder], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        results = {}
        for index, each in enumerate(json.loads((folder / "results.json").read_text())):
            elements = numpy.frombuffer((folder / f"result{index}.bin").read_bytes(), each["type"])
            results[each["name"]] = elements.reshape(each["dims"])
        return results


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


def summarise():
    print(f"{failed} failed" + (f", {compared} models in ONNX Runtime, too" if compared else ""))
