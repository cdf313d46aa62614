# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text, caches and arrays that stay on the device, and a stream of the program's own."""
import gc
import pickle
import sys

import numpy
import opencl_queue

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

# Two steps of prepared calls, of which the second reads what the first has changed.
expected = [model.decode(ids=[[i]], starts=[3 + n], lengths=[1], cache=second)
            for n, i in enumerate((8, 9))][1]
queue, place = opencl_queue.create()
model = heddle.load(sys.argv[1], **place)
assert queue.references() == 2, queue.references()
cache = model.cache(batch=1, capacity=32)
model.prefill(ids=ids, starts=[0], lengths=[3], cache=cache)
given = {"ids": model.array([[8]], "i4"), "starts": model.array([3], "i4"),
         "lengths": model.array([1], "i4")}
logits = model.array(numpy.full((1, expected.size), numpy.nan, "f4"))
call = model.decode.prepare(**given, cache=cache, logits=logits)
call()
assert numpy.isfinite(logits.read()).all()
given["ids"].write([[9]])
given["starts"].write([4])
call()
model.wait()
assert numpy.array_equal(logits.read(), expected)
print("a prepared call in a queue of the program's own")


def refuses(error, message, call):
    try:
        call()
    except error as found:
        assert message in str(found), found
    else:
        raise AssertionError(f"not refused: {message}")


arrays = {**given, "cache": cache, "logits": logits}
prepare = model.decode.prepare
refuses(TypeError, "argument 'logits' is missing", lambda: prepare(**given, cache=cache))
refuses(TypeError, "argument 'ids': expected a DeviceArray, found list",
        lambda: prepare(**{**arrays, "ids": [[9]]}))
refuses(TypeError, "argument 'cache': expected a Cache, found DeviceArray",
        lambda: prepare(**{**arrays, "cache": logits}))
refuses(TypeError, "there is no argument and no size 'x'", lambda: prepare(**arrays, x=1))
refuses(ValueError, "argument 'ids' is int64, expected int32",
        lambda: prepare(**{**arrays, "ids": model.array([[9]])}))
refuses(ValueError, "argument 'logits' has shape [1, 2], expected [1, ",
        lambda: prepare(**{**arrays, "logits": model.array([[0, 0]], "f4")}))
refuses(ValueError, "argument 'cache': the cache is on another device",
        lambda: prepare(**{**arrays, "cache": first}))
refuses(ValueError, "the array has shape [1, 1], the data [1, 2]",
        lambda: given["ids"].write([[1, 2]]))
refuses(ValueError, "stream is -1, expected 0 to",
        lambda: heddle.load(sys.argv[1], stream=-1))
refuses(heddle.HeddleError, "options.context is given, and options.device is not",
        lambda: heddle.load(sys.argv[1], context=place["context"]))
cpu = heddle.load(sys.argv[3])
refuses(ValueError, "the CPU runs the model", lambda: cpu.array([1]))
refuses(ValueError, "decode: the CPU runs it", lambda: cpu.decode.prepare(**arrays))
refuses(ValueError, "stream is given, and the CPU runs",
        lambda: heddle.load(sys.argv[3], stream=place["stream"]))
print("what is wrong is said")

# A cache and its device go in any order: nothing stays allocated.
other = heddle.load(sys.argv[1])
library, counts = other.cache(batch=1, capacity=32)._device._library, {"allocate": 0, "release": 0}


def counted(name):
    function = getattr(library, f"heddle_device_{name}")

    def call(*arguments):
        counts[name] += 1
        return function(*arguments)

    call.argtypes, call.restype = function.argtypes, function.restype
    setattr(library, f"heddle_device_{name}", call)


counted("allocate")
counted("release")
cache = other.cache(batch=1, capacity=32)
cache._device.__del__()  # as the garbage collector may do first, of objects in a cycle
del other, cache
gc.collect()
assert counts == {"allocate": 1, "release": 1}, counts
print("a cache that its device ends before is released")
