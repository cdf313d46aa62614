# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An encoder and a decoder in ONNX's operators, and in ONNX Runtime's, which are several of those in one:
both spellings of a model give the same results and the same kernels."""

import re
import subprocess

import heddle
import numpy
import onnx_model as o

random = numpy.random.default_rng()
DOMAIN = "com.microsoft"
WORDS, HEADS, CHANNELS, LAYERS, PLACES, EPSILON = 50, 4, 16, 2, 64, 1e-5
WIDTH, INNER, KV = HEADS * CHANNELS, 2 * HEADS * CHANNELS, 2
LOWEST = float(numpy.finfo("f4").min)
TOKENS = ["batch", "length"]


class Graph(o.Graph):
    """Weights have names, by which all spellings of a model have the same."""

    values = {}

    def weight(self, name, *shape):
        if name not in self.values:
            self.values[name] = (random.standard_normal(shape) / shape[0] ** 0.5).astype("f4")
        self.stored[name] = self.values[name]
        return name

    def joined(self, names, axis):
        """Several weights one behind the other."""
        self.stored["+".join(names)] = numpy.concatenate([self.values[name] for name in names], axis)
        return "+".join(names)

    def linear(self, x, name, inputs, outputs):
        return self("Add", self("MatMul", x, self.weight(name, inputs, outputs)), self.weight(name + ".bias", outputs))

    def scale(self, name):
        return self.weight(name + ".scale", WIDTH), self.weight(name + ".shift", WIDTH)

    def layer_norm(self, x, name):
        scale, shift = self.scale(name)
        x = self("Sub", x, self("ReduceMean", x, axes=[-1]))
        variance = self("ReduceMean", self("Pow", x, 2.0), axes=[-1])
        return self("Add", self("Mul", self("Div", x, self("Sqrt", self("Add", variance, EPSILON))), scale), shift)

    def rms_norm(self, x, name):
        square = self("ReduceMean", self("Pow", x, 2.0), axes=[-1])
        y = self("Mul", x, self("Reciprocal", self("Sqrt", self("Add", square, EPSILON))))
        return self("Mul", self.weight(name, WIDTH), y)

    def heads(self, x, count):
        return self("Transpose", self("Reshape", x, [0, 0, count, CHANNELS]), perm=[0, 2, 1, 3])

    def attend(self, query, key, value, mask):
        scores = self("Div", self("MatMul", query, self("Transpose", key, perm=[0, 1, 3, 2])), CHANNELS**0.5)
        y = self("MatMul", self("Softmax", self("Add", scores, mask), axis=-1), value)
        return self("Reshape", self("Transpose", y, perm=[0, 2, 1, 3]), [0, 0, WIDTH])


# ---- An encoder like BERT


def tables(g):
    return g.weight("words", WORDS, WIDTH), g.weight("places", PLACES, WIDTH), g.weight("types", 2, WIDTH)


def plain_encoder():
    g = Graph()
    mask = g("Mul", g("Sub", 1.0, g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), to=1)), LOWEST)
    words, places, types = tables(g)
    x = g("Add", g("Gather", words, "input_ids"), g("Gather", types, "token_type_ids"))
    x = g("Add", x, g("Gather", places, g("Range", 0, g.size("input_ids", 1), 1)))
    x = g.layer_norm(x, "norm")
    for layer in range(LAYERS):
        parts = [g.heads(g.linear(x, f"{part}{layer}", WIDTH, WIDTH), HEADS) for part in ("q", "k", "v")]
        x = g("Add", g.linear(g.attend(*parts, mask), f"o{layer}", WIDTH, WIDTH), x)
        x = g.layer_norm(x, f"first{layer}")
        y = g.linear(x, f"up{layer}", WIDTH, INNER)
        y = g("Mul", g("Mul", y, g("Add", g("Erf", g("Div", y, 2.0**0.5)), 1.0)), 0.5)
        x = g.layer_norm(g("Add", g.linear(y, f"down{layer}", INNER, WIDTH), x), f"second{layer}")
    g("Identity", x, result="last_hidden_state")
    return g


def fused_encoder(has_one_matrix):
    g = Graph()
    mask = g("Cast", "attention_mask", to=o.INT32)
    ids = [g("Cast", each, to=o.INT32) for each in ("input_ids", "token_type_ids")]
    words, places, types = tables(g)
    embedded = *ids, words, places, types, *g.scale("norm")
    names = ["embedded", "lengths"]  # of which both have to be
    g.nodes.append(o.node("EmbedLayerNormalization", embedded, names, domain=DOMAIN, epsilon=EPSILON))
    x = names[0]
    for layer in range(LAYERS):
        parts = [f"{part}{layer}" for part in ("q", "k", "v")]
        biases = g.joined([part + ".bias" for part in parts], 0)
        if has_one_matrix:
            y = g("Attention", x, g.joined(parts, 1), biases, mask, domain=DOMAIN, num_heads=HEADS)
        else:
            made = [g("MatMul", x, g.weight(part, WIDTH, WIDTH)) for part in parts]
            y = g("MultiHeadAttention", *made, biases, mask, domain=DOMAIN, num_heads=HEADS)
        x = skip(g, y, x, f"o{layer}", WIDTH, f"first{layer}")
        y = g("MatMul", x, g.weight(f"up{layer}", WIDTH, INNER))
        y = g("BiasGelu", y, g.weight(f"up{layer}.bias", INNER), domain=DOMAIN)
        x = skip(g, y, x, f"down{layer}", INNER, f"second{layer}")
    g("Identity", x, result="last_hidden_state")
    return g


def skip(g, y, x, matrix, inputs, norm):
    y = g("MatMul", y, g.weight(matrix, inputs, WIDTH))
    bias = g.weight(matrix + ".bias", WIDTH)
    return g("SkipLayerNormalization", y, x, *g.scale(norm), bias, domain=DOMAIN, epsilon=EPSILON)


def write_encoder(name, g):
    inputs = [o.value(each, "i8", TOKENS) for each in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [o.value("last_hidden_state", "f4", [*TOKENS, WIDTH])]
    o.write(f"{name}.onnx", g.nodes, inputs, outputs, g.stored, domains=[DOMAIN])


# ---- A decoder like Llama

ANGLES = numpy.outer(numpy.arange(PLACES), 1 / 100 ** (numpy.arange(CHANNELS // 2) / (CHANNELS // 2)))


def plain_decoder():
    g, half = Graph(), CHANNELS // 2
    past, length = g.size("past_key_values.0.key", 2), g.size("input_ids", 1)
    total = g("Add", past, length)
    places = g("Unsqueeze", g("Range", past, total, 1), [1])
    later = g("Greater", g("Unsqueeze", g("Range", 0, total, 1), [0]), places)
    padding = g("Equal", g("Unsqueeze", "attention_mask", [1, 2]), 0)
    mask = g("Where", g("Or", later, padding), LOWEST, 0.0)
    both = numpy.concatenate([ANGLES, ANGLES], 1)
    cosines, sines = (g("Unsqueeze", g("Gather", f(both), "position_ids"), [1]) for f in (numpy.cos, numpy.sin))

    def turned(x):
        low, high = g("Slice", x, [0], [half], [3]), g("Slice", x, [half], [2**31 - 1], [3])
        return g("Add", g("Mul", x, cosines), g("Mul", g("Concat", g("Neg", high), low, axis=-1), sines))

    def repeated(x):
        many = g("Expand", g("Unsqueeze", x, [2]), [1, 1, HEADS // KV, 1, 1])
        return g("Reshape", many, [0, HEADS, -1, CHANNELS])

    x = g("Gather", g.weight("words", WORDS, WIDTH), "input_ids")
    for layer in range(LAYERS):
        y = g.rms_norm(x, f"first{layer}")
        made = [g("MatMul", y, matrix) for matrix in projections(g, layer)]
        query, key, value = (g.heads(each, count) for each, count in zip(made, (HEADS, KV, KV)))
        for part, new in (("key", turned(key)), ("value", value)):
            name = f"{layer}.{part}"
            g("Concat", "past_key_values." + name, new, axis=2, result="present." + name)
        y = g.attend(turned(query), *(repeated(f"present.{layer}.{part}") for part in ("key", "value")), mask)
        x = g("Add", x, g("MatMul", y, g.weight(f"o{layer}", WIDTH, WIDTH)))
        x = g("Add", x, mixed(g, g.rms_norm(x, f"second{layer}"), layer))
    return logits(g, g.rms_norm(x, "norm"))


def projections(g, layer):
    sizes = zip(("q", "k", "v"), (HEADS, KV, KV))
    return [g.weight(f"{part}{layer}", WIDTH, heads * CHANNELS) for part, heads in sizes]


def mixed(g, x, layer):
    gate, up = (g("MatMul", x, g.weight(f"{part}{layer}", WIDTH, INNER)) for part in ("gate", "up"))
    gated = g("Mul", g("Mul", gate, g("Sigmoid", gate)), up)
    return g("MatMul", gated, g.weight(f"down{layer}", INNER, WIDTH))


def logits(g, x):
    g("MatMul", x, g.weight("head", WIDTH, WORDS), result="logits")
    return g


def fused_decoder():
    g = Graph()
    count = g("Cast", g("Sub", g("ReduceSum", "attention_mask", [1], keepdims=0), 1), to=o.INT32)
    total = g("Cast", g.size("attention_mask", 1), to=o.INT32)
    angles = g.constant(numpy.cos(ANGLES)), g.constant(numpy.sin(ANGLES))
    x = g("Gather", g.weight("words", WORDS, WIDTH), "input_ids")
    y = g("SimplifiedLayerNormalization", x, g.weight("first0", WIDTH), epsilon=EPSILON)
    for layer in range(LAYERS):
        made = [g("MatMul", y, matrix) for matrix in projections(g, layer)]
        names = [f"{layer}.key", f"{layer}.value"]
        inputs = [*made, *("past_key_values." + name for name in names), count, total, *angles]
        outputs = [f"attended{layer}", *("present." + name for name in names)]
        heads = {"num_heads": HEADS, "kv_num_heads": KV, "do_rotary": 1}
        g.nodes.append(o.node("GroupQueryAttention", inputs, outputs, domain=DOMAIN, **heads))
        y = g("MatMul", outputs[0], g.weight(f"o{layer}", WIDTH, WIDTH))
        y, x = skip_simplified(g, y, x, f"second{layer}")
        following = "norm" if layer + 1 == LAYERS else f"first{layer + 1}"
        y, x = skip_simplified(g, mixed(g, y, layer), x, following)
    return logits(g, y)


def skip_simplified(g, y, x, norm):
    names = [norm + ".result", "", "", norm + ".sum"]
    inputs = [y, x, g.weight(norm, WIDTH)]
    g.nodes.append(o.node("SkipSimplifiedLayerNormalization", inputs, names, domain=DOMAIN, epsilon=EPSILON))
    return names[0], names[3]


def write_decoder(name, g):
    parts = [f"{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]

    def caches(prefix, length):
        return [o.value(prefix + each, "f4", ["batch", KV, length, CHANNELS]) for each in parts]

    inputs = [o.value("input_ids", "i8", TOKENS), o.value("attention_mask", "i8", ["batch", "past + length"])]
    if name == "plain_decoder":
        inputs.append(o.value("position_ids", "i8", TOKENS))
    inputs += caches("past_key_values.", "past")
    outputs = [o.value("logits", "f4", [*TOKENS, WORDS]), *caches("present.", "past + length")]
    o.write(f"{name}.onnx", g.nodes, inputs, outputs, g.stored, domains=[DOMAIN])


# ---- What they become


def heddlec(name, *options):
    command = ["heddlec", "--quiet", f"{name}.onnx", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def launches(name, entry, kinds):
    """Which kernels of some kinds an entry point launches, one after the other: each by the number of its
    first launch, and its configuration."""
    text = heddlec(name, "--emit=kernels")
    kernels = dict(re.findall(r"heddle\.kernel @(\w+)\(.*heddle\.configuration = #heddle\.(\w+<.*?>)[,}]", text))
    body = re.search(rf"func\.func @{entry}\(.*?\n  }}", text, re.DOTALL).group()
    called = [name for name in re.findall(r"heddle\.launch @(\w+)", body) if re.match(kinds, kernels[name])]
    return [(called.index(kernel), kernels[kernel]) for kernel in called]


def load(name):
    heddlec(name, "--emit=shared", "-o", f"./{name}.so")
    return heddle.load(f"./{name}.so")


def report(what, error, names, entry, kinds=""):
    first, *others = (launches(name, entry, kinds) for name in names)
    same = "the same kernels" if all(each == first for each in others) else f"other kernels: {first}, {others}"
    right = "the same results" if error < 1e-5 else f"results differ by {error}"
    print(f"{what}: {len(first)} launches of {len(set(first))} kernels in {entry}, {same}, {right}")


write_encoder("plain_encoder", plain_encoder())
write_encoder("fused_encoder", fused_encoder(has_one_matrix=False))
write_encoder("packed_encoder", fused_encoder(has_one_matrix=True))
names = ["plain_encoder", "fused_encoder", "packed_encoder"]
lengths = numpy.array([9, 1, 4], "i4")
ids, types = random.integers(0, WORDS, (3, 9)).astype("i4"), random.integers(0, 2, (3, 9)).astype("i4")
isValid = numpy.arange(9) < lengths[:, None]
models = [load(name) for name in names]
run = models[0].run(input_ids=ids.astype("i8"), attention_mask=isValid.astype("i8"), token_type_ids=types.astype("i8"))
encoded = [model.encode(input_ids=ids, token_type_ids=types, lengths=lengths) for model in models]
error = max(abs((each - run)[isValid]).max() for each in encoded)
report("encoder", error, names, "encode")

Graph.values = {}
write_decoder("plain_decoder", plain_decoder())
write_decoder("fused_decoder", fused_decoder())
names = ["plain_decoder", "fused_decoder"]
tokens, counts = random.integers(0, WORDS, (3, 12)).astype("i8"), numpy.array([10, 3, 7], "i4")
made = []
for name in names:
    model = load(name)
    cache = model.cache(batch=3, capacity=20)
    zeros = numpy.zeros(3, "i4")
    first = model.prefill(input_ids=tokens[:, :10], starts=zeros, lengths=counts, cache=cache)
    then = model.decode(input_ids=tokens[:, 10:11], starts=counts, lengths=zeros + 1, cache=cache)
    made.append(numpy.stack([first, then]))
# Angles are made by other operators, and in other kernels.
report("decoder", abs(made[0] - made[1]).max(), names, "decode", kinds="product_tiles|attention_tiles")
