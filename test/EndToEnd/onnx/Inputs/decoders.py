# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders with keys and values of earlier tokens as inputs, as Optimum exports them: what prefill and
decode give with a cache, against the plain form."""

import inspect
import subprocess

import heddle
import numpy
import onnx_model as o

random = numpy.random.default_rng()
WORDS, HEADS, CHANNELS, LAYERS, BATCH = 30, 2, 8, 2, 3
WIDTH = HEADS * CHANNELS
LOWEST = float(numpy.finfo("f4").min)


class Graph(o.Graph):
    def weight(self, *shape):
        return self.constant(random.standard_normal(shape) / shape[0] ** 0.5)


def numbers(g, first, count):
    return g("Range", first, g("Add", first, count), 1)


def causal(g, queries, keys):
    """[queries, keys], true where the key comes after the query."""
    return g("Greater", g("Unsqueeze", keys, [0]), g("Unsqueeze", queries, [1]))


def too_early(g, queries, keys, window):
    return g("Less", g("Unsqueeze", keys, [0]), g("Sub", g("Unsqueeze", queries, [1]), window))


# ---- What has no decoder

# Keys that a query does not attend to. `after` says which keys come after it.


def sinks(g, queries, keys, after):
    """The first 64 keys, and a window of 16."""
    is_sink = g("Less", g("Unsqueeze", keys, [0]), 64)
    return g("Or", after, g("And", too_early(g, queries, keys, 16), g("Not", is_sink)))


def early(g, queries, keys, after):
    """Later keys, if they are among the first 100."""
    return g("And", after, g("GreaterOrEqual", g("Unsqueeze", keys, [0]), 100))


def chosen(g, queries, keys, after):
    """Later keys, if the query's token says so."""
    return g("And", g("Unsqueeze", after, [0, 1]), g("Less", g("Unsqueeze", "input_ids", [1, 3]), 20))


def window(g, queries, keys, after):
    """Which has a decoder."""
    return g("Or", after, too_early(g, queries, keys, 6))


DROPPED = {"sinks": sinks, "early": early, "chosen": chosen, "window": window, "added_window": window}

# What scores become.


def distances(g, scores, queries, keys):
    distance = g("Sub", g("Unsqueeze", keys, [0]), g("Unsqueeze", queries, [1]))
    return g("Add", scores, g("Mul", g("Cast", distance, to=1), 0.1))


def late(g, scores, queries, keys):
    """Another score of the key before, from the 70th on."""
    distance = g("Sub", g("Unsqueeze", queries, [1]), g("Unsqueeze", keys, [0]))
    is_one = g("And", g("Equal", distance, 1), g("Greater", g("Unsqueeze", keys, [0]), 70))
    return g("Add", scores, g("Cast", is_one, to=1))


def counted(g, scores, queries, keys):
    """By how many tokens a call has."""
    return g("Mul", scores, g("Cast", g.size("input_ids", 1), to=1))


SCORES = {"distances": distances, "late": late, "counted": counted}

# What hidden states [batch, length, channels] become.


def convolved(g, x):
    padded = g("Pad", g("Transpose", x, perm=[0, 2, 1]), [0, 0, 1, 0, 0, 0])
    return g("Transpose", g("Conv", padded, g.weight(WIDTH, WIDTH, 2)), perm=[0, 2, 1])


def reversed_(g, x):
    return g("Slice", x, [-1], [-(2**31)], [1], [-1])


def moved(g, x):
    """Channels as tokens, in memory."""
    size = g("Shape", "input_ids")
    turned = g("Concat", g("Slice", size, [0], [1]), [WIDTH], g("Slice", size, [1], [2]), axis=0)
    return g("Transpose", g("Reshape", x, turned), perm=[0, 2, 1])


def numbered(g, x):
    """By where a token is in its call."""
    return g("Gather", g.weight(400, WIDTH), numbers(g, 0, g.size("input_ids", 1)))


STATES = {
    "mean_of_tokens": lambda g, x: g("ReduceMean", x, [1]),
    "mean_of_sequences": lambda g, x: g("ReduceMean", x, [0]),
    "summed": lambda g, x: g("CumSum", x, 1),
    "shares": lambda g, x: g("Softmax", x, axis=1),
    "convolved": convolved,
    "reversed": reversed_,
    "moved": moved,
    "numbered": numbered,
}

# ---- Operators of attention that have a past


def operator(g, op, inputs, layer, **attributes):
    presents = [f"present.{layer}.{part}" for part in ("key", "value")]
    g.nodes.append(o.node(op, inputs, [f"attended.{layer}", *presents], **attributes))
    return f"attended.{layer}"


def pasts(layer):
    return [f"past_key_values.{layer}.{part}" for part in ("key", "value")]


def group_query_attention(g, parts, layer, _):
    """With rotary positions, and a window of 6 keys."""
    count = g("Cast", g("Sub", g("ReduceSum", "attention_mask", [1], keepdims=0), 1), to=o.INT32)
    total = g("Cast", g.size("attention_mask", 1), to=o.INT32)
    angles = numpy.outer(numpy.arange(300), 1 / 10 ** (numpy.arange(CHANNELS // 2) / CHANNELS))
    tables = g.constant(numpy.cos(angles)), g.constant(numpy.sin(angles))
    attributes = {"num_heads": HEADS, "kv_num_heads": HEADS, "do_rotary": 1, "local_window_size": 6}
    inputs = [*parts, *pasts(layer), count, total, *tables]
    return operator(g, "GroupQueryAttention", inputs, layer, domain="com.microsoft", **attributes)


def multi_head_attention(g, parts, layer, _):
    mask = g("Cast", "attention_mask", to=o.INT32)
    inputs = [*parts, "", mask, "", *pasts(layer)]
    return operator(g, "MultiHeadAttention", inputs, layer, domain="com.microsoft", num_heads=HEADS, unidirectional=1)


def joint_attention(g, x, layer):
    """Keys and values before are one tensor, of [2, ..]."""
    inputs = [x, g.weight(WIDTH, 3 * WIDTH), "", g("Cast", "attention_mask", to=o.INT32), f"past_{layer}"]
    outputs = [f"attended.{layer}", f"present_{layer}"]
    attributes = {"domain": "com.microsoft", "num_heads": HEADS, "unidirectional": 1}
    g.nodes.append(o.node("Attention", inputs, outputs, **attributes))
    return outputs[0]


def causal_attention(g, parts, layer, _):
    heads = {"q_num_heads": HEADS, "kv_num_heads": HEADS}
    return operator(g, "Attention", [*parts, "", *pasts(layer)], layer, is_causal=1, **heads)


def masked_attention(g, parts, layer, dropped):
    heads = {"q_num_heads": HEADS, "kv_num_heads": HEADS}
    return operator(g, "Attention", [*parts, g("Not", dropped), *pasts(layer)], layer, **heads)


def attention_to_all(g, parts, layer, _):
    heads = {"q_num_heads": HEADS, "kv_num_heads": HEADS}
    return operator(g, "Attention", [*parts, "", *pasts(layer)], layer, **heads)


OPERATORS = {
    "groups": group_query_attention,
    "heads": multi_head_attention,
    "causal_operator": causal_attention,
    "masked_operator": masked_attention,
    "operator_of_all": attention_to_all,
    "clamped": causal_attention,
}

# ---- Rotary positions, as PyTorch's exporter writes those of Llama


def angles(g, positions):
    """Of places that all sequences share."""
    frequencies = g.constant(1 / 100 ** (numpy.arange(CHANNELS // 2)[None, :, None] / CHANNELS))
    products = g("MatMul", frequencies, g("Cast", g("Unsqueeze", positions, [1]), to=1))
    both = g("Concat", *[g("Transpose", products, perm=[0, 2, 1])] * 2, axis=-1)
    return [g("Unsqueeze", g(function, both), [1]) for function in ("Cos", "Sin")]


def rotated(g, x, cosines, sines):
    first, second = (g("Slice", x, [start], [start + CHANNELS // 2], [3]) for start in (0, CHANNELS // 2))
    turned = g("Concat", g("Neg", second), first, axis=-1)
    return g("Add", g("Mul", x, cosines), g("Mul", turned, sines))


# ---- Models

SHARED = "places", "rotary"  # positions of all sequences


def multiply_bytes(g, x):
    """As quantisers of ONNX Runtime write it, with a scale for all of x."""
    names = ["bytes", "scale", "zero"]
    names = [f"{name}_{len(g.nodes)}" for name in names]
    g.nodes.append(o.node("DynamicQuantizeLinear", [x], names))
    weights = g.constant(random.integers(-127, 128, (WIDTH, WIDTH)).astype("i1"))
    product = g("Cast", g("MatMulInteger", names[0], weights, names[2]), to=1)
    return g("Mul", product, g("Mul", names[1], g.constant(1 / 127 / WIDTH**0.5)))


def write(kind):
    if kind != "merged":
        return write_file(kind, *add_nodes(Graph(), kind))
    branches = {}
    for name, kind_inside in (("then_branch", "dropped"), ("else_branch", "no past")):
        g, outputs, _ = add_nodes(Graph(), kind_inside)
        branches[name] = o.graph(g.nodes, [], outputs, g.stored)
    g, outputs, inputs = add_nodes(Graph(), "dropped")
    names = ["logits", *(f"present.{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value"))]
    g.nodes, g.stored = [o.node("If", ["use_cache_branch"], names, **branches)], {}
    write_file(kind, g, outputs, [*inputs, o.value("use_cache_branch", "b1", [1])])


def write_file(kind, g, outputs, inputs):
    o.write(f"{kind}.onnx", g.nodes, inputs, outputs, g.stored, opset=23, domains=["com.microsoft"])


def add_nodes(g, kind):
    """The graph, and what describes its outputs and inputs."""
    length = g.size("input_ids", 1)
    past = g.constant(0) if kind == "no past" else g.size(*("past_0", 3) if kind == "joint" else ("past_key_values.0.key", 2))
    queries, keys = numbers(g, past, length), numbers(g, 0, g("Add", past, length))
    dropped = causal(g, queries, keys)
    if kind in DROPPED:
        dropped = DROPPED[kind](g, queries, keys, dropped)
    if kind == "buffer":
        whole = g.constant(numpy.triu(numpy.ones((50, 50), bool), 1))
        places = [g("Unsqueeze", each, [0]) for each in (past, g("Add", past, length))]
        dropped = g("Slice", g("Slice", whole, *places, [0]), [0], places[1], [1])
    padding = g("Equal", g("Unsqueeze", "attention_mask", [1, 2]), 0)
    if kind.startswith("added"):
        mask = g("Add", g("Where", dropped, LOWEST, 0.0), g("Mul", g("Cast", padding, to=1), LOWEST))
    else:
        dropped = padding if kind == "not_causal" else g("Or", dropped, padding)
    places = g.weight(400, WIDTH)
    positions = "position_ids"
    if kind in SHARED:
        positions = g("Unsqueeze", queries, [0])
    elif kind in OPERATORS:
        counted = g("Sub", g("CumSum", "attention_mask", 1), 1)
        if kind == "clamped":
            counted = g("Min", counted, 100)
        positions = g("Slice", counted, g("Unsqueeze", past, [0]), [2**31 - 1], [1])
    x = g("Gather", g.weight(WORDS, WIDTH), "input_ids")
    turns = angles(g, positions) if kind == "rotary" else None
    if not turns:
        x = g("Add", x, g("Gather", places, positions))
    apart, joined = [0, 0, HEADS, CHANNELS], [0, 0, WIDTH]
    for layer in range(LAYERS):
        if kind in STATES:
            x = g("Add", x, STATES[kind](g, x))
        multiply = multiply_bytes if kind == "bytes" else lambda g, x: g("MatMul", x, g.weight(WIDTH, WIDTH))
        parts = [multiply(g, x) for _ in range(3)]
        if kind in (*OPERATORS, "joint"):
            y = joint_attention(g, x, layer) if kind == "joint" else OPERATORS[kind](g, parts, layer, dropped)
            x = g("Add", x, g("MatMul", y, g.weight(WIDTH, WIDTH)))
            continue
        parts = [g("Transpose", g("Reshape", each, apart), perm=[0, 2, 1, 3]) for each in parts]
        if turns:
            parts[:2] = [rotated(g, each, *turns) for each in parts[:2]]
        for index, part in ((1, "key"), (2, "value")):
            name = f"{layer}.{part}"
            if kind == "no past":
                parts[index] = g("Identity", parts[index], result="present." + name)
            else:
                both = "past_key_values." + name, parts[index]
                parts[index] = g("Concat", *both, axis=2, result="present." + name)
        scores = g("Div", g("MatMul", parts[0], g("Transpose", parts[1], perm=[0, 1, 3, 2])), CHANNELS**0.5)
        if kind in SCORES:
            scores = SCORES[kind](g, scores, queries, keys)
        own = g("And", dropped, g("Less", scores, 0.5)) if kind == "scored" else dropped
        scores = g("Add", scores, mask) if kind.startswith("added") else g("Where", own, LOWEST, scores)
        y = g("MatMul", g("Softmax", scores, axis=2 if kind == "of_queries" else -1), parts[2])
        if kind == "mean":
            y = g("Add", y, g("ReduceMean", parts[2], [2]))
        y = g("Reshape", g("Transpose", y, perm=[0, 2, 1, 3]), joined)
        x = g("Add", x, g("MatMul", y, g.weight(WIDTH, WIDTH)))
    g("MatMul", x, g.weight(WIDTH, WORDS), result="logits")
    per_token = ["batch", "length"]
    total = "total" if kind == "buffer" else "past + length"
    inputs = [o.value("input_ids", "i8", per_token), o.value("attention_mask", "i8", ["batch", total])]
    if kind not in (*OPERATORS, *SHARED):
        inputs.append(o.value("position_ids", "i8", per_token))
    outputs = [o.value("logits", "f4", [*per_token, WORDS])]
    before, after = (["batch", HEADS, count, CHANNELS] for count in ("past", "past + length"))
    if kind == "joint":
        inputs += [o.value(f"past_{layer}", "f4", [2, *before]) for layer in range(LAYERS)]
        outputs += [o.value(f"present_{layer}", "f4", [2, *after]) for layer in range(LAYERS)]
        return g, outputs, inputs
    names = [f"{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]
    inputs += [o.value("past_key_values." + name, "f4", before) for name in names]
    outputs += [o.value("present." + name, "f4", after) for name in names]
    return g, outputs, inputs


def compile_(kind):
    command = ["heddlec", "--quiet", f"{kind}.onnx", "--import-report", "--emit=shared", "-o", f"./{kind}.so"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return heddle.load(f"./{kind}.so"), next(line for line in report.splitlines() if "decode" in line)


def plain(model, tokens):
    """Logits behind one sequence of tokens, without a past."""
    count = len(tokens)
    inputs = {"input_ids": tokens[None], "attention_mask": numpy.ones((1, count), "i8")}
    parameters, past = inspect.signature(model.run).parameters, numpy.zeros((1, HEADS, 0, CHANNELS), "f4")
    for layer in range(LAYERS):
        if "past_0" in parameters:
            inputs[f"past_{layer}"] = numpy.stack([past, past])
        else:
            inputs |= {f"past_key_values.{layer}.{part}": past for part in ("key", "value")}
    if "position_ids" in parameters:
        inputs["position_ids"] = numpy.arange(count)[None]
    results = model.run(**inputs)
    return results["logits"][0, -1]


def compare(kind):
    write(kind)
    model, line = compile_(kind)
    tokens = random.integers(0, WORDS, (BATCH, 20))
    counts = random.integers(1, 12, BATCH)
    cache = model.cache(batch=BATCH, capacity=40)
    error = 0

    def step(entry, length, lengths):
        nonlocal counts, error
        ids = numpy.zeros((BATCH, length), "i8")
        for row, (start, count) in enumerate(zip(counts, lengths)):
            ids[row, :count] = tokens[row, start : start + count]
        logits = entry(input_ids=ids, starts=counts.astype("i4"), lengths=lengths.astype("i4"), cache=cache)
        counts = counts + lengths
        for row, count in enumerate(counts):
            error = max(error, abs(logits[row] - plain(model, tokens[row, :count])).max())

    first, counts = counts, numpy.zeros(BATCH, "i8")
    step(model.prefill, first.max(), first)
    for _ in range(3):
        step(model.decode, 1, numpy.ones(BATCH, "i8"))
    step(model.prefill, 4, random.integers(1, 5, BATCH))
    # Bytes are up to half a step of their scale off, which is that of other tokens, too.
    tolerance = 0.02 if kind == "bytes" else 1e-5
    print(f"{kind}: {line}, {'right' if error < tolerance else f'off by {error}'}")


def refuse(kind):
    write(kind)
    command = ["heddlec", f"{kind}.onnx", "--emit=heddle", "-o", f"{kind}.mlir"]
    notes = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
    line = next(line for line in notes if "decode" in line).removeprefix("heddlec: note: ")
    functions = [line for line in open(f"{kind}.mlir") if "func.func" in line]
    print(f"{kind}: {line}; {len(functions)} function")


for kind in ("dropped", "merged", "joint"):
    compare(kind)
LAYERS = 1
for kind in ("added", "buffer", "window", "added_window", "groups", "heads", "causal_operator", "masked_operator", *SHARED, "bytes"):
    compare(kind)
try:
    plain(heddle.load("./buffer.so"), numpy.zeros(51, "i8"))
except heddle.HeddleError as error:
    print(f"buffer: {error}")

for kind in ("sinks", "early", "chosen", *SCORES, *STATES, "mean", "not_causal", "scored", "of_queries", "clamped"):
    refuse(kind)
refuse("operator_of_all")
