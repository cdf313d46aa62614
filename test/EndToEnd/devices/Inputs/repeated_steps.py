# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of one entry, one after the other; argument 2 names an option of heddle.load."""
import sys

import numpy

import heddle


def say(text):
    print(text, file=sys.stderr, flush=True)


model = heddle.load(sys.argv[1], threads=1, **{name: 64 if name == "stream" else True for name in sys.argv[2:]})
x = numpy.ones((3, 64), numpy.float32)
call = model.steps.prepare(x=model.array(x), y=model.array(x))
for name in ("first", "second", "third"):
    say(name)
    try:
        call()
    except heddle.HeddleError as error:
        say(error)
say("of the host")
try:
    model.steps(x=x)
except heddle.HeddleError as error:
    say(error)
say("gone")
del call, model
