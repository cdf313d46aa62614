# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the kernels of `heddlec --emit=kernels` compute, in a form that does not depend on
how a model is written: without names, in an order of its own, factors and terms sorted, and a
reciprocal root as 1 / sqrt. So models whose kernels do the same give the same text:

    kernel_formulas.py MODEL.kernels > FORMULAS

Each line is a kernel, a loop of one, or a value in a body of more than a few words, and begins
with a name that is a hash of what follows it. Kernels and their tiles, dimensions, reductions and
coordinates are all part of it.
"""
import hashlib
import re
import sys

VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
SORTED = {"arith." + op for op in ("addf", "mulf", "addi", "muli", "maximumf", "minimumf",
                                   "maxsi", "minsi", "andi", "ori", "xori")}  # fmt: skip


class Op:
    def __init__(self, line):
        results, _, rest = line.partition(" = ") if line.startswith("%") else ("", "", line)
        self.results = []
        for result in results.split(", ") if results else []:
            name, _, count = result.partition(":")
            self.results += [f"{name}#{i}" for i in range(int(count))] if count else [name]
        self.text, self.arguments, self.body = rest, [], []
        self.name = rest.split(" ")[0].split("(")[0]


def parse(lines):
    """The ops of a block, up to its closing brace."""
    ops = []
    for line in lines:
        if line.startswith("}"):
            return ops, line[1:]
        if line.startswith("^bb0"):
            ops.append(line)
            continue
        op = Op(line)
        if line.endswith("{"):
            op.text = op.text[:-1]
            op.body, tail = parse(lines)
            op.text += tail
            if op.body and isinstance(op.body[0], str):
                op.arguments = re.findall(r"(%[\w.]+):", op.body.pop(0))
        ops.append(op)
    return ops, ""


class Formulas:
    def __init__(self, maps, kernels):
        self.maps, self.kernels, self.lines = maps, kernels, {}

    def name(self, text):
        """A short name of a formula: itself, if it is short."""
        if len(text) < 24 and " " not in text:
            return text
        name = hashlib.sha1(text.encode()).hexdigest()[:8]
        self.lines[name] = text
        return name

    def values(self, text, scope):
        return VALUE.sub(lambda match: scope[match[0]], text)

    def run(self, ops, scope):
        """What the terminator of a block gives; the scope gains its values."""
        for op in ops:
            if op.name in ("heddle.yield", "return"):
                return [scope[value] for value in VALUE.findall(op.text)]
            if op.name == "arith.constant":
                scope[op.results[0]] = self.name(op.text.split(" ", 1)[1].replace(" ", ""))
                continue
            results = getattr(self, op.name.split(".")[-1], self.other)(op, dict(scope))
            names = op.results
            scope.update(zip(names, results))
        return []

    def other(self, op, scope):
        if op.name == "math.rsqrt":
            root = self.name(f"math.sqrt {scope[VALUE.search(op.text)[0]]} : f32")
            return [self.name(f"arith.divf 1.000000e+00:f32, {root} : f32")]
        operands = VALUE.findall(op.text)
        if op.name in SORTED:
            words = sorted(scope[value] for value in operands)
            flags = re.sub(r"overflow<\w+> ", "", VALUE.sub("", op.text).replace(", ", ""))
            return [self.name(f"{flags} {', '.join(words)}")]
        text = self.values(op.text, scope)
        if op.body:
            inputs = re.findall(r"(?:term|score|factors)\((.*?) :", op.text)
            outside = VALUE.findall(inputs[0]) if inputs else []
            own = len(op.arguments) - len(outside)
            scope.update((argument, f"own{i}") for i, argument in enumerate(op.arguments[:own]))
            scope.update((a, scope[value]) for a, value in zip(op.arguments[own:], outside))
            text += f" {{ {', '.join(self.run(op.body, scope))} }}"
        name = self.name(text)
        return [name] if len(op.results) == 1 else [f"{name}#{i}" for i in range(len(op.results))]

    def generic(self, op, scope):
        text = re.sub(r" attributes \{.*?\}", "", op.text)
        maps = [self.maps[m] for m in re.findall(r"#map\d*\b", text)]
        ins = re.search(r" ins\((.*?) :", text)
        tables = re.search(r" tables\((.*?) :", text)
        inputs = [scope[value] for value in VALUE.findall(ins[1])] if ins else []
        tables = [scope[value] for value in VALUE.findall(tables[1])] if tables else []
        reads = [self.name(f"{value}@{at}") for value, at in zip(inputs, maps)]
        accumulators = len(op.arguments) - len(reads) - len(tables)
        places = reads + tables + [f"sum{i}" for i in range(accumulators)]
        scope.update(zip(op.arguments, places))
        over = text.split(" ins(")[0].split(" tables(")[0].split(" :")[0]
        name = self.name(f"{over} {{ {', '.join(self.run(op.body, scope))} }}")
        return [f"{name}#{i}" for i in range(len(op.results))]

    def launch(self, op, scope):
        kernel = self.kernels[re.search(r"@(\w+)", op.text)[1]]
        operands = VALUE.findall(op.text.split(" : ")[0])
        given = re.findall(r"(%\w+):", kernel.text)
        results = self.run(kernel.body, {a: scope[value] for a, value in zip(given, operands)})
        tiles = re.search(r"heddle.configuration = (.*?>)", kernel.text)
        name = self.name(f"kernel {tiles[1] if tiles else ''} {{ {', '.join(results)} }}")
        return [f"{name}#{i}" for i in range(len(op.results))]


def main(path):
    text = open(path).read()
    maps = dict(re.findall(r"^(#map\d*) = affine_map<(.*)>$", text, re.M))
    start = text.index("module")
    lines = (line.strip() for line in text[start:].split("\n")[1:] if line.strip())
    ops, _ = parse(lines)
    kernels = {re.search(r"@(\w+)", op.text)[1]: op for op in ops if op.name == "heddle.kernel"}
    for op in ops:
        if op.name != "func.func":
            continue
        formulas = Formulas(maps, kernels)
        arguments = re.findall(r"(%\w+):", op.text)
        scope = {argument: f"arg{i}" for i, argument in enumerate(arguments)}
        results = formulas.run(op.body, scope)
        print("function", ", ".join(results))
        for name in sorted(formulas.lines):
            print(name, "=", formulas.lines[name])


main(sys.argv[1])
