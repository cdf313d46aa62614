# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of tensors for tests, without NumPy.

npy.py write FILE DESCR SHAPE VALUE...   such as: npy.py write x.npy '<i4' 1,2 7 8
npy.py show FILE                         prints descr, shape and the largest value's index
npy.py compare FILE FILE TOLERANCE       fails where two differ by more
npy.py pack FILE.npz FILE.npy...         as numpy.savez_compressed, of their names
npy.py unpack FILE.npz                   prints the names, and leaves NAME.npy of each
"""

import ast
import os
import struct
import sys
import zipfile

FORMATS = {"<i4": "i", "<i8": "q", "<f4": "f", "|b1": "?", "|i1": "b"}


def write(path, descr, shape, *values):
    shape = tuple(int(extent) for extent in shape.split(",") if extent)
    header = repr({"descr": descr, "fortran_order": False, "shape": shape})
    header += " " * (127 - 10 - len(header)) + "\n"
    convert = float if descr == "<f4" else int
    data = [convert(value) for value in values]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode())
        file.write(struct.pack(f"<{len(data)}{FORMATS[descr]}", *data))


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    assert content[:8] == b"\x93NUMPY\x01\x00", path
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    assert begin % 64 == 0, path
    header = ast.literal_eval(content[10:begin].decode())
    count = (len(content) - begin) // struct.calcsize(FORMATS[header["descr"]])
    values = struct.unpack(f"<{count}{FORMATS[header['descr']]}", content[begin:])
    return header["descr"], header["shape"], values


def show(path):
    descr, shape, values = read(path)
    print(descr, shape, "largest at", max(range(len(values)), key=values.__getitem__))


def compare(first, second, tolerance):
    first, second = read(first), read(second)
    assert first[:2] == second[:2], (first[:2], second[:2])
    difference = max(abs(a - b) for a, b in zip(first[2], second[2]))
    assert difference <= float(tolerance), difference
    print("equal")


def pack(path, *files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, os.path.basename(file))


def unpack(path):
    with zipfile.ZipFile(path) as archive:
        print(*archive.namelist())
        archive.extractall()


COMMANDS = {"write": write, "show": show, "compare": compare, "pack": pack, "unpack": unpack}
COMMANDS[sys.argv[1]](*sys.argv[2:])
