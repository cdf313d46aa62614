# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts of numbers at the borders of every type, compared with exact arithmetic.

    casts.py [COUNT]

Compiles `casts_TYPE.mlir` for each type, or COUNT of them that are drawn, runs it on numbers where rounding, saturation
and NaN matter, and compares each result with what heddle.cast says, worked out in
fractions.
"""
import ast
import fractions
import math
import random
import struct
import subprocess
import sys

# The significant bits and the smallest and largest exponents of floats; the widths of
# integers; what NumPy and struct call them. Neither has bf16, or floats of eight bits: these
# are bits.
FLOATS = {"f32": (24, -126, 127), "f64": (53, -1022, 1023), "bf16": (8, -126, 127),
          "f16": (11, -14, 15), "f8E4M3FN": (4, -6, 8), "f8E5M2": (3, -14, 15)}
INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "ui8": 8, "ui16": 16, "ui32": 32,
            "ui64": 64, "i1": 1}
NUMPY = {"f32": "<f4", "f64": "<f8", "bf16": "<V2", "f16": "<f2", "f8E4M3FN": "|V1",
         "f8E5M2": "|V1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "ui8": "|u1",
         "ui16": "<u2", "ui32": "<u4", "ui64": "<u8", "i1": "|b1"}
STRUCT = {"f32": "f", "f64": "d", "bf16": "H", "f16": "e", "f8E4M3FN": "B", "f8E5M2": "B",
          "i8": "b", "i16": "h", "i32": "i", "i64": "q", "ui8": "B", "ui16": "H", "ui32": "I",
          "ui64": "Q", "i1": "?"}
# The largest number of the type that has no infinity.
LARGEST_E4M3 = 448


def round_to(value, element):
    """The nearest float of a fraction, of two the even one; infinities and NaN stay."""
    if isinstance(value, float) and not math.isfinite(value):
        return math.nan if element == "f8E4M3FN" else value
    bits, lowest, highest = FLOATS[element]
    exact = fractions.Fraction(value)
    if exact == 0:
        return 0.0
    exponent = lowest
    while abs(exact) >= fractions.Fraction(2) ** (exponent + 1):
        exponent += 1
    place = fractions.Fraction(2) ** (exponent - bits + 1)
    rounded = round(exact / place) * place  # to even
    if element == "f8E4M3FN" and abs(rounded) > LARGEST_E4M3:
        return math.nan
    if abs(rounded) >= fractions.Fraction(2) ** (highest + 1):
        return math.copysign(math.inf, exact)
    return float(rounded)


def ends(element):
    """The least and the largest integer."""
    width = INTEGERS[element]
    if element.startswith("ui"):
        return 0, 2**width - 1
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


def cast(value, source, target):
    if target == "i1":
        return value != 0
    if target in FLOATS:
        return round_to(value, target)
    least, most = ends(target)
    if source in FLOATS:
        if math.isnan(value):
            return 0
        if math.isinf(value):
            value = math.copysign(2.0**70, value)
        return max(least, min(most, int(value)))
    return (int(value) - least) % 2 ** INTEGERS[target] + least


def small_floats(element):
    """What each byte is."""
    bits, lowest, highest = FLOATS[element]
    mantissa = bits - 1
    found = []
    for byte in range(128):
        exponent, fraction = byte >> mantissa, byte % 2**mantissa
        if exponent:
            value = (1 + fraction / 2**mantissa) * 2.0 ** (exponent - 1 + lowest)
        else:
            value = fraction / 2**mantissa * 2.0**lowest
        if element == "f8E4M3FN" and byte == 127:
            value = math.nan
        if element == "f8E5M2" and value >= 2.0 ** (highest + 1):
            value = math.inf if fraction == 0 else math.nan
        found.append(value)
    return found + [-value for value in found]


def numbers(element):
    if element == "i1":
        return [False, True]
    if element in INTEGERS:
        least, most = ends(element)
        width = INTEGERS[element] + (least == 0)
        near = [sign * 2**power + off for power in range(width - 1) for sign in (-1, 1)
                for off in (-1, 0, 1)]
        # Half way between two narrow floats, and a little beside that.
        ties = [2**power + 2 ** (power - bits) + off for power in range(12, width - 1)
                for bits in (8, 11, 24) if bits < power for off in (-1, 0, 1)]
        return sorted({n for n in near + ties + [-n for n in ties] + [least, most]
                       if least <= n <= most})
    if NUMPY[element] == "|V1":
        return small_floats(element)
    values = {math.inf, 0.0, 0.5, 1.5, 2.5, 65519.0, 65520.0, 3e38, 1e-45, 6e-8, 3e-8, 1e-40}
    for power in range(-30, 70):
        values |= {2.0**power, 2.0**power * (1 + 2**-8), 2.0**power * (1 + 3 * 2**-9),
                   2.0**power * (1 - 2**-12), 2.0**power * (1 + 2**-11)}
    if element == "f64":
        # Beside what is half way between two shorter floats, further than f32 can tell.
        values |= {v * (1 + off) for v in values for off in (2.0**-40, -(2.0**-40))}
        values |= {1e300, 1e-300, 5e-324}
    values = sorted({round_to(v, element) for v in values})
    return values + [-v for v in values] + [math.nan]


def save(path, values, element):
    if element == "bf16":
        values = [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
    if NUMPY[element] == "|V1":
        values = list(range(256))
    header = repr({"descr": NUMPY[element], "fortran_order": False, "shape": (len(values),)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{STRUCT[element]}", *values))


def load(path, element):
    with open(path, "rb") as file:
        content = file.read()
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:begin].decode())
    assert header["descr"] == NUMPY[element], header
    values = struct.unpack(f"<{header['shape'][0]}{STRUCT[element]}", content[begin:])
    if element == "bf16":
        values = [struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in values]
    if NUMPY[element] == "|V1":
        values = [small_floats(element)[value] for value in values]
    return values


def same(found, expected):
    return found == expected or (found != found and expected != expected)


def check(source):
    values = numbers(source)
    targets = [element for element in NUMPY if element != source]
    size = len(values)
    ops = "\n".join(f"  %{to} = heddle.cast %x : tensor<{size}x{source}> -> tensor<{size}x{to}>"
                    for to in targets)
    results = ", ".join(f'tensor<{size}x{to}> {{heddle.name = "{to}"}}' for to in targets)
    types = ", ".join(f"tensor<{size}x{to}>" for to in targets)
    returned = ", ".join("%" + to for to in targets)
    name = f"casts_{source}"
    with open(name + ".mlir", "w") as file:
        file.write(f'func.func @f(%x: tensor<{size}x{source}> {{heddle.name = "x"}}) -> '
                   f"({results}) {{\n{ops}\n  return {returned} : {types}\n}}\n")
    subprocess.run(["heddlec", name + ".mlir", "--emit=shared", "-o", name + ".so"], check=True)
    save("x.npy", values, source)
    subprocess.run(["heddle-run", "run", name + ".so", "--entry=f", "--input=x=x.npy"]
                   + [f"--output={to}={to}.npy" for to in targets], check=True)
    for to in targets:
        for value, found in zip(values, load(to + ".npy", to)):
            expected = cast(value, source, to)
            assert same(found, expected), (
                f"{value} of {source} as {to} is {found}, expected {expected}")
    print(f"{size} numbers of {source} as {', '.join(targets)}")


def main():
    drawn = random.sample(sorted(NUMPY), int(sys.argv[1])) if sys.argv[1:] else NUMPY
    for element in drawn:
        check(element)


if __name__ == "__main__":
    main()
