# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators with unusual attributes and inputs, beside ONNX Runtime, which $NODE_PATH says where to find."""

import pathlib
import subprocess

import heddle
import numpy
import onnx_model as o
from comparison import runtime_results

random = numpy.random.default_rng()
same, different, refused = 0, 0, []


def f(*shape):
    return random.standard_normal(shape).astype("f4")


def i8(*numbers):
    return numpy.array(numbers, "i8")


def case(what, op, given, attributes={}, stored={}, outs=1, types=None, opset=17, domain="", free=9):
    """A node with inputs that are given, and such that the file has; `order` among the attributes is that of
    all inputs, with gaps. Sizes of the first input have names, from dimension `free` on."""
    attributes = dict(attributes)
    order = attributes.pop("order", [*given, *stored])
    names = [f"y{number}" for number in range(outs)]
    results = [o.value(name, type_, None) for name, type_ in zip(names, types or ["f4"] * outs)]
    inputs = [o.value(name, array.dtype.str[1:], array.shape) for name, array in given.items()]
    name, array = next(iter(given.items()))
    sizes = [f"size{d}" if d >= free else size for d, size in enumerate(array.shape)]
    inputs[0] = o.value(name, array.dtype.str[1:], sizes)
    nodes = [o.node(op, order, names, domain, name="node", **attributes)]
    o.write("model.onnx", nodes, inputs, results, stored, opset=opset, domains=["com.microsoft"])
    command = ["heddlec", "--quiet", "model.onnx", "--emit=shared", "-o", "model.so"]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        refused.append(what)
        assert compiled.stderr.startswith("heddlec: error: model.onnx: node 'node'"), compiled.stderr
        return
    found = heddle.load("./model.so").run(**given)
    pathlib.Path("model.so").unlink()
    compare(what, found.values() if isinstance(found, dict) else [found], runtime_results(given).values())


def compare(what, found, wanted):
    global same, different
    for mine, theirs in zip(found, wanted):
        is_equal = mine.shape == theirs.shape and numpy.allclose(mine, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)
        if not is_equal:
            different += 1
            print(f"{what}: {mine}, ONNX Runtime has {theirs}")
            return
    same += 1


x = f(3, 4, 5)

# ---- Reductions, and choices of extremes

case("softmax axis 0", "Softmax", {"x": x}, {"axis": 0})
case("softmax -2", "Softmax", {"x": x}, {"axis": -2})
case("logsoftmax", "LogSoftmax", {"x": x}, {"axis": 1})
case("reduce no axes noop", "ReduceSum", {"x": x}, {"noop_with_empty_axes": 1})
case("reduceL2 noop", "ReduceL2", {"x": x}, {"noop_with_empty_axes": 1}, opset=18)
case("reduce all keep", "ReduceSum", {"x": x}, {"keepdims": 1})
case("reducemean 18 axes", "ReduceMean", {"x": x}, {"keepdims": 0}, {"a": i8(-1, 0)}, opset=18)
case("reduceL2", "ReduceL2", {"x": x}, {"axes": [1], "keepdims": 0}, opset=13)
case("reduceL1", "ReduceL1", {"x": x}, {"axes": [-1]}, opset=13)
case("reducelogsumexp", "ReduceLogSumExp", {"x": x * 100}, {"axes": [-1]}, opset=13)
case("reducelogsum", "ReduceLogSum", {"x": abs(x)}, {"axes": [-1]}, opset=13)
case("reduceprod", "ReduceProd", {"x": x}, {"axes": [0]}, opset=13)
case("reducesumsquare", "ReduceSumSquare", {"x": x}, {"axes": [0, 2]}, opset=13)
case("reducemax int", "ReduceMax", {"x": (x * 10).astype("i4")}, {"axes": [1]}, opset=13, types=["i4"])
case("reducemin", "ReduceMin", {"x": x}, {"axes": [1], "keepdims": 0}, opset=13)
case("argmax last", "ArgMax", {"x": numpy.round(x)}, {"axis": 1, "select_last_index": 1}, types=["i8"])
case("argmin", "ArgMin", {"x": numpy.round(x)}, {"axis": -1, "keepdims": 0}, types=["i8"])
case("topk", "TopK", {"x": x}, {"axis": 1}, {"k": i8(2)}, outs=2, types=["f4", "i8"])
case(
    "topk smallest",
    "TopK",
    {"x": x},
    {"axis": -1, "largest": 0},
    {"k": i8(3)},
    outs=2,
    types=["f4", "i8"],
)
case("topk ties", "TopK", {"x": numpy.round(x)}, {"axis": -1}, {"k": i8(3)}, outs=2, types=["f4", "i8"])
case("cumsum ex rev", "CumSum", {"x": x}, {"exclusive": 1, "reverse": 1}, {"a": numpy.array(1, "i8")})
case("cumsum neg axis", "CumSum", {"x": x}, {}, {"a": numpy.array(-1, "i4")})

# ---- Elements

case(
    "int div",
    "Div",
    {"a": numpy.array([-7, 7, -7, 7, 0], "i4"), "b": numpy.array([2, -2, -2, 2, 3], "i4")},
    types=["i4"],
)
case(
    "int mod",
    "Mod",
    {"a": numpy.array([-7, 7, -7, 7, 0], "i4"), "b": numpy.array([2, -2, -3, 3, 3], "i4")},
    types=["i4"],
)
case("fmod", "Mod", {"a": f(20), "b": f(20)}, {"fmod": 1})
case(
    "fmod int",
    "Mod",
    {"a": numpy.array([-7, 7, -7, 7, 0], "i4"), "b": numpy.array([2, -2, -3, 3, 3], "i4")},
    {"fmod": 1},
    types=["i4"],
)
case("pow int exp", "Pow", {"a": f(5), "b": numpy.array([2, 3, 0, 1, 2], "i4")})
case(
    "pow int base",
    "Pow",
    {"a": numpy.array([2, 3, -2], "i4"), "b": numpy.array([2.0, 3.0, 3.0], "f4")},
    types=["i4"],
)
case("round", "Round", {"a": numpy.array([0.5, 1.5, -0.5, -2.5, 2.4], "f4")})
case("sign", "Sign", {"a": numpy.array([0.0, -0.0, 3, -3, numpy.nan], "f4")})
case("clip", "Clip", {"a": f(9)}, {}, {"lo": numpy.array(-0.5, "f4")})
case("clip no min", "Clip", {"a": f(9)}, {"order": ["a", "", "hi"]}, {"hi": numpy.array(0.5, "f4")})
case("clip min>max", "Clip", {"a": f(9)}, {}, {"lo": numpy.array(0.5, "f4"), "hi": numpy.array(-0.5, "f4")})
case(
    "clip nan",
    "Clip",
    {"a": numpy.array([numpy.nan, 1, 3], "f4")},
    {},
    {"lo": numpy.array(0, "f4"), "hi": numpy.array(2, "f4")},
)
case(
    "max nan",
    "Max",
    {"a": numpy.array([numpy.nan, 1, 3], "f4"), "b": numpy.array([1, numpy.nan, 2], "f4")},
)
case("min three", "Min", {"a": f(3), "b": f(2, 3), "c": f(1)})
case("mean", "Mean", {"a": f(3), "b": f(2, 3)})
case("sum one", "Sum", {"a": f(3)})
case("cast f->i", "Cast", {"a": numpy.array([1.9, -1.9, 300, -300], "f4")}, {"to": 6}, types=["i4"])
case("cast f->u8", "Cast", {"a": numpy.array([1.9, 0.2, 255], "f4")}, {"to": 2}, types=["u1"])
case(
    "cast f->bool",
    "Cast",
    {"a": numpy.array([1.9, 0, -0.0, numpy.nan, 0.1], "f4")},
    {"to": 9},
    types=["b1"],
)
case("cast f->f16", "Cast", {"a": f(9) * 10000.0}, {"to": 10}, types=["f2"])
case("cast i8->i4 wrap", "Cast", {"a": i8(2 ** 33 + 5, -3)}, {"to": 6}, types=["i4"])

# ---- Indices

case("gather neg", "Gather", {"x": x}, {"axis": 1}, {"i": i8(-1, 0, -4)})
case("gather scalar", "Gather", {"x": x}, {"axis": -1}, {"i": numpy.array(-2, "i8")})
case("gatherelements neg", "GatherElements", {"x": x, "i": random.integers(-4, 4, (3, 2, 5))}, {"axis": 1})
case("gathernd", "GatherND", {"x": x, "i": random.integers(-3, 3, (2, 2))}, {"batch_dims": 0})
case("gathernd batch", "GatherND", {"x": x, "i": random.integers(-4, 4, (3, 2, 1))}, {"batch_dims": 1})
case(
    "scatterelements add",
    "ScatterElements",
    {"x": x, "i": random.integers(-4, 4, (3, 2, 5)), "u": f(3, 2, 5)},
    {"axis": 1, "reduction": "add"},
)
case(
    "scatterelements max",
    "ScatterElements",
    {"x": x, "i": random.integers(-4, 4, (3, 2, 5)), "u": f(3, 2, 5)},
    {"axis": 1, "reduction": "max"},
    opset=18,
)
case(
    "scatternd mul",
    "ScatterND",
    {"x": x, "i": random.integers(0, 3, (2, 1)), "u": f(2, 4, 5)},
    {"reduction": "mul"},
    opset=18,
)
case("scatternd neg", "ScatterND", {"x": x, "i": numpy.array([[-1], [0]]), "u": f(2, 4, 5)})

# ---- Shapes

case("slice neg step", "Slice", {"x": x}, {}, {"s": i8(-1), "e": i8(-2 ** 62), "a": i8(1), "t": i8(-2)})
case("slice neg step2", "Slice", {"x": x}, {}, {"s": i8(10), "e": i8(0), "a": i8(2), "t": i8(-1)})
case("slice out", "Slice", {"x": x}, {}, {"s": i8(3), "e": i8(1000), "a": i8(0)})
case(
    "onehot neg axis",
    "OneHot",
    {"i": random.integers(-4, 4, (2, 3))},
    {"axis": 0},
    {"d": numpy.array(4, "i8"), "v": numpy.array([-1, 2.5], "f4")},
)
case(
    "onehot",
    "OneHot",
    {"i": random.integers(-6, 6, (2, 3))},
    {"axis": -1},
    {"d": i8(4), "v": numpy.array([0, 1], "f4")},
)
case("pad reflect", "Pad", {"x": x}, {"mode": "reflect"}, {"p": i8(0, 1, 1, 0, 1, 2)})
case("pad edge", "Pad", {"x": x}, {"mode": "edge"}, {"p": i8(0, 1, 1, 0, 1, 2)})
case("pad neg", "Pad", {"x": x}, {}, {"p": i8(0, -1, 1, 0, -1, 2)})
case("pad axes", "Pad", {"x": x}, {}, {"p": i8(1, 2), "v": numpy.array(3, "f4"), "a": i8(-1)}, opset=18)
case("tile", "Tile", {"x": x}, {}, {"t": i8(2, 1, 3)})
case("expand", "Expand", {"x": f(3, 1, 5)}, {}, {"t": i8(2, 1, 4, 1)})
case("reshape allowzero", "Reshape", {"x": x}, {}, {"s": i8(0, -1)})
case("flatten 0", "Flatten", {"x": x}, {"axis": 0})
case("flatten -1", "Flatten", {"x": x}, {"axis": -1})
case("squeeze none", "Squeeze", {"x": f(1, 3, 1)}, {})
case("split uneven", "Split", {"x": f(7, 2)}, {"axis": 0, "num_outputs": 3}, outs=3, opset=18)
case("split sizes", "Split", {"x": f(7, 2)}, {"axis": -2}, {"s": i8(3, 4)}, outs=2)
case("trilu k", "Trilu", {"x": x}, {"upper": 0}, {"k": numpy.array(-1, "i8")})
case("trilu up", "Trilu", {"x": x}, {"upper": 1}, {"k": numpy.array(2, "i8")})
case("trilu behind all", "Trilu", {"x": x}, {"upper": 1}, {"k": numpy.array(2**62)})
case("trilu before all", "Trilu", {"x": x}, {"upper": 1}, {"k": numpy.array(-(2**63))})
case("depthtospace", "DepthToSpace", {"x": f(1, 8, 2, 3)}, {"blocksize": 2, "mode": "CRD"})
case("spacetodepth", "SpaceToDepth", {"x": f(1, 2, 4, 6)}, {"blocksize": 2})
case("eyelike", "EyeLike", {"x": f(3, 5)}, {"k": 1})
case("where bc", "Where", {"c": random.random((3, 1)) < 0.5, "a": f(4), "b": f(3, 4)})
x = f(2, 4, 6)

# ---- Norms

case("layernorm axis1", "LayerNormalization", {"x": x, "s": f(4, 6), "b": f(4, 6)}, {"axis": 1})
case("layernorm outs", "LayerNormalization", {"x": x, "s": f(6)}, {"axis": -1}, outs=3)
case(
    "groupnorm21",
    "GroupNormalization",
    {"x": f(2, 6, 3, 4), "s": f(6), "b": f(6)},
    {"num_groups": 3},
    opset=21,
)
case("instancenorm", "InstanceNormalization", {"x": f(2, 6, 3, 4), "s": f(6), "b": f(6)})
case(
    "batchnorm",
    "BatchNormalization",
    {"x": f(2, 6, 3, 4), "s": f(6), "b": f(6), "m": f(6), "v": abs(f(6))},
)
case("lpnorm", "LpNormalization", {"x": x}, {"axis": 1, "p": 2})
case("rmsnorm23", "RMSNormalization", {"x": x, "s": f(6)}, {"axis": -1}, opset=23)

# ---- Convolutions and pooling

case(
    "conv1d",
    "Conv",
    {"x": f(2, 4, 9)},
    {"strides": [2], "pads": [1, 2], "dilations": [2]},
    {"w": f(6, 4, 3), "b": f(6)},
)
case("conv group", "Conv", {"x": f(2, 4, 9)}, {"group": 2, "pads": [1, 1]}, {"w": f(6, 2, 3)})
case("conv depthwise", "Conv", {"x": f(2, 4, 9)}, {"group": 4, "pads": [1, 1]}, {"w": f(4, 1, 3)})
case(
    "conv2d same upper",
    "Conv",
    {"x": f(1, 3, 7, 8)},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
    {"w": f(5, 3, 3, 2)},
)
case(
    "conv2d same lower",
    "Conv",
    {"x": f(1, 3, 7, 8)},
    {"auto_pad": "SAME_LOWER", "strides": [2, 3]},
    {"w": f(5, 3, 4, 2)},
)
case("conv2d valid", "Conv", {"x": f(1, 3, 7, 8)}, {"auto_pad": "VALID"}, {"w": f(5, 3, 4, 2)})
case(
    "maxpool ceil",
    "MaxPool",
    {"x": f(1, 3, 7, 8)},
    {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
)
case(
    "maxpool pads",
    "MaxPool",
    {"x": f(1, 3, 7, 8) - 5},
    {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
)
case(
    "avgpool incl",
    "AveragePool",
    {"x": f(1, 3, 7, 8)},
    {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
)
case("avgpool excl", "AveragePool", {"x": f(1, 3, 7, 8)}, {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1]})
case(
    "avgpool ceil",
    "AveragePool",
    {"x": f(1, 3, 7, 8)},
    {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
)
case("globalavg", "GlobalAveragePool", {"x": f(1, 3, 7, 8)})
case("globalmax", "GlobalMaxPool", {"x": f(1, 3, 7, 8)})
HIDDEN = 5

# ---- Recurrent layers

case(
    "lstm",
    "LSTM",
    {"x": f(7, 2, 4)},
    {"hidden_size": HIDDEN},
    {"w": f(1, 4 * HIDDEN, 4), "r": f(1, 4 * HIDDEN, HIDDEN), "b": f(1, 8 * HIDDEN)},
    outs=3,
)
case(
    "lstm bi",
    "LSTM",
    {"x": f(7, 2, 4)},
    {"hidden_size": HIDDEN, "direction": "bidirectional"},
    {"w": f(2, 4 * HIDDEN, 4), "r": f(2, 4 * HIDDEN, HIDDEN), "b": f(2, 8 * HIDDEN)},
    outs=3,
)
case(
    "lstm rev init",
    "LSTM",
    {"x": f(7, 2, 4), "h": f(1, 2, HIDDEN), "c": f(1, 2, HIDDEN)},
    {"hidden_size": HIDDEN, "direction": "reverse", "order": ["x", "w", "r", "b", "", "h", "c"]},
    {"w": f(1, 4 * HIDDEN, 4), "r": f(1, 4 * HIDDEN, HIDDEN), "b": f(1, 8 * HIDDEN)},
    outs=3,
)
case(
    "lstm peephole",
    "LSTM",
    {"x": f(7, 2, 4)},
    {"hidden_size": HIDDEN, "order": ["x", "w", "r", "b", "", "", "", "p"]},
    {
        "w": f(1, 4 * HIDDEN, 4),
        "r": f(1, 4 * HIDDEN, HIDDEN),
        "b": f(1, 8 * HIDDEN),
        "p": f(1, 3 * HIDDEN),
    },
    outs=3,
)
case(
    "gru",
    "GRU",
    {"x": f(7, 2, 4)},
    {"hidden_size": HIDDEN},
    {"w": f(1, 3 * HIDDEN, 4), "r": f(1, 3 * HIDDEN, HIDDEN), "b": f(1, 6 * HIDDEN)},
    outs=2,
)
case(
    "gru lbr",
    "GRU",
    {"x": f(7, 2, 4)},
    {"hidden_size": HIDDEN, "linear_before_reset": 1, "direction": "bidirectional"},
    {"w": f(2, 3 * HIDDEN, 4), "r": f(2, 3 * HIDDEN, HIDDEN), "b": f(2, 6 * HIDDEN)},
    outs=2,
)
case(
    "rnn",
    "RNN",
    {"x": f(7, 2, 4)},
    {"hidden_size": HIDDEN},
    {"w": f(1, HIDDEN, 4), "r": f(1, HIDDEN, HIDDEN), "b": f(1, 2 * HIDDEN)},
    outs=2,
)

# ---- Products

case(
    "gemm",
    "Gemm",
    {"a": f(4, 3), "b": f(5, 4), "c": f(5)},
    {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0},
)
case("gemm c scalar", "Gemm", {"a": f(3, 4), "b": f(4, 5), "c": f(1)}, {"beta": -1.0})
case("gemm c col", "Gemm", {"a": f(3, 4), "b": f(4, 5), "c": f(3, 1)}, {})
case("matmul vec", "MatMul", {"a": f(4), "b": f(2, 4, 5)})
case("matmul vec2", "MatMul", {"a": f(2, 3, 4), "b": f(4)})
case("matmul dot", "MatMul", {"a": f(4), "b": f(4)})
case("matmul bc", "MatMul", {"a": f(2, 1, 3, 4), "b": f(3, 4, 5)})
case("einsum diag", "Einsum", {"a": f(3, 3)}, {"equation": "ii->i"})
case("einsum ell", "Einsum", {"a": f(2, 3, 4), "b": f(2, 4, 5)}, {"equation": "...ij,...jk->...ik"})
case("einsum impl", "Einsum", {"a": f(3, 4), "b": f(4, 5)}, {"equation": "ij,jk"})

# ---- Activations

case("elu", "Elu", {"x": x}, {"alpha": 0.5})
case("selu", "Selu", {"x": x})
case("celu", "Celu", {"x": x}, {"alpha": 2.0})
case("thresholded", "ThresholdedRelu", {"x": x}, {"alpha": 0.5})
case("softsign", "Softsign", {"x": x})
case("mish", "Mish", {"x": x}, opset=18)
case("hardsigmoid", "HardSigmoid", {"x": x}, {"alpha": 0.3, "beta": 0.4})
case("hardswish", "HardSwish", {"x": x})
case("softplus big", "Softplus", {"x": x * 50})
case("prelu", "PRelu", {"x": x, "s": f(4, 1)})
case("gelu tanh", "Gelu", {"x": x}, {"approximate": "tanh"}, opset=20)
case("leaky", "LeakyRelu", {"x": x}, {"alpha": 0.3})
case("isnan", "IsNaN", {"x": numpy.array([numpy.nan, 1], "f4")}, types=["b1"])
case("isinf", "IsInf", {"x": numpy.array([numpy.inf, -numpy.inf, 1], "f4")}, types=["b1"])
case("erf", "Erf", {"x": x * 2})
case("tan", "Tan", {"x": x})
case("atan", "Atan", {"x": x})
case("sinh", "Sinh", {"x": x})
case("asin", "Asin", {"x": numpy.tanh(x)})
case("xor", "Xor", {"a": random.random(5) < 0.5, "b": random.random(5) < 0.5}, types=["b1"])
case("equal f", "Equal", {"a": numpy.round(f(9)), "b": numpy.round(f(9))}, types=["b1"])
case(
    "bitshift",
    "BitShift",
    {"a": numpy.array([1, 2, 3], "u1"), "b": numpy.array([1, 2, 3], "u1")},
    {"direction": "LEFT"},
    types=["u1"],
)

# ---- Integers

case(
    "qlinear",
    "QuantizeLinear",
    {"x": x * 50, "s": numpy.array(0.5, "f4"), "z": numpy.array(3, "i1")},
    types=["i1"],
)
case(
    "qlinear axis",
    "QuantizeLinear",
    {"x": x * 50, "s": abs(f(4)) + 0.1, "z": numpy.array([1, 2, 3, 4], "u1")},
    {"axis": 1},
    types=["u1"],
)
case(
    "qlinearmatmul",
    "QLinearMatMul",
    {
        "a": random.integers(0, 255, (3, 4)).astype("u1"),
        "as": numpy.array(0.1, "f4"),
        "az": numpy.array(3, "u1"),
        "b": random.integers(0, 255, (4, 5)).astype("u1"),
        "bs": numpy.array(0.2, "f4"),
        "bz": numpy.array(100, "u1"),
        "ys": numpy.array(1.0, "f4"),
        "yz": numpy.array(9, "u1"),
    },
    types=["u1"],
)
q = f(2, 5, 32)
k = f(2, 7, 32)
v = f(2, 7, 32)
HEADS = {"q_num_heads": 4, "kv_num_heads": 4}

# ---- Attention

case("attn23", "Attention", {"q": q, "k": k, "v": v}, dict(HEADS), opset=23)
case(
    "attn23 causal",
    "Attention",
    {"q": q, "k": k[:, :5], "v": v[:, :5]},
    dict(HEADS, is_causal=1),
    opset=23,
)
case("attn23 mask f", "Attention", {"q": q, "k": k, "v": v, "m": f(5, 7)}, dict(HEADS), opset=23)
case(
    "attn23 mask b",
    "Attention",
    {"q": q, "k": k, "v": v, "m": numpy.tril(numpy.ones((5, 7))) > 0},
    dict(HEADS),
    opset=23,
)
case("attn23 softcap", "Attention", {"q": q, "k": k, "v": v}, dict(HEADS, softcap=2.0, scale=0.3), opset=23)
case(
    "attn23 gqa 4d",
    "Attention",
    {"q": f(2, 4, 5, 8), "k": f(2, 2, 7, 8), "v": f(2, 2, 7, 8)},
    {},
    opset=23,
)
case(
    "attn23 past",
    "Attention",
    {"q": q, "k": k[:, :5], "v": v[:, :5], "pk": f(2, 4, 3, 8), "pv": f(2, 4, 3, 8)},
    dict(HEADS, is_causal=1, order=["q", "k", "v", "", "pk", "pv"]),
    opset=23,
    outs=3,
)
case(
    "attn23 qk out",
    "Attention",
    {"q": q, "k": k, "v": v},
    dict(HEADS, qk_matmul_output_mode=3),
    opset=23,
    outs=4,
)
case("rope23", "RotaryEmbedding", {"x": f(2, 4, 5, 8), "c": f(2, 5, 4), "s": f(2, 5, 4)}, {}, opset=23)
case(
    "rope23 inter",
    "RotaryEmbedding",
    {"x": f(2, 5, 32), "c": f(9, 4), "s": f(9, 4), "p": random.integers(0, 9, (2, 5))},
    {"interleaved": 1, "num_heads": 4, "order": ["x", "c", "s", "p"]},
    opset=23,
)
case(
    "ms gqa packed",
    "GroupQueryAttention",
    {"q": f(2, 5, (4 + 2 * 2) * 16), "n": numpy.array([4, 3], "i4"), "t": numpy.array(5, "i4")},
    {"num_heads": 4, "kv_num_heads": 2, "order": ["q", "", "", "", "", "n", "t"]},
    domain="com.microsoft",
    outs=3,
)
case("ms quickgelu", "QuickGelu", {"x": x}, {"alpha": 1.3}, domain="com.microsoft")
case(
    "ms fusedmatmul",
    "FusedMatMul",
    {"a": f(2, 3, 4), "b": f(2, 5, 4)},
    {"transB": 1, "alpha": 0.5},
    domain="com.microsoft",
)
case("ms biasadd", "BiasGelu", {"a": x, "b": f(6)}, domain="com.microsoft")
case(
    "ms skipln",
    "SkipLayerNormalization",
    {"a": x, "b": f(1, 4, 6), "g": f(6)},
    {},
    domain="com.microsoft",
)

# ---- Sizes that the caller chooses

case("topk of any", "TopK", {"x": x}, {"axis": 1}, {"k": i8(2)}, outs=2, types=["f4", "i8"], free=0)
case("last of any", "Slice", {"x": x}, {}, {"s": i8(-3), "e": i8(2**62), "a": i8(1)}, free=0)
case("conv of any", "Conv", {"x": f(2, 4, 40)}, {"strides": [5]}, {"w": f(6, 4, 10)}, free=2)
padded = {"strides": [2], "pads": [1, 2], "dilations": [2]}
case("padded conv of any", "Conv", {"x": f(2, 4, 9)}, padded, {"w": f(6, 4, 3), "b": f(6)}, free=2)
case("valid conv of any", "Conv", {"x": f(1, 3, 7, 8)}, {"auto_pad": "VALID"}, {"w": f(5, 3, 4, 2)}, free=2)
case("same conv of any", "Conv", {"x": f(1, 3, 7, 8)}, {"auto_pad": "SAME_UPPER"}, {"w": f(5, 3, 4, 2)}, free=2)
windows = {"kernel_shape": [3, 3], "strides": [2, 2]}
case("pool of any", "MaxPool", {"x": f(1, 3, 7, 8)}, windows, free=2)

print(f"{same} cases as ONNX Runtime has them, {different} differ; refused: {', '.join(refused)}")
