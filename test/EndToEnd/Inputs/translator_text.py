# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the MLIR text of a small transformer that translates; translator.py has its formulas.

    translator_text.py > translator.mlir

`encode` writes the keys and values that cross attention reads to the cache `cross`, but for
the decoder's last layer, for which it gives them as tensors. `prefill` and `decode` append
those of their own tokens to the cache `own`. Attention is of products and softmax where it
reads tensors, and heddle.attention where it reads a cache.
"""

LAYERS, CHANNELS, HEADS, HIDDEN = 2, 48, 4, 80
SOURCE_IDS, TARGET_IDS, SOURCE_POSITIONS = 61, 53, 40
HEAD = CHANNELS // HEADS

declared, lines = [], []


def tensor(sizes, element="f32"):
    """The type of a tensor: numbers are static sizes, names dynamic ones."""
    return f"tensor<{''.join(f'{s if isinstance(s, int) else chr(63)}x' for s in sizes)}{element}>"


def listed(sizes):
    return "[" + ", ".join(str(s) if isinstance(s, int) else f'"{s}"' for s in sizes) + "]"


class Value:
    def __init__(self, text, sizes, element="f32"):
        self.name, self.sizes, self.element = f"%v{len(lines)}", list(sizes), element
        lines.append(f"  {self.name} = {text}")

    def __str__(self):
        return self.name

    @property
    def type(self):
        return tensor(self.sizes, self.element)


class Argument(Value):
    def __init__(self, name, sizes, element="f32"):
        self.name, self.sizes, self.element = f"%{name}", list(sizes), element

    def declaration(self):
        names = [size for size in self.sizes if not isinstance(size, int)]
        return (f"{self}: {self.type} {{heddle.name = \"{self.name[1:]}\", "
                f"heddle.sizes = {listed(names)}}}")


def types(values):
    return ", ".join(value.type for value in values)


# ---- Ops ------------------------------------------------------------------------------------


def weight(source, *sizes):
    symbol = source.replace(".", "_")
    declaration = f'heddle.weight @{symbol} from "{source}" : {tensor(sizes)}'
    if declaration not in declared:
        declared.append(declaration)
    return Value(f"heddle.weight_ref @{symbol} : {tensor(sizes)}", sizes)


def constant(number, element="f32"):
    return Value(f"arith.constant dense<{number}> : {tensor([1], element)}", [1], element)


def moved(op, x, text, sizes):
    return Value(f"heddle.{op} {x} {text} : {x.type} -> {tensor(sizes, x.element)}", sizes,
                 x.element)


def reshape(x, *sizes):
    return moved("reshape", x, f"to {listed(sizes)}", sizes)


def broadcast(x, *sizes):
    return moved("broadcast", x, f"to {listed(sizes)}", sizes)


def transpose(x, *permutation):
    sizes = [x.sizes[dimension] for dimension in permutation]
    return moved("transpose", x, f"permutation {list(permutation)}", sizes)


def expand(x, *axes):
    sizes = list(x.sizes)
    for axis in axes:
        sizes.insert(axis, 1)
    return moved("expand", x, f"axes {list(axes)}", sizes)


def elementwise(op, *operands):
    """An op on tensors of one shape, that of the first; the others are broadcast."""
    first = operands[0]
    operands = [x if x.sizes == first.sizes else broadcast(x, *first.sizes) for x in operands]
    return Value(f"{op} {', '.join(map(str, operands))} : {first.type}", first.sizes,
                 "i1" if op.startswith("arith.cmp") else first.element)


def matmul(a, b, flags=""):
    columns = b.sizes[-2] if "transpose_b" in flags else b.sizes[-1]
    sizes = [*a.sizes[:-1], columns]
    return Value(f"heddle.matmul {a}, {b} {flags} : {types([a, b])} -> {tensor(sizes)}", sizes)


def where(condition, x, y, sizes):
    operands = [condition, x, y]
    return Value(f"heddle.where {', '.join(map(str, operands))} : {types(operands)} -> "
                 f"{tensor(sizes)}", sizes)


def iota(element, axis, *sizes):
    return Value(f"heddle.iota axis({axis}) sizes {listed(sizes)} : {tensor(sizes, element)}",
                 sizes, element)


# ---- Layers ---------------------------------------------------------------------------------


def linear(x, name, outputs):
    w, b = weight(f"{name}.weight", outputs, x.sizes[-1]), weight(f"{name}.bias", outputs)
    return Value(f"heddle.linear {x}, {w} bias({b} : {b.type}) : {types([x, w])}",
                 [*x.sizes[:-1], outputs])


def layer_norm(x, name):
    w, b = weight(f"{name}.weight", CHANNELS), weight(f"{name}.bias", CHANNELS)
    return Value(f"heddle.layer_norm {x}, {w}, {b} epsilon(1.0e-5) : {types([x, w, b])}", x.sizes)


def embedding(ids, name, rows):
    table = weight(name, rows, CHANNELS)
    return Value(f"heddle.embedding {ids}, {table} : {types([ids, table])}",
                 [*ids.sizes, CHANNELS])


def gelu(x):
    inner = elementwise("math.erf", elementwise("arith.mulf", x, constant(0.5**0.5)))
    half = elementwise("arith.mulf", x, constant(0.5))
    return elementwise("arith.mulf", half, elementwise("arith.addf", inner, constant(1.0)))


def relu(x):
    return Value(f"heddle.activation relu {x} : {x.type}", x.sizes)


def feed_forward(x, name, activation):
    hidden = activation(linear(layer_norm(x, f"{name}.hidden_norm"), f"{name}.up", HIDDEN))
    return elementwise("arith.addf", x, linear(hidden, f"{name}.down", CHANNELS))


def before(count, lengths):
    """[batch, count]: which of `count` positions are before the end of their sequence."""
    positions = broadcast(iota("i32", 0, count), *lengths.sizes, count)
    return elementwise("arith.cmpi slt,", positions, expand(lengths, 1))


def plain_attention(q, k, v, lengths):
    """Softmax and products; nothing is assumed of what stands behind the lengths."""
    batch, keys = k.sizes[:2]
    valid = before(keys, lengths)
    heads = [transpose(reshape(x, *x.sizes[:2], HEADS, HEAD), 0, 2, 1, 3)
             for x in (q, k, where(reshape(valid, batch, keys, 1), v, constant(0.0), v.sizes))]
    scores = matmul(heads[0], heads[1], "transpose_b")
    scores = elementwise("arith.mulf", scores, constant(HEAD**-0.5))
    scores = where(reshape(valid, batch, 1, 1, keys), scores, constant("0xFF800000"), scores.sizes)
    weights = Value(f"heddle.softmax {scores} axis(3) : {scores.type}", scores.sizes, scores.element)
    return reshape(transpose(matmul(weights, heads[2]), 0, 2, 1, 3), *q.sizes)


def attention(q, k, v, mask):
    return Value(f"heddle.attention {q}, {k}, {v} mask({mask}) heads({HEADS}, kv = {HEADS}) "
                 f"scale({HEAD ** -0.5}) : {types([q, k, v])}", q.sizes)


# ---- The cache of each layer's keys and values ------------------------------------------------


class Cache(Argument):
    def __init__(self, name, sizes, layers):
        super().__init__(name, sizes)
        self.layers = layers

    @property
    def type(self):
        return f"!heddle.cache<{self.layers} x {HEADS} x {HEAD} x f32>"

    def append(self, k, v, layer, starts, lengths):
        result = Cache(f"v{len(lines)}", self.sizes, self.layers)
        lines.append(
            f"  {result} = heddle.cache.append {self}, {k}, {v} layer({layer}) at({starts}) "
            f"lengths({lengths}) : {self.type}, {types([k, v, starts, lengths])}")
        return result

    def read(self, layer):
        name = f"v{len(lines)}"
        lines.append(f"  %{name}:2 = heddle.cache.read {self} layer({layer}) : {self.type}")
        return [Argument(f"{name}#{part}", [*self.sizes, CHANNELS]) for part in range(2)]


# ---- Functions --------------------------------------------------------------------------------


def function(name, arguments, results, attributes=""):
    body = "\n".join(lines)
    lines.clear()
    taken = ",\n    ".join(argument.declaration() for argument in arguments)
    given = ", ".join(map(str, results.values()))
    kinds = ", ".join(value.type for value in results.values())
    named = ", ".join(value.type if isinstance(value, Cache) else
                      f'{value.type} {{heddle.name = "{key}"}}' for key, value in results.items())
    return (f"func.func @{name}(\n    {taken})\n    -> ({named}) {attributes} {{\n{body}\n"
            f"  return {given} : {kinds}\n}}\n")


def projections(x, name, parts):
    return [linear(x, f"{name}{part}", CHANNELS) for part in parts]


def encode():
    ids = Argument("source_ids", ["batch", "source"], "i32")
    positions = Argument("source_positions", ["batch", "source"], "i32")
    starts = Argument("starts", ["batch"], "i32")
    lengths = Argument("source_lengths", ["batch"], "i32")
    cross = cache = Cache("cross", ["batch", "memory"], LAYERS - 1)
    x = elementwise("arith.addf", embedding(ids, "encoder.tokens.weight", SOURCE_IDS),
                    embedding(positions, "encoder.positions.weight", SOURCE_POSITIONS))
    for layer in range(LAYERS):
        name = f"encoder.{layer}"
        h = layer_norm(x, f"{name}.attention_norm")
        seen = plain_attention(*projections(h, f"{name}.", ("query", "key", "value")), lengths)
        x = elementwise("arith.addf", x, linear(seen, f"{name}.output", CHANNELS))
        x = feed_forward(x, name, gelu)
    x = layer_norm(x, "encoder.norm")
    for layer in range(LAYERS):
        parts = projections(x, f"decoder.{layer}.cross_", ("key", "value"))
        if layer < LAYERS - 1:
            cache = cache.append(*parts, layer, starts, lengths)
    return function("encode", [ids, positions, starts, lengths, cross],
                    {"last_keys": parts[0], "last_values": parts[1], "": cache})


def sinusoids(starts):
    """[batch, length, CHANNELS]: sines of the position times each frequency, then cosines."""
    half, sizes = CHANNELS // 2, ["batch", "length"]
    positions = elementwise("arith.addi", iota("i32", 1, *sizes), expand(starts, 1))
    positions = moved("cast", positions, "", sizes)
    positions.element = "f32"
    lines[-1] = lines[-1].removesuffix("i32>") + "f32>"
    steps = elementwise("arith.mulf", iota("f32", 0, half), constant(-9.0 / half))
    angles = elementwise("arith.mulf", broadcast(expand(positions, 2), *sizes, half),
                         elementwise("math.exp", steps))
    parts = [elementwise(op, angles) for op in ("math.sin", "math.cos")]
    sizes.append(CHANNELS)
    return Value(f"heddle.concat {', '.join(map(str, parts))} axis(2) : {types(parts)} -> "
                 f"{tensor(sizes)}", sizes)


def mask(op, text):
    return Value(f"heddle.mask.{op} {text}", [])


def forward():
    ids = Argument("ids", ["batch", "length"], "i32")
    starts = Argument("starts", ["batch"], "i32")
    lengths = Argument("lengths", ["batch"], "i32")
    sources = Argument("source_lengths", ["batch"], "i32")
    own = cache = Cache("own", ["batch", "capacity"], LAYERS)
    cross = Cache("cross", ["batch", "memory"], LAYERS - 1)
    last = [Argument(name, ["batch", "source", CHANNELS]) for name in ("last_keys", "last_values")]
    x = embedding(ids, "decoder.tokens.weight", TARGET_IDS)
    x = elementwise("arith.mulf", x, constant(CHANNELS**0.5))
    x = elementwise("arith.addf", x, sinusoids(starts))
    causal = mask("causal", f"offset({starts} : {starts.type})")
    valid = mask("lengths", f"{sources} : {sources.type}")
    for layer in range(LAYERS):
        name = f"decoder.{layer}"
        h = layer_norm(x, f"{name}.attention_norm")
        q, k, v = projections(h, f"{name}.", ("query", "key", "value"))
        cache = cache.append(k, v, layer, starts, lengths)
        seen = attention(q, *cache.read(layer), causal)
        x = elementwise("arith.addf", x, linear(seen, f"{name}.output", CHANNELS))
        q = linear(layer_norm(x, f"{name}.cross_norm"), f"{name}.cross_query", CHANNELS)
        if layer < LAYERS - 1:
            seen = attention(q, *cross.read(layer), valid)
        else:
            seen = plain_attention(q, *last, sources)
        x = elementwise("arith.addf", x, linear(seen, f"{name}.cross_output", CHANNELS))
        x = feed_forward(x, name, relu)
    x = layer_norm(x, "decoder.norm")
    x = Value(f"heddle.last_token {x}, {lengths} : {types([x, lengths])}", ["batch", CHANNELS])
    table = weight("decoder.tokens.weight", TARGET_IDS, CHANNELS)
    logits = Value(f"heddle.linear {x}, {table} : {types([x, table])}",
                   ["batch", TARGET_IDS])
    return function("forward", [ids, starts, lengths, sources, own, cross, *last],
                    {"logits": logits, "": cache}, 'attributes {heddle.decoder = "length"}')


functions = [encode(), forward()]
print("\n".join([*declared, "", *functions]))
