# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs in graphs: functions, branches and loops, against NumPy."""

import subprocess

import comparison
import heddle
import numpy
import onnx_model as o
from comparison import compare

random = numpy.random.default_rng()
x, y = (random.standard_normal((3, 4)).astype("f4") for _ in range(2))
X, Y = x.astype("f8"), y.astype("f8")
FLOAT, INT = 1, 2


def body(nodes, inputs=(), outputs=()):
    """Outputs are names of floats, or have types, too."""
    outputs = [(each, "f4") if isinstance(each, str) else each for each in outputs]
    return o.graph(nodes, [o.value(*each) for each in inputs], [o.value(name, type_, None) for name, type_ in outputs])


# ---- Functions: attributes of calls and defaults, calls in each other, inputs that are not given.

scale = o.function(
    "mine",
    "Scale",
    ["x", "shift"],
    ["y"],
    [
        o.node("LeakyRelu", ["x"], ["y"], name="in", alpha=o.Reference("slope", FLOAT)),
    ],
    ["slope"],
)
twice = o.function(
    "mine",
    "Twice",
    ["a"],
    ["b", "unused"],
    [
        o.node("Scale", ["t"], ["b"], "mine", slope=o.Reference("slope", FLOAT)),
        o.node("Scale", ["a", ""], ["t"], "mine", slope=0.5),
        o.node("Neg", ["b"], ["unused"]),
    ],
    slope=0.25,
)
functions = [twice, scale]


def leaky(a, slope):
    return numpy.where(a < 0, slope * a, a)


compare(
    [
        o.node("Twice", ["x"], ["default"], "mine"),
        o.node("Twice", ["x"], ["given", "negative"], "mine", slope=2.0),
        o.node("Scale", ["y"], ["scaled"], "mine", slope=3.0),
    ],
    {"x": x, "y": y},
    {
        "default": leaky(leaky(X, 0.5), 0.25),
        "given": leaky(leaky(X, 0.5), 2),
        "negative": -leaky(leaky(X, 0.5), 2),
        "scaled": leaky(Y, 3),
    },
    functions=functions,
    domains=["mine"],
)

# ---- If: of a condition that follows from sizes one branch is there, of another both are. Branches read values around
# them, that stand in the file behind them.

known = o.node(
    "If",
    ["is_three"],
    ["known"],
    then_branch=body([o.node("Squeeze", ["column"], ["a"])], outputs=["a"]),
    else_branch=body([o.node("Identity", ["column"], ["b"])], outputs=["b"]),
)
unknown = o.node(
    "If",
    ["is_positive"],
    ["unknown", "same"],
    then_branch=body([o.node("Add", ["x", "later"], ["a"]), o.node("Shape", ["x"], ["s"])], outputs=["a", ("s", "i8")]),
    else_branch=body([o.node("Sub", ["x", "later"], ["b"]), o.node("Shape", ["x"], ["t"])], outputs=["b", ("t", "i8")]),
)
nodes = [
    unknown,
    known,
    o.node("Mul", ["y", "y"], ["later"]),
    o.node("Unsqueeze", ["x", "two"], ["column"]),
    o.node("Gather", ["shape", "zero"], ["rows"]),
    o.node("Shape", ["x"], ["shape"]),
    o.node("Equal", ["rows", "three"], ["is_three"]),
    o.node("ReduceSum", ["sign"], ["total"], keepdims=0),
    o.node("Greater", ["total", "nothing"], ["is_positive"]),
]
stored = {name: numpy.array(number, "i8") for name, number in (("zero", 0), ("three", 3))}
stored.update(two=numpy.array([2], "i8"), nothing=numpy.array(0, "f4"))
for sign in (1, -1):
    compare(
        nodes,
        {"x": x, "y": y, "sign": numpy.full(3, sign, "f4")},
        {"known": X, "unknown": X + sign * Y * Y, "same": numpy.array([3, 4])},
        stored,
    )

# ---- Loop: carried values, outputs that are stacked, and conditions that end it.

step = body(
    [
        o.node("Cast", ["turn"], ["factor"], to=1),
        o.node("Mul", ["x", "factor"], ["part"]),
        o.node("Add", ["sum", "part"], ["next"]),
        o.node("Less", ["turn", "last"], ["goes_on"]),
    ],
    [("turn", "i8", []), ("condition", "b1", []), ("sum", "f4", [3, 4])],
    [("goes_on", "b1"), "next", "next"],
)
compare(
    [
        o.node("Loop", ["trips", "", "y"], ["fixed", "all"], body=step),
        o.node("Loop", ["", "yes", "y"], ["ended", ""], body=step),
    ],
    {"x": x, "y": y},
    {
        "fixed": Y + 3 * X,
        "all": numpy.stack([Y, Y + X, Y + 3 * X]),
        "ended": Y + 15 * X,
    },
    {"trips": numpy.array(3, "i8"), "last": numpy.array(5, "i8"), "yes": numpy.array(True)},
)

# ---- Weights that are called as functions of the compiled model are.

names = ["run", "run_", "copy", "trial", "forward", "encode", "prefill", "decode", "run_linear"]
weights = {name: random.standard_normal((4, 4)).astype("f4") for name in names}
nodes = [o.node("MatMul", ["x", name], [f"product {name}"]) for name in names]
compare(nodes, {"x": x}, {f"product {name}": X @ weight for name, weight in weights.items()}, weights)

# ---- Slices of a size that the caller chooses, which is at least as large as they say.

nodes = [
    o.node("Slice", ["x", "third", "end", "axis"], ["last"]),
    o.node("Slice", ["x", "start", "fifth", "axis"], ["first"]),
]
stored = {"third": [-3], "end": [2**63 - 1], "start": [0], "fifth": [5], "axis": [1]}
results = [o.value("last", "f4", ["b", 3]), o.value("first", "f4", ["b", 5])]
o.write("model.onnx", nodes, [o.value("x", "f4", ["b", "n"])], results, {k: numpy.array(v) for k, v in stored.items()})
subprocess.run(["heddlec", "--quiet", "model.onnx", "--emit=shared", "-o", "model.so"], check=True)
model, x = heddle.load("./model.so"), random.standard_normal((2, 6)).astype("f4")
found = model.run(x=x)
comparison.report("slices", [found["last"], found["first"]], [x[:, -3:], x[:, :5]])
try:
    model.run(x=x[:, :4])
except heddle.HeddleError as error:
    print(error)
comparison.summarise()
