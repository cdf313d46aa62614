#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every example of every op in the dialects' .td files to heddle-opt.

usage: examples.py DIALECT_FOLDER

An op without an example is an error. Examples are parts of programs: each is put into
what it needs around it, and values that it does not define are defined before it, with
the types that heddle-opt says they are used with.
"""

import bisect
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


SEPARATOR = "// -----\n"


def run(texts):
    """What heddle-opt, started once, says of each text."""
    done = subprocess.run(
        ["heddle-opt", "--allow-unregistered-dialect", "--split-input-file", "-o", "/dev/null"],
        input=SEPARATOR.join(texts),
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    firsts = [0]
    for text in texts:
        firsts.append(firsts[-1] + len(text.splitlines()) + 1)
    found = [""] * len(texts)
    for message in re.split(r"^(?=<stdin>:)", done.stderr, flags=re.MULTILINE):
        line = re.match(r"<stdin>:(\d+):", message)
        if line:
            found[bisect.bisect(firsts, int(line[1]) - 1) - 1] += message
        elif message:
            raise RuntimeError(message)
    return found


def run_together(checks):
    """What each of the generators returns, which are answered what heddle-opt says of the text
    that they yield."""
    results = [""] * len(checks)
    waiting = dict(enumerate(checks))
    answers = dict.fromkeys(waiting)
    while waiting:
        texts = {}
        for number, check in list(waiting.items()):
            try:
                texts[number] = check.send(answers[number])
            except StopIteration as end:
                results[number] = end.value
                del waiting[number]
        answers = dict(zip(texts, run(list(texts.values()))))
    return results


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
        return (yield "".join(outside))
    types = {}

    def program(is_known):
        values = [f'{name} = "value"() : () -> {type}\n' for name, type in types.items()]
        body = values + inside if is_known else inside + values
        return "".join(outside) + around[0] + "".join(body) + around[1]

    while True:
        errors = yield program(is_known=False)
        undefined = re.findall(r":(\d+): error: use of undeclared.*\n(.*)\n", errors)
        differs = re.search(
            r"definition of SSA value '(%\w+)#0' has type.*?"
            r"previously used here with type '(.*?)'\n",
            errors,
            re.DOTALL,
        )
        if differs:
            types[differs[1]] = differs[2]
        elif undefined:
            for column, line in undefined:
                types[re.match(r"%\w+", line[int(column) - 1 :])[0]] = "i32"
        else:
            return (yield program(is_known=True))


def check_alternatives(around, others, example):
    """The same of one whose statements may be alternatives, which define one value."""
    results = re.findall(r"^%\w+ = ", example, re.MULTILINE)
    if len(results) == len(set(results)):
        return (yield from check(around, others, example))
    errors = ""
    for part in statements(example):
        errors += yield from check(around, others, part)
    return errors


def main(folder):
    failures = 0
    places, checks = [], []
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
                example = re.sub(r"^    ", "", example, flags=re.MULTILINE)
                places.append(f"{path}: error: an example of {name}:\n{example}")
                checks.append(check_alternatives(around, all_examples, example))
    for place, errors in zip(places, run_together(checks)):
        if errors:
            print(place + errors)
            failures += 1
    print(f"{len(checks)} examples, {failures} errors")
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
