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
    contents = contents or o.model(o.graph(*arguments), **more)
    pathlib.Path("model.onnx").write_bytes(contents)
    command = ["heddlec", "--quiet", "model.onnx", "-o", "model.o", *options]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = result.stderr.strip().splitlines()
    status = "" if result.returncode == 1 else f" ({result.returncode})"
    print(f"{what}: {lines[-1] if lines else 'no message'}{status}")
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
floats_times_integers = [o.node("MatMul", ["x", "w"], ["y"], name="n")], [X], [Y], {"w": numpy.ones((4, 4), "i8")}
report("floats times integers", *floats_times_integers)
report("shape that is computed", [o.node("Reshape", ["x", "s"], ["y"])], [X, o.value("s", "i8", [2])], [Y])
report("axis", [o.node("Softmax", ["x"], ["y"], name="n", axis=2)], [X], [Y])


def floats(*sizes):
    """The head of a TensorProto `w` of f32."""
    return b"".join(o.field(1, size) for size in sizes) + o.field(2, 1) + o.field(8, "w")


product = [o.node("MatMul", ["x", "w"], ["y"])], [X], [Y]
report("short tensor", *product, [floats(4, 4) + o.field(9, bytes(60))])
report("huge tensor", *product, [floats(1 << 40, 1 << 40)])
report("two tensors of one name", *product, [o.tensor(W, "w")] * 2)
report("text in a tensor", *product, [o.field(2, 8) + o.field(8, "w")])
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
    report("external data, " + what, *product, [o.tensor(W, "w", external=place)])
deep = b""
for _ in range(1000):
    deep = o.field(1, o.field(4, "If") + o.field(5, o.attribute("then_branch", deep)))
report("deep", contents=o.field(1, 8) + o.field(7, deep))


def body(*nodes, inputs=(), outputs=("a",)):
    values = [o.value(name, kind, []) for name, kind in inputs]
    return o.graph(nodes, values, [o.value(name, "f4", []) for name in outputs])


def function(name, *nodes, attributes=()):
    return o.function("mine", name, ["x"], ["y"], nodes, attributes)


def call(name, *inputs, output="y", **attributes):
    return o.node(name, inputs or ["x"], [output], "mine", name="call", **attributes)


FLAG = o.value("flag", "b1", [])
whole, part = body(o.node("Neg", ["x"], ["a"])), body(o.node("ReduceSum", ["x"], ["a"]))
branches = {"then_branch": whole, "else_branch": part}
report("branches that differ", [o.node("If", ["flag"], ["y"], name="n", **branches)], [X, FLAG], [Y])
branches["else_branch"] = body(o.node("Neg", ["z"], ["a"]))
report("branch without its input", [o.node("If", ["flag"], ["y"], name="n", **branches)], [X, FLAG], [Y])
IMAGE = o.value("i", "f4", [1, 2, 5, 5])
conv = o.node("Conv", ["i", "k"], ["y"], name="n", auto_pad="SAME_UPPER", strides=[0, 1])
report("stride of 0", [conv], [IMAGE], [Y], {"k": numpy.ones((2, 2, 3, 3), "f4")})
branches = {"then_branch": whole, "else_branch": whole}
uses_second = o.node("If", ["flag"], ["t", "u"], name="n", **branches), o.node("Neg", ["u"], ["y"], name="user")
report("no such result", uses_second, [X, FLAG], [Y])
state = (("i", "i8"), ("c", "b1"), ("v", "f4"))
step = body(o.node("Neg", ["v"], ["a"]), inputs=state, outputs=["c", "a"])
TRIPS = o.value("trips", "i8", [])
report("turns", [o.node("Loop", ["trips", "", "x"], ["y"], name="n", body=step)], [X, TRIPS], [Y])
report("endless", [o.node("Loop", ["", "", "x"], ["y"], name="n", body=step)], [X], [Y])
functions = {"domains": ["mine"]}
report("function of itself", [call("F")], [X], [Y], functions=[function("F", call("F"))], **functions)
twice = [function(f"F{i}", call(f"F{i + 1}", output="t"), call(f"F{i + 1}", "t")) for i in range(30)]
report("explosion", [call("F0")], [X], [Y], functions=[*twice, function("F30", relu("x"))], **functions)
relu_of_x = function("F", relu("x"))
report("function's attribute", [call("F", a=1)], [X], [Y], functions=[relu_of_x], **functions)
report("function's inputs", [call("F", "x", "x")], [X], [Y], functions=[relu_of_x], **functions)
report("inside", [call("F")], [X], [Y], functions=[function("F", relu("z", name="inner"))], **functions)
report("coordinates", [o.node("NonZero", ["x"], ["y"], name="n")], [X], [Y])
for equation in ("ij,jk->ik", "iij->i", "ij->ik", "i->i", "ij...k->i"):
    report("equation", [o.node("Einsum", ["x"], ["y"], name="n", equation=equation)], [X], [Y])
nbits = {"K": 4, "N": 4, "block_size": 32}
BITS = o.node("MatMulNBits", ["x", "w", "w"], ["y"], "com.microsoft", name="n", **nbits)
report("bits", [BITS], [X], [Y], {"w": numpy.ones(63, "u1")}, domains=["com.microsoft"])
BLOCKS = o.node("DequantizeLinear", ["w", "s"], ["y"], name="n", axis=0, block_size=3)
blocks = {"w": numpy.ones((4, 4), "i1"), "s": numpy.ones((2, 4), "f4")}
report("blocks", [BLOCKS], [X], [Y], blocks)
BLOCKS = o.node("DequantizeLinear", ["w", "s"], ["y"], name="n", axis=0, block_size=-2)
report("negative blocks", [BLOCKS], [X], [Y], blocks)
squares = [o.node("Shape", ["x"], ["s0"], name="shape")]
squares += [o.node("Mul", [f"s{i}"] * 2, [f"s{i + 1}"], name=f"square {i}") for i in range(16)]
report("squares", [*squares, o.node("Expand", ["x", "s16"], ["y"])], [X], [Y])
doubled = [o.node("Shape", ["x"], ["s0"], name="shape")]
doubled += [o.node("Concat", [f"s{i}"] * 2, [f"s{i + 1}"], name=f"twice {i}", axis=0) for i in range(24)]
report("long shape", [*doubled, o.node("Expand", ["x", "s24"], ["y"], name="n")], [X], [Y])
report("weights", [relu("x")], [X], [Y], options=["--weights=folder"])
report("caches", [relu("x")], [X], [Y], options=["--cache-type=bf16"])
