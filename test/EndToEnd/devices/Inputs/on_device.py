# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text, and caches that stay on the device."""
import pickle
import sys

import numpy

import heddle

model = heddle.load(sys.argv[1])
assert model.device, "the CPU runs it"
tokenizer = heddle.Tokenizer(sys.argv[2])
print("python:", "".join(model.generate("20371231\n", tokenizer=tokenizer, max_tokens=10)))

ids = numpy.array([[3, 4, 5]])
first = model.cache(batch=1, capacity=32)
model.prefill(ids=ids, starts=[0], lengths=[3], cache=first)
second = first.copy()
assert first.memory.any() and (first.memory == second.memory).all()
step = {"ids": [[7]], "starts": [3], "lengths": [1]}
logits = [model.decode(**step, cache=cache) for cache in (first, second)]
assert numpy.array_equal(*logits)
try:
    pickle.dumps(first)
except TypeError as error:
    assert "on a device cannot be pickled" in str(error), error
else:
    raise AssertionError("a cache on a device was pickled")
print("a cache that was copied goes on as the first does")
