# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives heddlec ONNX files that are wrong, and prints what it says of each."""

import pathlib
import subprocess

import numpy
import onnx_model as o

X, Y = o.value("x", "f4", ["n", 4]), o.value("y", "f4", ["n", 4])
W = numpy.ones((4, 4), "f4")


def relu(*inputs, output="y", name="relu"):
    return o.node("Relu", inputs, [output], name=name)


def report(what, *arguments, contents=None, options=(), **more):
    pathlib.Path("model.onnx").write_bytes(o.model(o.graph(*arguments), **more) if contents is None else contents)
    result = subprocess.run(["heddlec", "--quiet", "model.onnx", "-o", "model.o", *options], capture_output=True, text=True)
    lines = result.stderr.strip().splitlines()
    print(f"{what}: {lines[-1] if lines else 'no message'}" + ("" if result.returncode == 1 else f" ({result.returncode})"))
    assert not pathlib.Path("model.o").exists()


good = o.model(o.graph([relu("x")], [X], [Y]))
report("cut", contents=good[:-9])
report("no graph", contents=o.field(1, 8) + o.field(8, o.field(2, 17)))
report("endless integer", contents=o.field(1, 8) + b"\x3a" + b"\xff" * 20)
report("unknown operator", [o.node("Nothing", ["x"], ["y"], name="n")], [X], [Y])
report("other domain", [o.node("Relu", ["x"], ["y"], domain="mine", name="n")], [X], [Y])
report("unknown attribute", [o.node("Relu", ["x"], ["y"], name="n", slope=2)], [X], [Y])
report("attribute of another type", [o.node("Softmax", ["x"], ["y"], name="n", axis=1.0)], [X], [Y])
report("missing input", [relu("z")], [X], [Y])
report("no input", [o.node("Add", ["x"], ["y"], name="n")], [X], [Y])
report("no such output", [relu("x", output="z")], [X], [Y])
report("two outputs of one name", [relu("x"), relu("x", name="other")], [X], [Y])
report("two inputs of one name", [relu("x")], [X, X], [Y])
report("cycle", [relu("b", output="a"), relu("a", output="b"), relu("b")], [X], [Y])
report("string", [relu("x")], [o.value("x", o.STRING, [2])], [Y])
report("no shape", [relu("x")], [o.field(1, "x") + o.field(2, o.field(1, o.field(1, 1)))], [Y])
report("sequence", [relu("x")], [o.field(1, "x") + o.field(2, o.field(4, b""))], [Y])
report("negative size", [relu("x")], [o.value("x", "f4", [-3])], [Y])
report("shapes that differ", [o.node("Add", ["x", "w"], ["y"], name="n")], [X], [Y], {"w": numpy.ones(3, "f4")})
report("types that differ", [o.node("Add", ["x", "w"], ["y"], name="n")], [X], [Y], {"w": numpy.ones(4, "i4")})
report("shape that is computed", [o.node("Reshape", ["x", "s"], ["y"])], [X, o.value("s", "i8", [2])], [Y])
report("axis", [o.node("Softmax", ["x"], ["y"], name="n", axis=2)], [X], [Y])
report("short tensor", [o.node("MatMul", ["x", "w"], ["y"])], [X], [Y], [o.field(1, 4) + o.field(1, 4) + o.field(2, 1) + o.field(8, "w") + o.field(9, bytes(60))])
report("huge tensor", [o.node("MatMul", ["x", "w"], ["y"])], [X], [Y], [o.field(1, 1 << 40) + o.field(1, 1 << 40) + o.field(2, 1) + o.field(8, "w")])
report("two tensors of one name", [o.node("MatMul", ["x", "w"], ["y"])], [X], [Y], [o.tensor(W, "w")] * 2)
report("text in a tensor", [o.node("MatMul", ["x", "w"], ["y"])], [X], [Y], [o.field(2, 8) + o.field(8, "w")])
for what, place in {
    "outside": ("../secret", 0, 64),
    "absolute": ("/etc/passwd", 0, 64),
    "missing": ("no.bin", 0, 64),
    "past the end": ("data.bin", 32, 64),
    "far past the end": ("data.bin", 1 << 63, 64),
    "no number": ("data.bin", "one", 64),
    "too short": ("data.bin", 0, 60),
}.items():
    pathlib.Path("data.bin").write_bytes(W.tobytes())
    report("external data, " + what, [o.node("MatMul", ["x", "w"], ["y"])], [X], [Y], [o.tensor(W, "w", external=place)])
deep = b""
for _ in range(1000):
    deep = o.field(1, o.field(4, "If") + o.field(5, o.field(1, "then_branch") + o.field(6, deep) + o.field(20, 5)))
report("deep", contents=o.field(1, 8) + o.field(7, deep))
report("weights", [relu("x")], [X], [Y], options=["--weights=folder"])
report("caches", [relu("x")], [X], [Y], options=["--cache-type=bf16"])
