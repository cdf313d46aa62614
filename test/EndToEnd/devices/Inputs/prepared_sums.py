# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two calls in a stream of the program's own, of which the stand-in for CUDA's driver knows no
more than that it is not its own."""
import sys

import numpy

import heddle


def say(text):
    print(text, file=sys.stderr, flush=True)


model = heddle.load(sys.argv[1], threads=1, stream=64)
x = numpy.ones((3, 1024), numpy.float32)
call = model.sums.prepare(x=model.array(x), y=(y := model.array(x)))
say("prepared")
call()
call()
say("called")
model.wait()
say("waited")
y.read()
say("read")
call()
del call
say("gone")
