# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of one entry, one after the other; argument 2 names an option of heddle.load, or is
"captured", as the stand-in's stream is then."""
import os
import sys

import numpy

import heddle


def say(text):
    print(text, file=sys.stderr, flush=True)


is_captured = sys.argv[2:] == ["captured"]
options = {} if is_captured else {name: 64 if name == "stream" else True for name in sys.argv[2:]}
model = heddle.load(sys.argv[1], threads=1, **options)
x = numpy.ones((3, 64), numpy.float32)
call = model.steps.prepare(x=model.array(x), y=model.array(x))
if is_captured:
    os.environ["CAPTURED"] = "1"
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
