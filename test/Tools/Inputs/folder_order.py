# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where folders of the compiler include headers of each other.

    folder_order.py COMPILER_FOLDER
"""
import graphlib
import pathlib
import re
import sys

INCLUDE = re.compile(r'#include "compiler/(\w+)/')


def included(folder):
    """The other folders whose headers its files include."""
    files = [path for path in folder.rglob("*") if path.suffix in (".cpp", ".h")]
    found = {name for path in files for name in INCLUDE.findall(path.read_text())}
    return found - {folder.name}


def main():
    folders = [path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir()]
    try:
        order = graphlib.TopologicalSorter({path.name: included(path) for path in folders})
        print("in order:", *order.static_order())
    except graphlib.CycleError as error:
        print("these include each other:", *error.args[1])
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
