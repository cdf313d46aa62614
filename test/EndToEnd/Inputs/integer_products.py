# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random linear layers of integers, computed by --arithmetic=int16 and int8
and verified with the reference.

    integer_products.py FUNCTIONS [SEED]

Columns, inputs, groups and rows have any size, codes 4 or 8 bits with or without a sign, and some
matrices have zeros and minimums. A function's name says how it is computed."""
import json
import random
import re
import struct
import subprocess
import sys
import time

CODES = {"i4": ("I8", -8, 7), "ui4": ("U8", 0, 15), "i8": ("I8", -128, 127), "ui8": ("U8", 0, 255)}


class Checkpoint:
    """Weights of a module, and the file that has them."""

    def __init__(self, generator):
        self.generator, self.header, self.data, self.declared = generator, {}, b"", []
        self.matrices = set()  # of integers that inputs are multiplied with

    def add(self, shape, element):
        name = f"w{len(self.header)}"
        count = shape[0] * shape[1]
        if element in CODES:
            dtype, low, high = CODES[element]
            data = bytes(self.generator.randint(low, high) % 256 for _ in range(count))
        else:
            dtype = element.upper()
            values = (self.generator.uniform(0.005, 0.02) for _ in range(count))
            data = b"".join(struct.pack({"f16": "<e", "f32": "<f"}[element], v) for v in values)
        place = [len(self.data), len(self.data) + len(data)]
        self.header[name] = {"dtype": dtype, "shape": shape, "data_offsets": place}
        self.data += data
        type_ = f"tensor<{shape[0]}x{shape[1]}x{element}>"
        self.declared.append(f'heddle.weight @{name} from "{name}" : {type_}')
        return name, type_

    def write(self, path):
        header = json.dumps(self.header).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header + self.data)


def layer(name, generator, checkpoint):
    """The text of a function."""
    element = generator.choice(sorted(CODES))
    group = generator.choice((16, 24, 32, 40, 64, 128, 256))
    if element in ("i8", "ui8"):
        group = generator.choice((group, 18, 22))
    inputs = group * generator.choice((1, 2, 3, 5))
    outputs = generator.choice((16, 17, 33, 48, 100))
    rows = generator.choice(("1", "5", "6", "13", "?"))
    scale = generator.choice(("f16", "f32"))
    lines, number = [], 0

    def read(shape, of):
        nonlocal number
        weight, type_ = checkpoint.add(shape, of)
        number += 1
        lines.append(f"  %{number} = heddle.weight_ref @{weight} : {type_}")
        return f"%{number}", type_

    if group % 8 == 0:  # whole places of fours
        checkpoint.matrices.add(f"@w{len(checkpoint.header)}")
    groups = [outputs, inputs // group]
    codes, scales = read([outputs, inputs], element), read(groups, scale)
    parts = ""
    if generator.random() < 0.4:
        parts += " zeros({} : {})".format(*read(groups, element))
    if generator.random() < 0.4:
        parts += " minimums({} : {})".format(*read(groups, scale))
    matrix, x = f"tensor<{outputs}x{inputs}xf32>", f"tensor<{rows}x{inputs}xf32>"
    y = f"tensor<{rows}x{outputs}xf32>"
    sizes = ' {heddle.sizes = ["n"]}' if rows == "?" else ""
    body = "\n".join(lines)
    return f"""func.func @{name}(%x: {x}{sizes}) -> {y} {{
{body}
  %w = heddle.dequantize {codes[0]}, {scales[0]}{parts} axis(1) : {codes[1]}, {scales[1]} -> {matrix}
  %y = heddle.linear %x, %w : {x}, {matrix}
  return %y : {y}
}}"""


def verify(arithmetic, count, generator):
    """Returns how many layers were verified, and the panels of how many are of integers."""
    checkpoint = Checkpoint(generator)
    functions = [layer(f"f{number}", generator, checkpoint) for number in range(count)]
    with open(f"{arithmetic}.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(checkpoint.declared + functions))
    checkpoint.write(f"{arithmetic}.safetensors")
    command = ["heddlec", f"{arithmetic}.mlir", f"--weights={arithmetic}.safetensors",
               f"--arithmetic={arithmetic}"]  # fmt: skip
    if arithmetic == "int8":
        # As for CPUs that add up products of bytes in fours, whatever this one is.
        fours = ""
        for text in checkpoint.declared:
            name, matrix = re.match(r"heddle.weight (@\w+) .* : (.*)", text).groups()
            if "xui" in matrix and name in checkpoint.matrices and generator.random() < 0.8:
                layout = "#heddle.layout<panels of 48 along 0 groups of 4>"
                fours += f"heddle.configure {name} {layout}\n"
        if fours:
            with open("fours.mlir", "w", encoding="utf-8") as file:
                file.write(fours)
            command.append("--schedule=fours.mlir")
    done = subprocess.run([*command, "--verify", "--quiet", "-o", "products.o"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    print(done.stdout + done.stderr)
    if done.returncode:
        sys.exit(done.returncode)
    kernels = subprocess.run([*command, "--emit=kernels", "--quiet"],
                             capture_output=True, text=True, check=True).stdout  # fmt: skip
    # Columns lie so where their products are of integers, and not decoded first.
    return done.stdout.count("as a whole"), len(re.findall(r"_ref .*groups of [24]", kernels))


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 2**31
    print(f"seed {seed}")
    generator = random.Random(seed)
    for arithmetic, part in ("int16", count - count // 2), ("int8", count // 2):
        verified, of_integers = verify(arithmetic, part, generator)
        print(f"{arithmetic}: {verified} of {part} layers verified, {of_integers} of integers")


main()
