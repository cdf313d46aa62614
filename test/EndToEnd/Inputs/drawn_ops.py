# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where an op of the heddle dialect, one of its options, or one of the words of an
enumeration is drawn by no generator.

    drawn_ops.py DIALECT_FOLDER SEEDS

Ops and enumerations are those of the .td files, and options those of the table in the dialects'
README, which test/Dialect/op-table.test compares with the .td files. Modules are made, and not
compiled.
"""
import pathlib
import random
import re
import sys

import random_attention
import random_caches
import random_functions
import random_layers
import random_modules
import random_transformers

sys.path.append(str(pathlib.Path(__file__).parents[2] / "Dialect" / "Inputs"))
import op_table  # noqa: E402

# What programs do not say: ops, and options of ops.
EXCEPTIONS = {
    "kernel": "passes make it",
    "launch": "passes make it",
    "signature": "passes make it",
    "dispatch": "passes make it",
    "descriptors": "passes make it",
    "frame.size": "passes make it",
    "frame.argument": "passes make it",
    "frame.weights": "passes make it",
    "frame.workspace": "passes make it",
    "frame.copy": "passes make it",
    "frame.load": "passes make it",
    "frame.store": "passes make it",
    "rotary_table": "--heddle-decompose makes it",
    "attention packed": "--heddle-pack-attention adds it",
    "mask.dense summary": "--heddle-summarize-masks adds it",
    "mask.documents summary": "--heddle-summarize-masks adds it",
    "weight_ref layout": "--heddle-assign-layouts chooses it",
    "configure": "random-configurations.test draws it",
    "keep_likely": "keep-likely.test draws it, as roundings before it would keep others",
    "sample": "sample.test draws it, as roundings before it would make it another id",
}


CACHES = ("f32", "bf16", "f16", "i8", "values")
# Of an enumeration; those of Roles.td are about functions.
CASE = re.compile(r'I32EnumAttrCase<\s*"\w+", \d+, "(\w+)"')


def tensor_modules(seed):
    for function, _, _ in random_modules.make(seed):
        yield function.write()


# What a seed makes.
GENERATORS = {
    "random_attention": lambda seed: [random_attention.Function(seed).write()],
    "random_caches": lambda seed: [random_caches.Case(seed).text()],
    "random_functions": lambda seed: [random_functions.make(seed).text()],
    "random_layers": lambda seed: [random_layers.build(random.Random(seed)).text()],
    "random_modules": tensor_modules,
    "random_transformers": lambda seed: [random_transformers.make(seed)[0].text()],
}
# Without what a device has fewer of.
RUN = re.compile(r"Inputs/(random_\w+)\.py (\d+) (?:%if brief %\{\d+%\} %else %\{)?(\d+)")


def fast_seeds():
    """Those that tests have which are not slow, by generator."""
    found = {}
    for path in pathlib.Path(__file__).parents[1].glob("random-*.test"):
        for name, first, count in RUN.findall(path.read_text()):
            if name in GENERATORS and "slow" not in path.name:
                found[name] = range(int(first), int(first) + int(count))
    return found


OP = re.compile(r"\bheddle\.([a-z_0-9]+(?:\.[a-z_]+)?)\b(?! = )")
WORD = re.compile(r"\b[a-z][a-z_0-9.]*\b|=")
CONTINUED = re.compile(r" *(?:%[\w:, %]+ =|return\b|heddle\.|arith\.|}|func\.|module\b|\^)")


def statements(text):
    """The text of each op with its regions, outer ones first."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = OP.search(line)
        if not match or line.lstrip().startswith(("func.", "module", "attributes")):
            continue
        rest = [line[match.start() :]]
        depth = opened(rest[0])
        for following in lines[number + 1 :]:
            if depth <= 0 and CONTINUED.match(following):
                break
            rest.append(following)
            depth += opened(following)
        yield match[1], " ".join(rest)


def opened(text):
    text = text.replace("->", "")
    return sum(text.count(c) for c in "({[<") - sum(text.count(c) for c in ")}]>")


def drawn(seeds):
    """Each op that seeds by generator make, with all words that stand in its text."""
    found = {}
    for name, numbers in seeds.items():
        for seed in numbers:
            for text in GENERATORS[name](seed):
                for op, statement in statements(text):
                    found.setdefault(op, set()).update(WORD.findall(statement))
    return found


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    seeds = {name: range(count) for name in GENERATORS}
    del seeds["random_modules"]  # These are computed as they are made, which takes time.
    found, soon = drawn(seeds), drawn(fast_seeds())
    for name, words in soon.items():
        found.setdefault(name, set()).update(words)
    table = op_table.rows(folder / "README.md")
    missing = []
    for name, _, _ in op_table.ops(folder / "Heddle"):
        if name not in found:
            missing.append(name)
            continue
        options = re.findall(r"`([^`]+)`", table[name][0][1])
        missing += [f"{name} {option}" for option in options if option not in found[name]]
    words = set().union(*found.values())
    for path in sorted((folder / "Heddle").glob("*.td")):
        cases = CASE.findall(path.read_text()) if path.name != "Roles.td" else []
        missing += [f"word {word}" for word in cases if word not in words]
    missing += [f"a cache of {word}" for word in CACHES if word not in found["cache.append"]]
    status = 0
    for name in missing:
        if name not in EXCEPTIONS:
            print(f"drawn by no generator: {name}")
            status = 1
    for name in EXCEPTIONS:
        if name not in missing:
            print(f"an exception, but drawn or unknown: {name}")
            status = 1
    for name in sorted(found.keys() - soon.keys()):
        print(f"drawn by slow tests alone: {name}")
        status = 1
    print(f"{len(found)} ops are drawn")
    return status


if __name__ == "__main__":
    sys.exit(main())
