# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiled modules are judged by: what each op means, written down a second time.

`Op` (program.py) has an op's text and its formula side by side. Formulas are taken from the
descriptions in dialect/Heddle and nothing else: they share no code with the compiler or its
reference, and do not know what an op is decomposed into. They compute in double precision,
and with every number how far single precision may be from it (bounded.py).

To add an op: a class in the file that is named like its .td, and a function that makes one
for a given operand, listed in that file's PROPOSALS. The cases of tensor_ops.py and the
graphs of random_modules.py are made of those.
"""
