# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a kernel of a shared library an illegal instruction: break_kernel.py LIBRARY KERNEL."""

import re
import subprocess
import sys

library, kernel = sys.argv[1:]
symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
address = int(re.search(rf"^(\w+) t \S*{kernel}$", symbols, re.M)[1], 16)
sections = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
at, offset = (int(x, 16) for x in re.search(r" \.text +PROGBITS +(\w+) (\w+)", sections).groups())
with open(library, "r+b") as file:
    file.seek(address - at + offset)
    file.write(b"\x0f\x0b")
