# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles modules that use one tensor op each, in many shapes.

    tensor_op_types.py OP...
    tensor_op_types.py --elements=TYPE    (every op that ends with _TYPE)

Each case is a function of its own, in which the sizes of some dimensions are known
and those of others are not: `heddlec --verify` compares it with the reference.
"""
import itertools
import random
import re
import subprocess
import sys

# 1, primes, and what lies around a vector and a panel of AVX-512.
SIZES = (1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 63, 64, 65)


class Shape:
    """Sizes, of which some are known by name alone."""

    def __init__(self, sizes, names):
        self.sizes, self.names = list(sizes), list(names)

    def type(self, element="f32"):
        parts = ["?" if name else str(size) for size, name in zip(self.sizes, self.names)]
        return "tensor<" + "x".join(parts + [element]) + ">"

    def list(self):
        return "[" + ", ".join(self.text(i) for i in range(len(self.sizes))) + "]"

    def text(self, dim):
        return f'"{self.names[dim]}"' if self.names[dim] else str(self.sizes[dim])

    def argument(self, name, element="f32"):
        known = [f'"{name}"' for name in self.names if name]
        attribute = f" {{heddle.sizes = [{', '.join(known)}]}}" if known else ""
        return f"%{name}: {self.type(element)}{attribute}"

    def but(self, dim, size, name=None):
        other = Shape(self.sizes, self.names)
        other.sizes[dim], other.names[dim] = size, name
        return other

    def without(self, dims):
        kept = [i for i in range(len(self.sizes)) if i not in dims]
        return Shape([self.sizes[i] for i in kept], [self.names[i] for i in kept])

    def permuted(self, order):
        return Shape([self.sizes[i] for i in order], [self.names[i] for i in order])

    def __add__(self, other):
        return Shape(self.sizes + other.sizes, self.names + other.names)

    @property
    def rank(self):
        return len(self.sizes)


def random_shape(rng, rank, most=4096):
    while True:
        sizes = [rng.choice(SIZES) for _ in range(rank)]
        product = 1
        for size in sizes:
            product *= size
        if product <= most:
            names = [rng.choice((None, None, f"n{i}")) for i in range(rank)]
            return Shape(sizes, names)


def case(arguments, body, results):
    types = ", ".join(shape.type(element) for _, shape, element in results)
    values = ", ".join(f"%{name}" for name, _, _ in results)
    return (arguments, body, f"({types})", f"  return {values} : {types}")


def unary(op_text, shape, result, element="f32"):
    body = f"  %y = {op_text} : {shape.type()} -> {result.type(element)}"
    return case([shape.argument("x")], body, [("y", result, element)])


def transpose(rng, rank):
    shape = random_shape(rng, rank)
    order = rng.sample(range(rank), rank)
    return unary(f"heddle.transpose %x permutation {order}", shape, shape.permuted(order))


def reshape(rng, rank):
    shape = random_shape(rng, rank)
    if rank == 1:
        return unary("heddle.reshape %x to [1, -1]", shape, Shape([1], [None]) + shape)
    dim = rng.randrange(rank - 1)
    merged = Shape([shape.sizes[dim] * shape.sizes[dim + 1]],
                   ["merged" if shape.names[dim] or shape.names[dim + 1] else None])
    result = (Shape(shape.sizes[:dim], shape.names[:dim]) + merged
              + Shape(shape.sizes[dim + 2:], shape.names[dim + 2:]))
    sizes = [result.text(i) if i != dim else "-1" for i in range(result.rank)]
    return unary(f"heddle.reshape %x to [{', '.join(sizes)}]", shape, result)


def expand(rng, rank):
    shape = random_shape(rng, rank)
    axis = rng.randrange(rank + 1)
    result = (Shape(shape.sizes[:axis], shape.names[:axis]) + Shape([1], [None])
              + Shape(shape.sizes[axis:], shape.names[axis:]))
    return unary(f"heddle.expand %x axes [{axis}]", shape, result)


def squeeze(rng, rank):
    axis = rng.randrange(rank)
    shape = random_shape(rng, rank).but(axis, 1)
    if rank == 1:
        shape = shape + Shape([5], [None])
    return unary(f"heddle.squeeze %x axes [{axis}]", shape, shape.without([axis]))


def slice_(rng, rank):
    shape = random_shape(rng, rank)
    offsets, sizes, steps, result = [], [], [], shape
    for dim in range(rank):
        if shape.names[dim]:
            # All elements of a size that is not known, in either direction.
            backwards = rng.random() < 0.5
            offsets.append(f'"{shape.names[dim]} - 1"' if backwards else "0")
            sizes.append(shape.text(dim))
            steps.append("-1" if backwards else "1")
            continue
        first, last = sorted(rng.choices(range(shape.sizes[dim]), k=2))
        step = rng.choice((1, 1, 2, 3))
        count = (last - first) // step + 1
        backwards = rng.random() < 0.3
        offsets.append(str(first + (count - 1) * step if backwards else first))
        sizes.append(str(count))
        steps.append(str(-step if backwards else step))
        result = result.but(dim, count)
    text = (f"heddle.slice %x offsets [{', '.join(offsets)}] sizes [{', '.join(sizes)}] "
            f"steps [{', '.join(steps)}]")
    return unary(text, shape, result)


def concat(rng, rank):
    shape = random_shape(rng, rank, 1024)
    axis = rng.randrange(rank)
    other = shape.but(axis, rng.choice(SIZES), rng.choice((None, "m")))
    third = shape.but(axis, 3)
    dynamic = shape.names[axis] or other.names[axis]
    result = shape.but(axis, 0 if dynamic else shape.sizes[axis] + other.sizes[axis] + 3,
                       "sum" if dynamic else None)
    body = (f"  %y = heddle.concat %x, %z, %t axis({axis}) : ({shape.type()}, {other.type()}, "
            f"{third.type()}) -> {result.type()}")
    return case([shape.argument("x"), other.argument("z"), third.argument("t")], body,
                [("y", result, "f32")])


def split(rng, rank):
    axis = rng.randrange(rank)
    shape = random_shape(rng, rank).but(axis, 12)
    parts = [shape.but(axis, size) for size in (5, 1, 6)]
    types = ", ".join(part.type() for part in parts)
    body = (f"  %y:3 = heddle.split %x axis({axis}) sizes [5, 1, 6] : {shape.type()} -> {types}")
    return case([shape.argument("x")], body,
                [(f"y#{i}", part, "f32") for i, part in enumerate(parts)])


def pad(rng, rank):
    shape = random_shape(rng, rank)
    low = [rng.choice((0, 1, 4)) for _ in range(rank)]
    high = [rng.choice((0, 2, 3)) for _ in range(rank)]
    result = Shape([a + b + c for a, b, c in zip(low, shape.sizes, high)], shape.names)
    return unary(f"heddle.pad %x low {low} high {high} value(1.5 : f32)", shape, result)


def broadcast(rng, rank):
    result = random_shape(rng, rank)
    shape = Shape(result.sizes, result.names)
    for dim in range(rank):
        if rng.random() < 0.5:
            shape = shape.but(dim, 1)
    shape = Shape(shape.sizes[rank // 3:], shape.names[rank // 3:])
    # Sizes of the result are those of some argument.
    arguments = [shape.argument("x"), result.argument("z")]
    body = (f"  %b = heddle.broadcast %x to {result.list()} : {shape.type()} -> {result.type()}\n"
            f"  %y = arith.addf %b, %z : {result.type()}")
    return case(arguments, body, [("y", result, "f32")])


def gather(rng, rank):
    shape = random_shape(rng, rank, 1024)
    axis = rng.randrange(rank)
    indices = random_shape(rng, rng.choice((1, 2)), 32)
    indices.names = [name and f"i{name}" for name in indices.names]
    result = (Shape(shape.sizes[:axis], shape.names[:axis]) + indices
              + Shape(shape.sizes[axis + 1:], shape.names[axis + 1:]))
    if result.rank > 6:
        return gather(rng, rank)
    body = (f"  %y = heddle.gather %x, %i axis({axis}) : ({shape.type()}, "
            f"{indices.type('i32')}) -> {result.type()}")
    return case([shape.argument("x"), indices.argument("i", "i32")], body,
                [("y", result, "f32")])


def gather_elements(rng, rank):
    shape = random_shape(rng, rank)
    axis = rng.randrange(rank)
    indices = shape.but(axis, rng.choice(SIZES[:7]), rng.choice((None, "m")))
    body = (f"  %y = heddle.gather_elements %x, %i axis({axis}) : ({shape.type()}, "
            f"{indices.type('i32')}) -> {indices.type()}")
    return case([shape.argument("x"), indices.argument("i", "i32")], body,
                [("y", indices, "f32")])


def scatter(rng, rank):
    shape = random_shape(rng, rank, 1024)
    axis = rng.randrange(rank)
    updates = shape.but(axis, rng.choice(SIZES[:6]), rng.choice((None, "m")))
    indices = Shape([updates.sizes[axis]], [updates.names[axis]])
    kind = rng.choice(("assign", "add", "max", "min"))
    body = (f"  %y = heddle.scatter {kind} %x, %i, %u axis({axis}) : ({shape.type()}, "
            f"{indices.type('i32')}, {updates.type()}) -> {shape.type()}")
    return case([shape.argument("x"), indices.argument("i", "i32"), updates.argument("u")],
                body, [("y", shape, "f32")])


def iota(rng, rank):
    shape = random_shape(rng, rank)
    axis = rng.randrange(rank)
    body = (f"  %i = heddle.iota axis({axis}) sizes {shape.list()} : {shape.type()}\n"
            f"  %y = arith.mulf %x, %i : {shape.type()}")
    return case([shape.argument("x")], body, [("y", shape, "f32")])


def one_hot(rng, rank):
    indices = random_shape(rng, rank, 256)
    depth = rng.choice(SIZES)
    result = indices + Shape([depth], [None])
    body = (f"  %y = heddle.one_hot %i depth({depth}) : {indices.type('i32')} -> "
            f"{result.type()}")
    return case([indices.argument("i", "i32")], body, [("y", result, "f32")])


def reduce(rng, rank):
    shape = random_shape(rng, rank)
    axes = sorted(rng.sample(range(rank), rng.randrange(1, rank + 1)))
    kind = rng.choice(("sum", "mean", "max", "min", "product", "l2", "log_sum_exp"))
    keep = rng.random() < 0.5 or len(axes) == rank
    result = shape
    for axis in axes:
        result = result.but(axis, 1)
    if not keep:
        result = shape.without(axes)
    text = f"heddle.reduce {kind} %x axes {axes}{' keep_sizes' if keep else ''}"
    return unary(text, shape, result)


def arg_reduce(rng, rank):
    shape = random_shape(rng, rank)
    axis = rng.randrange(rank)
    index = shape.but(axis, 1)
    kind = rng.choice(("max", "min"))
    body = (f"  %i = heddle.arg_reduce {kind} %x axis({axis}) keep_sizes : {shape.type()} -> "
            f"{index.type('i32')}\n"
            f"  %y = heddle.gather_elements %x, %i axis({axis}) : ({shape.type()}, "
            f"{index.type('i32')}) -> {index.type()}")
    return case([shape.argument("x")], body, [("y", index, "f32")])


def along_axis(text):
    def generate(rng, rank):
        shape = random_shape(rng, rank, 2048)
        axis = rng.randrange(rank)
        flags = text.endswith("sum") * rng.choice(("", " exclusive", " reverse",
                                                   " exclusive reverse"))
        return unary(f"{text} %x axis({axis}){flags}", shape, shape)
    return generate


def top_k(rng, rank):
    shape = random_shape(rng, rank, 1024).but(rank - 1, rng.choice(SIZES))
    k = rng.randrange(1, min(shape.sizes[-1], 9) + 1)
    values = shape.but(rank - 1, k)
    body = (f"  %y, %i = heddle.top_k %x k({k}) : {shape.type()} -> {values.type()}, "
            f"{values.type('i32')}")
    return case([shape.argument("x")], body, [("y", values, "f32")])


def matmul(rng, rank):
    rank = max(rank, 2)
    batch = random_shape(rng, rank - 2, 6)
    sizes = [rng.choice(SIZES) for _ in range(3)]
    names = [rng.choice((None, None, name)) for name in ("m", "n", "k")]
    m, n, k = (Shape([size], [name]) for size, name in zip(sizes, names))
    a_flag, b_flag = rng.random() < 0.4, rng.random() < 0.4
    a = batch + (k + m if a_flag else m + k)
    b = (batch if rng.random() < 0.7 else Shape([], [])) + (n + k if b_flag else k + n)
    result = batch + m + n
    flags = a_flag * " transpose_a" + b_flag * " transpose_b"
    body = (f"  %y = heddle.matmul %a, %b{flags} : ({a.type()}, {b.type()}) -> "
            f"{result.type()}")
    return case([a.argument("a"), b.argument("b")], body, [("y", result, "f32")])


ELEMENTS = ("f32", "bf16", "f16", "i8", "i32", "i64", "i1")
FLOATS = ("f32", "bf16", "f16")


def typed(generate, element):
    """The cases of `generate` with `element` in the place of f32, and i64 in that of i32."""
    def number(match):
        if element in FLOATS:
            return f"{match[1]} : {element}"
        return "true" if element == "i1" else f"{int(float(match[1]))} : {element}"

    def rewrite(text):
        text = re.sub(r"([0-9.]+) : f32", number, text)
        if element not in FLOATS:
            text = text.replace("arith.addf", "arith.xori" if element == "i1" else "arith.addi")
            text = text.replace("arith.mulf", "arith.muli")
        return text.replace("xi32>", "xi64>").replace("xf32>", f"x{element}>")

    def with_element(rng, rank):
        while True:
            arguments, body, types, result = generate(rng, rank)
            if element == "i1":
                body = re.sub(r"heddle.reduce \w+", "heddle.reduce " + rng.choice(("any", "all")),
                              body)
            float_only = re.search(r"reduce (mean|l2|log_sum_exp)", body)
            no_truth = re.search(r"scatter add", body)
            if (element in FLOATS or not float_only) and (element != "i1" or not no_truth):
                return [rewrite(text) for text in arguments], rewrite(body), rewrite(types), \
                    rewrite(result)
    return with_element


def many(shape, element, inputs, results):
    """Ops on the tensors a, b and c, each with a result of its own."""
    arguments = [shape.argument(name, type_) for name, type_ in inputs]
    body = "\n".join(f"  %y{i} = {text}" for i, (text, _) in enumerate(results))
    return case(arguments, body, [(f"y{i}", shape, type_) for i, (_, type_) in enumerate(results)])


def cast(element):
    def generate(rng, rank):
        shape = random_shape(rng, rank, 512)
        return many(shape, element, [("a", element)],
                    [(f"heddle.cast %a : {shape.type(element)} -> {shape.type(to)}", to)
                     for to in ELEMENTS if to != element])
    return generate


def where(element):
    def generate(rng, rank):
        shape = random_shape(rng, rank)
        types = ", ".join(shape.type(type_) for type_ in ("i1", element, element))
        return many(shape, element, [("c", "i1"), ("a", element), ("b", element)],
                    [(f"heddle.where %c, %a, %b : ({types}) -> {shape.type(element)}", element)])
    return generate


def compare(element):
    float_names = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
                   "ule", "une", "uno")
    integer_names = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

    def generate(rng, rank):
        shape = random_shape(rng, rank, 512)
        op, names = (("cmpf", float_names) if element in FLOATS else ("cmpi", integer_names))
        return many(shape, element, [("a", element), ("b", element)],
                    [(f"arith.{op} {name}, %a, %b : {shape.type(element)}", "i1")
                     for name in rng.sample(names, 4)])
    return generate


def elementwise(element):
    unary_floats = ("math.absf", "arith.negf", "math.exp", "math.tanh", "math.floor", "math.erf",
                    "math.sin", "math.roundeven")
    binary_floats = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf",
                     "arith.minimumf", "arith.maxnumf", "math.copysign")
    binary_integers = ("arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.remsi",
                       "arith.floordivsi", "arith.ceildivsi", "arith.divui", "arith.remui",
                       "arith.maxsi", "arith.minui", "arith.andi", "arith.ori", "arith.xori")
    truths = ("arith.andi", "arith.ori", "arith.xori", "arith.maxui", "arith.addi")
    unary, binary = {"i1": ((), truths)}.get(
        element, (unary_floats, binary_floats) if element in FLOATS
        else (("math.absi", "math.ctpop", "math.ctlz"), binary_integers))

    def generate(rng, rank):
        shape = random_shape(rng, rank, 512)
        type_ = shape.type(element)
        ops = [f"{name} %a : {type_}" for name in rng.sample(unary, min(2, len(unary)))]
        ops += [f"{name} %a, %b : {type_}" for name in rng.sample(binary, 3)]
        return many(shape, element, [("a", element), ("b", element)],
                    [(text, element) for text in ops])
    return generate


OPS = {
    "transpose": transpose, "reshape": reshape, "expand": expand, "squeeze": squeeze,
    "slice": slice_, "concat": concat, "split": split, "pad": pad, "broadcast": broadcast,
    "gather": gather, "gather_elements": gather_elements, "scatter": scatter, "iota": iota,
    "one_hot": one_hot, "reduce": reduce, "arg_reduce": arg_reduce,
    "cumulative_sum": along_axis("heddle.cumulative_sum"),
    "softmax": along_axis("heddle.softmax"),
    "log_softmax": along_axis("heddle.log_softmax"), "top_k": top_k, "matmul": matmul,
}

# Every op with other elements: "transpose_i8".
NO_TRUTHS = ("iota", "cumulative_sum")
FLOATS_ONLY = ("softmax", "log_softmax")
for op_name in list(OPS):
    for element_name in ELEMENTS[1:]:
        if ((op_name in FLOATS_ONLY and element_name not in FLOATS)
                or (op_name in NO_TRUTHS and element_name == "i1")
                or (op_name == "iota" and element_name == "i8")):
            continue
        OPS[f"{op_name}_{element_name}"] = typed(OPS[op_name], element_name)
for element_name in ELEMENTS:
    OPS[f"cast_{element_name}"] = cast(element_name)
    OPS[f"where_{element_name}"] = where(element_name)
    OPS[f"compare_{element_name}"] = compare(element_name)
    OPS[f"elementwise_{element_name}"] = elementwise(element_name)


def write_module(name, count):
    rng = random.Random(name)
    with open(name + ".mlir", "w") as file:
        for number, rank in enumerate(itertools.islice(itertools.cycle(range(1, 6)), count)):
            arguments, body, types, result = OPS[name](rng, rank)
            file.write(f"func.func @{name}_{number}({', '.join(arguments)}) -> {types} {{\n"
                       f"{body}\n{result}\n}}\n")


def main():
    names = sys.argv[1:]
    if names and names[0].startswith("--elements="):
        element = names[0].partition("=")[2]
        names = [name for name in OPS if name.endswith("_" + element)]
    for name in names:
        # Ops with other elements have the shapes of those that come before.
        write_module(name, 4 if name.rpartition("_")[2] in ELEMENTS else 10)
        subprocess.run(["heddlec", name + ".mlir", "--verify", "-o", name + ".o"], check=True)


if __name__ == "__main__":
    main()
