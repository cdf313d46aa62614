#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the table of ops in the dialects' README with the .td files.

usage: op_table.py DIALECT_FOLDER

Each op of the heddle dialect has one row, which links to its .td file and to tests that hold
it, and which names each keyword of its assembly format, where that is declared. Ops with constraints have a test of
errors.
"""

import pathlib
import re
import sys

# def Heddle_LinearOp : Heddle_PureOp<"linear", ...
DEFINITION = re.compile(r'^def \w+Op\b\s*:\s*\w+<\s*"([\w.]+)"', re.MULTILINE)
# A class may put a prefix before the names of its ops.
PREFIXES = {"MaskOps.td": "mask."}
CLASS = re.compile(r"^class (\w+)<", re.MULTILINE)
FORMAT = re.compile(r"(?:assemblyFormat|optionsFormat) =\s([^;]*);")
LINK = re.compile(r"\[([\w.-]+)\]\(([^)]+)\)")
# Words between operands, which are no options.
PLAIN = {"from_number": {"to"}, "insert": {"into", "at"}}


def ops(folder):
    """The ops of a folder of .td files: (name, file, text of the definition)."""
    for path in sorted(folder.glob("*.td")):
        text = path.read_text()
        matches = list(DEFINITION.finditer(text))
        ends = [match.start() for match in matches[1:]] + [len(text)]
        for match, end in zip(matches, ends):
            yield PREFIXES.get(path.name, "") + match[1], path, text[match.start() : end]


def classes(folder):
    """The texts of the classes that ops are of, by name."""
    found = {}
    for path in folder.glob("*.td"):
        for part in re.split(r"^(?=class |def )", path.read_text(), flags=re.MULTILINE):
            name = CLASS.match(part)
            if name:
                found[name[1]] = part
    return found


def keywords(text, known):
    """The keywords of the assembly format of an op or a class, and of its class."""
    header = text.split("{", 1)[0]
    parent = re.search(r":\s*(\w+)<", header)
    parts = [header] + FORMAT.findall(text)
    words = re.findall(r"`([a-z_]+)`", " ".join(parts))
    return words + (keywords(known[parent[1]], known) if parent and parent[1] in known else [])


def rows(readme):
    """The rows of the table, by the op that each begins with: cells."""
    found = {}
    for line in readme.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        link = LINK.match(cells[0]) if len(cells) == 5 else None
        if link:
            found.setdefault(link[1], []).append(cells)
    return found


def target(folder, cell):
    """The file that a cell links to; none where there is no link, or no file."""
    link = LINK.fullmatch(cell)
    path = folder / link[2] if link else None
    return path.resolve() if path and path.is_file() else None


def check(folder, name, definition, text, cells, words):
    """What is wrong with the row of an op."""
    _, options, round_trip, errors, end_to_end = cells
    if target(folder, cells[0]) != definition.resolve():
        yield f"does not link to {definition.name}"
    for word in words:
        if f"`{word}`" not in options and word not in PLAIN.get(name, ()):
            yield f"lacks the option '{word}'"
    has_errors = "Constraints:" in text
    for what, cell in (("round trip", round_trip), ("errors", errors), ("end to end", end_to_end)):
        if what == "errors" and not cell and not has_errors:
            continue
        path = target(folder, cell)
        if not path:
            yield f"{what}: '{cell}' is no link to a file"
        elif what != "end to end" and not re.search(
            rf"heddle\.{re.escape(name)}\b", path.read_text()
        ):
            yield f"{what}: {path.name} does not hold the op"


def main():
    folder = pathlib.Path(sys.argv[1])
    table = rows(folder / "README.md")
    known_classes = classes(folder / "Heddle")
    failures, known = [], set()
    for name, definition, text in ops(folder / "Heddle"):
        known.add(name)
        found = table.get(name, [])
        if len(found) != 1:
            failures.append(f"{name}: expected one row, found {len(found)}")
            continue
        words = keywords(text, known_classes)
        found = check(folder, name, definition, text, found[0], words)
        failures += [f"{name}: {what}" for what in found]
    failures += [f"{name}: no such op" for name in table if name not in known]
    if not known:
        failures.append("no ops found")
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
