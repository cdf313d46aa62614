#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every example of every op in the dialects' .td files to heddle-opt.

usage: examples.py DIALECT_FOLDER

An op without an example is an error. Examples are parts of programs: each is put into
what it needs around it, and values that it does not define are defined before it, with
the types that heddle-opt says they are used with.
"""

import pathlib
import re
import subprocess
import sys

# def Heddle_LinearOp : Heddle_PureOp<"linear", ...
DEFINITION = re.compile(r'^def \w+Op\b\s*:\s*\w+<\s*"([\w.]+)"', re.MULTILINE)
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
# A class may put a prefix before the names of its ops.
PREFIXES = {"MaskOps.td": "mask."}

# Ops that stand at the top of a file, and what the others stand in.
TOP_LEVEL = (
    "heddle.kernel", "heddle.signature", "heddle.weight ", "halide.pipeline", "halide.schedule"
)
AROUND = {
    "Heddle": ("func.func @example() {\n", "return\n}\n"),
    "AlgorithmOps.td": ("halide.pipeline @example {\n", "}\n"),
    "Directives": ("halide.schedule @example {\n", "}\n"),
}


def ops(path):
    """The ops of a .td file, each with the text of its definition."""
    text = path.read_text()
    matches = list(DEFINITION.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    for match, end in zip(matches, ends):
        yield PREFIXES.get(path.name, "") + match[1], text[match.start() : end]


def statements(example):
    """The example's statements: lines that are indented or closing belong to one."""
    found = []
    for line in example.splitlines():
        if found and (not line or line[0] in " })"):
            found[-1] += line + "\n"
        else:
            found.append(line + "\n")
    return found


def run(text):
    return subprocess.run(
        ["heddle-opt", "--allow-unregistered-dialect", "-o", "/dev/null"],
        input=text,
        capture_output=True,
        text=True,
    ).stderr


def check(around, others, example):
    """What is wrong with the example, as heddle-opt says it. It may refer to others."""
    parts = statements(example)
    outside = [part for part in parts if part.startswith(TOP_LEVEL)]
    for part in sum(map(statements, others), []):
        symbol = re.search(r"@\w+", part)
        is_shared = part.startswith(("heddle.kernel", "heddle.signature"))
        if is_shared and part not in parts and symbol[0] in example:
            outside.append(part)
    inside = [part for part in parts if not part.startswith(TOP_LEVEL)]
    if not inside:
        return run("".join(outside))
    types = {}

    def program(is_known):
        values = [f'{name} = "value"() : () -> {type}\n' for name, type in types.items()]
        body = values + inside if is_known else inside + values
        return "".join(outside) + around[0] + "".join(body) + around[1]

    while True:
        errors = run(program(is_known=False))
        undefined = re.search(r"use of undeclared SSA value name.*\n.*?(%\w+)", errors)
        differs = re.search(
            r"definition of SSA value '(%\w+)#0' has type.*?"
            r"previously used here with type '(.*?)'\n",
            errors,
            re.DOTALL,
        )
        if differs:
            types[differs[1]] = differs[2]
        elif undefined:
            column = re.search(r":(\d+): error: use of undeclared", errors)
            line = errors.splitlines()[1]
            name = re.match(r"%\w+", line[int(column[1]) - 1 :])[0]
            types[name] = "i32"
        else:
            return run(program(is_known=True))


def main(folder):
    failures = 0
    count = 0
    for path in sorted(pathlib.Path(folder).glob("*/*.td")):
        dialect = path.parent.name
        around = AROUND["Heddle"]
        if dialect == "Halide":
            around = AROUND["AlgorithmOps.td" if path.name == "AlgorithmOps.td" else "Directives"]
        all_examples = [
            re.sub(r"^    ", "", example, flags=re.MULTILINE)
            for example in EXAMPLE.findall(path.read_text())
        ]
        for name, definition in ops(path):
            name = f"{dialect.lower()}.{name}"
            examples = EXAMPLE.findall(definition)
            if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in examples):
                print(f"{path}: error: no example of {name}")
                failures += 1
            for example in examples:
                count += 1
                example = re.sub(r"^    ", "", example, flags=re.MULTILINE)
                errors = check(around, all_examples, example)
                # Statements that define one value are alternatives.
                results = re.findall(r"^%\w+ = ", example, re.MULTILINE)
                if len(results) != len(set(results)):
                    errors = "".join(
                        check(around, all_examples, part) for part in statements(example)
                    )
                if errors:
                    print(f"{path}: error: an example of {name}:\n{example}{errors}")
                    failures += 1
    print(f"{count} examples, {failures} errors")
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
