# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random linear layers, of integers computed by --arithmetic=int16 and int8, and of
bf16, verified with the reference.

    random_products.py FUNCTIONS [SEED]

Columns, inputs, groups and rows have any size, codes 4 or 8 bits with or without a sign, and some
matrices have zeros and minimums. Inputs of matrices of bf16 are rounded to it, and these
matrices lie as CPUs read them that add up products of bf16 in pairs, whatever this one is."""
import json
import random
import re
import struct
import subprocess
import sys
import time

CODES = {"i4": ("I8", -8, 7), "ui4": ("U8", 0, 15), "i8": ("I8", -128, 127), "ui8": ("U8", 0, 255)}


def encode(value, element):
    if element == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack({"f16": "<e", "f32": "<f"}[element], value)


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
            data = b"".join(encode(v, element) for v in values)
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


def bfloat_layer(name, generator, checkpoint):
    """The same with a matrix of bf16, and inputs that are rounded to it."""
    inputs, outputs = 2 * generator.randint(1, 150), generator.randint(16, 120)
    if generator.random() < 0.1:
        inputs = 2 * generator.randint(1025, 1100)  # in blocks
    rows = generator.choice(("1", "2", "5", "9", "17", "?"))
    checkpoint.matrices.add(f"@w{len(checkpoint.header)}")
    weight, matrix = checkpoint.add([outputs, inputs], "bf16")
    x, y = f"tensor<{rows}x{inputs}xf32>", f"tensor<{rows}x{outputs}xf32>"
    rounded = x.replace("f32", "bf16")
    sizes = ' {heddle.sizes = ["n"]}' if rows == "?" else ""
    return f"""func.func @{name}(%x: {x}{sizes}) -> {y} {{
  %w = heddle.weight_ref @{weight} : {matrix}
  %r = heddle.cast %x : {x} -> {rounded}
  %d = heddle.cast %r : {rounded} -> {x}
  %y = heddle.linear %d, %w : {x}, {matrix}
  return %y : {y}
}}"""


def layouts(arithmetic, generator, checkpoint):
    """Those that an instruction reads in groups, of CPUs that have it: of most matrices of integers,
    and of all of bf16, whose products are added up in pairs only so."""
    kinds = {"int8": ("xui", "panels of 48 along 0 groups of 4", 0.8),
             "bf16": ("xbf16", "panels of 48 along 0 groups of 2", 1)}  # fmt: skip
    if arithmetic not in kinds:
        return ""
    kind, layout, share = kinds[arithmetic]
    text = ""
    for declared in checkpoint.declared:
        name, matrix = re.match(r"heddle.weight (@\w+) .* : (.*)", declared).groups()
        if kind in matrix and name in checkpoint.matrices and generator.random() < share:
            text += f"heddle.configure {name} #heddle.layout<{layout}>\n"
    return text


def verify(arithmetic, count, generator):
    """Returns how many layers were verified, and how many are of integers, or pairs of bf16."""
    checkpoint = Checkpoint(generator)
    make = bfloat_layer if arithmetic == "bf16" else layer
    functions = [make(f"f{number}", generator, checkpoint) for number in range(count)]
    with open(f"{arithmetic}.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(checkpoint.declared + functions))
    checkpoint.write(f"{arithmetic}.safetensors")
    command = ["heddlec", f"{arithmetic}.mlir", f"--weights={arithmetic}.safetensors"]
    if arithmetic != "bf16":  # which the text has itself
        command.append(f"--arithmetic={arithmetic}")
    schedule = layouts(arithmetic, generator, checkpoint)
    if schedule:
        with open(f"{arithmetic}.layouts", "w", encoding="utf-8") as file:
            file.write(schedule)
        command.append(f"--schedule={arithmetic}.layouts")
    done = subprocess.run([*command, "--verify", "--quiet", "-o", "products.o"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    print(done.stdout + done.stderr)
    if done.returncode:
        sys.exit(done.returncode)
    kernels = subprocess.run([*command, "--emit=kernels", "--quiet"],
                             capture_output=True, text=True, check=True).stdout  # fmt: skip
    # Columns of integers lie so where their products are of integers, and not decoded first.
    found = r"bf16 pairs>" if arithmetic == "bf16" else r"_ref .*groups of [24]"
    return done.stdout.count("as a whole"), len(re.findall(found, kernels))


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 2**31
    print(f"seed {seed}")
    generator = random.Random(seed)
    for arithmetic in "int16", "int8", "bf16":
        verified, special = verify(arithmetic, count, generator)
        print(f"{arithmetic}: {verified} of {count} layers verified, {special} of its products")


main()
