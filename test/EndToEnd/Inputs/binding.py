# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the Python binding, and what it refuses: binding.py LIBRARY MODEL_FOLDER."""

import copy
import gc
import inspect
import json
import operator
import os
import pathlib
import pickle
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import weakref

import heddle
import numpy as np
from heddle import _abi

model = heddle.load(sys.argv[1])
tokenizer = heddle.Tokenizer(sys.argv[2])
assert model.name == "dates" and list(model.entries) == ["prefill", "decode"]
assert "ids: input, [batch, length] i32, each from 0 to 71" in model.prefill.__doc__
assert list(inspect.signature(model.prefill).parameters) == ["ids", "starts", "lengths", "cache"]

# Prefill and decode by hand give what generate gives.
prompt = tokenizer.encode("3rd of March, 2021\n")
cache = model.cache(batch=1, capacity=64)
logits = model.prefill(ids=[prompt], starts=[0], lengths=[len(prompt)], cache=cache)
assert logits.shape == (1, 72) and logits.dtype == np.float32
ids = []
while (best := int(logits.argmax())) not in tokenizer.end_ids:
    ids.append(best)
    start = len(prompt) + len(ids) - 1
    logits = model.decode(ids=[[best]], starts=[start], lengths=[1], cache=cache)
assert tokenizer.decode(ids) == "2021-03-03"
assert list(model.generate(prompt, end_ids=tokenizer.end_ids)) == ids
assert "".join(model.generate(prompt, tokenizer=tokenizer, stop=["-0"])) == "2021"
assert "".join(model.generate(prompt, tokenizer=tokenizer, beams=3)) == "2021-03-03"

# Threads share a model, not what they work on.
answers = [None] * 4


def ask(index):
    answers[index] = "".join(model.generate(prompt, tokenizer=tokenizer))


threads = [threading.Thread(target=ask, args=[i]) for i in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
assert answers == ["2021-03-03"] * 4


def refused(kind, text, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")


# Two texts, their types, and how they are cut.
first, second = (tokenizer.encode(text, add_special=False) for text in ("3rd of", "May"))
types = [0] * len(first) + [1] * len(second)
assert tokenizer.encode_pair("3rd of", "May", add_special=False) == (first + second, types)
assert tokenizer.encode_pair("3rd of") == (tokenizer.encode("3rd of"), [0] * len(tokenizer.encode("3rd of")))
cut = {"add_special": False, "maximum_length": len(second) + 1}
assert tokenizer.encode_pair("3rd of", "May", **cut, truncation="only_first")[0] == first[:1] + second
assert tokenizer.encode_pair("", "May", **cut) == (second, [1] * len(second))
assert tokenizer.maximum_length is None
refused(heddle.HeddleError, "cannot truncate the second text alone", tokenizer.encode_pair, "3rd of", "May", **cut,
        truncation="only_second")
refused(ValueError, "truncation: expected one of longest_first", tokenizer.encode_pair, "a", truncation="first")
refused(ValueError, "maximum_length: expected a number >= 1, got 0", tokenizer.encode_pair, "a", maximum_length=0)

# What needs no workspace, and a bf16.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "twice.mlir")
    for element in "f32", "bf16":
        argument = f'%x: tensor<?x4x{element}> {{heddle.name = "x", heddle.sizes = ["n"]}}'
        path.write_text(f"""func.func @f({argument}) -> tensor<?x4x{element}> {{
          %y = arith.addf %x, %x : tensor<?x4x{element}>
          return %y : tensor<?x4x{element}>
        }}""")
        twice = heddle.compile(path)
        if element == "f32":
            assert (twice.f(x=np.ones((1, 4))) == 2).all()
        else:
            assert (twice.f(x=np.full((1, 4), 0x3F80, np.uint16)) == 0x4000).all()
            refused(ValueError, "argument 'x' is float64, expected the bits of bf16 as uint16",
                    twice.f, x=np.ones((1, 4)))

call = {"ids": [[1, 2]], "starts": [0], "lengths": [2], "cache": cache}
refused(ValueError, "argument 'ids' has shape [2], expected [batch, length]",
        model.prefill, **{**call, "ids": [1, 2]})
refused(ValueError, "size 'batch' is 1 by argument 'ids' and 2 by argument 'starts'",
        model.prefill, **{**call, "starts": [0, 0]})
refused(ValueError, "argument 'ids' is float64, and int32 cannot hold all of its values",
        model.prefill, **{**call, "ids": [[1.5, 2]]})
refused(ValueError, "int32 cannot hold", model.prefill, **{**call, "ids": [[2**40, 2]]})
refused(heddle.HeddleError, "argument 'ids'[0][1] is 72, expected 0 to 71",
        model.prefill, **{**call, "ids": [[1, 72]]})
refused(ValueError, "an id is 4294967301, expected -2147483648 to 2147483647",
        model.generate, [2**32 + 5])
refused(ValueError, "an id is", tokenizer.decode, [2**32 + 5])
for name in "max_tokens", "top_k", "beams", "capacity", "seed":
    refused(ValueError, f"{name} is {2**64 + 2}, expected", model.generate, [1],
            **{name: 2**64 + 2})
refused(ValueError, "seed is -1, expected 0 to", model.generate, [1], seed=-1)
refused(ValueError, "length_penalty needs beams", model.generate, [1], length_penalty=2.0)
refused(ValueError, "size 'batch' is", model.cache, batch=2**64 + 1, capacity=8)
refused(ValueError, "threads is", heddle.load, sys.argv[1], threads=2**32 + 1)
refused(ValueError, "a stop has a zero character, at 1", model.generate, prompt,
        tokenizer=tokenizer, stop=["-\0"])
refused(ValueError, "the folder has a zero character", heddle.Tokenizer, "a\0b")
refused(ValueError, "a content has a zero character", tokenizer.apply_chat,
        [{"role": "user", "content": "\0"}])
refused(ValueError, "a message has 'tool_calls'", tokenizer.apply_chat,
        [{"role": "user", "content": "x", "tool_calls": []}])
refused(ValueError, "a message lacks 'content'", tokenizer.apply_chat, [{"role": "user"}])
refused(TypeError, "a content is 5, expected a text", tokenizer.apply_chat,
        [{"role": "user", "content": 5}])
refused(ValueError, "the prefix has a zero character", heddle.load, sys.argv[1], prefix="a\0b")
refused(ValueError, "the library has a zero character", heddle.load, "a\0.so")
for number in 1.5, "1", None, float("nan"):
    shown = f"is {number!r}, expected an integer"
    refused(TypeError, f"an id {shown}", model.generate, [1, number])
    refused(TypeError, f"an id {shown}", tokenizer.decode, [number])
    if number is not None:  # which is what the model's folder says
        refused(TypeError, f"max_tokens {shown}", model.generate, [1], max_tokens=number)
    refused(TypeError, f"seed {shown}", model.generate, [1], seed=number)
    refused(TypeError, f"size 'batch' {shown}", model.cache, batch=number, capacity=8)
refused(TypeError, "a stop is 97, expected a text", model.generate, [1], stop=b"a")
refused(TypeError, "tokenizer is 'folder'", model.generate, "text", tokenizer="folder")
refused(ValueError, "weights is ''", heddle.load, sys.argv[1], weights="")
refused(ValueError, "no such file or folder", heddle.compile, "--help")
refused(ValueError, "argument 'ids' is a masked array", model.prefill,
        **{**call, "ids": np.ma.array([[1, 2]], mask=[[0, 1]])})
refused(AttributeError, "memory", setattr, cache, "memory", cache.memory[:4])
refused(TypeError, "does not support item assignment", operator.setitem, cache.sizes, "capacity",
        99)
assert list(model.generate(np.array(prompt), end_ids=tokenizer.end_ids)) == ids
assert "".join(model.generate(prompt, tokenizer=tokenizer, stop="-03")) == "2021"

# A copy of a cache goes on by itself.
start = model.cache(batch=1, capacity=64)
first = model.prefill(ids=[prompt[:5]], starts=[0], lengths=[5], cache=start)
for again in (start.copy(), copy.copy(start), copy.deepcopy(start),
              pickle.loads(pickle.dumps(start))):
    more = {"ids": [[prompt[5]]], "starts": [5], "lengths": [1]}
    before = start.memory.copy()
    result = model.decode(**more, cache=again)
    assert (start.memory == before).all() and not (again.memory == before).all()
    assert again.sizes == start.sizes and (result == model.decode(**more, cache=start.copy())).all()

# Caches have the extents, the layout and the model of a call.
PLAIN = "!heddle.cache<1 x 4 x 8 x f32>"


def appends(name, sizes, kind=PLAIN):
    described = {"k": 'tensor<?x?x32xf32> {heddle.name = "k", heddle.sizes = ["batch", "length"]}',
                 "s": 'tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]}',
                 "n": 'tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]}',
                 "c": f'{kind} {{heddle.name = "cache", heddle.sizes = [{sizes}]}}'}
    arguments = ", ".join(f"%{n}: {t}" for n, t in described.items())
    return f"""func.func @{name}({arguments}) -> {kind} {{
      %d = heddle.cache.append %c, %k, %k layer(0) at(%s) lengths(%n) : {kind},
        tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
      return %d : {kind}
    }}
    """


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "caches.mlir")
    # In turned a position has as many bytes as in small.
    path.write_text(appends("small", '"batch", "capacity"') + appends("big", '"batch", "4096"')
                    + appends("double", '"batch", "64 * capacity"')
                    + appends("other", '"batch", "room"')
                    + appends("turned", '"batch", "capacity"', "!heddle.cache<1 x 8 x 4 x f32>"))
    caches = heddle.compile(path)
    small = caches.cache("small", batch=1, capacity=32)
    one = {"k": np.ones((1, 2, 32)), "starts": [30], "lengths": [2]}
    caches.small(cache=small, **one)
    assert small.memory.size == 32 * 256 and small.memory.any()
    refused(ValueError, "big: argument 'cache': the cache has the extents [1, 32, 256], expected "
            "[1, 4096, 256]", caches.big, cache=small, **one)
    refused(ValueError, "size 'capacity' is missing: expected batch=NUMBER, capacity=NUMBER",
            caches.cache, "double", batch=1)
    double = caches.cache("double", batch=1, capacity=2)
    assert double.memory.size == 128 * 256
    late = {**one, "starts": [126]}
    caches.double(cache=double, **late)
    assert double.memory.any()
    refused(ValueError, "size 'capacity' is 64 by the call and 2 by argument 'cache'",
            caches.double, cache=double, capacity=64, **late)
    refused(heddle.HeddleError, "expected 0 to 126", caches.double, cache=double,
            **{**one, "starts": [127]})
    # That of another entry point, whose size has another name, is as good.
    caches.other(cache=small, **one)
    wide = caches.cache("small", batch=1, capacity=128)
    refused(ValueError, "size 'capacity' is not known", caches.double, cache=wide, **late)
    caches.double(cache=wide, capacity=2, **late)
    refused(ValueError, "the cache is that of another argument, with other heads or types",
            caches.turned, cache=small, **one)
    refused(ValueError, "the cache is that of another model", caches.small, cache=cache, **one)
    # C compares bytes: of a cache that says of itself that it is larger.
    lying = caches.cache("big", batch=1)
    lying._size = 100
    refused(heddle.HeddleError, "model.big: argument 'cache' has 100 bytes, expected 1048576",
            caches.big, cache=lying, **one)

# No terminal obeys a tokenizer.
with tempfile.TemporaryDirectory() as folder:
    described = json.loads(pathlib.Path(sys.argv[2], "tokenizer.json").read_text())
    vocabulary = described["model"]["vocab"]
    vocabulary["\x1b[31m-\x9b"] = vocabulary.pop("-")
    pathlib.Path(folder, "tokenizer.json").write_text(json.dumps(described))
    reader, terminal = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-m", "heddle", sys.argv[1], "--tokenizer", folder, "--prompt",
         "20371231\n", "--tokens=10"], stdout=terminal, check=True)
    os.close(terminal)
    assert os.read(reader, 4096) == b"2037\\x1B[31m-\\x9B12\\x1B[31m-\\x9B31\r\n"

# What is freed once cannot be copied, and is used by one thread at a time.
for owner in tokenizer, model.generate(prompt):
    refused(TypeError, "can be neither copied nor pickled", copy.copy, owner)
    refused(TypeError, "can be neither copied nor pickled", copy.deepcopy, owner)
shared = model.generate(prompt)
with shared._lock:
    refused(ValueError, "generator already executing", next, shared)
assert next(shared) == ids[0]
del owner, shared
refused(TypeError, "argument 'cache': expected model.cache(...), found ndarray",
        model.prefill, **{**call, "cache": np.zeros(4)})
refused(TypeError, "there is no argument and no size 'idz'", model.prefill, **call, idz=1)
refused(TypeError, "argument 'lengths' is missing", model.prefill, ids=[[1]], starts=[0])
refused(ValueError, "size 'capacity' is missing", model.cache, batch=1)
refused(ValueError, "the cache has no size 'length'", model.cache, batch=1, capacity=8, length=2)
refused(AttributeError, "there is no entry point 'forward'; expected one of prefill, decode",
        lambda: model.forward)
refused(ValueError, "needs tokenizer=", model.generate, "text")
refused(heddle.HeddleError, "no chat template", tokenizer.apply_chat,
        [{"role": "user", "content": "x"}])
refused(ValueError, "has no 'other_model'", heddle.load, sys.argv[1], prefix="other")
refused(OSError, "nothing.so", heddle.load, "nothing.so")
refused(ValueError, "no such file or folder", heddle.compile, "nothing")
# Numbers, and a library that was compiled again.
with tempfile.TemporaryDirectory() as folder:
    path, library = pathlib.Path(folder, "scale.mlir"), pathlib.Path(folder, "libscale.so.1")
    for operation, expected in ("mulf", 6), ("addf", 5):
        path.write_text(f"""func.func @f(%x: tensor<f32> {{heddle.name = "x"}},
            %y: tensor<f32> {{heddle.name = "y"}}) -> tensor<f32> {{
          %z = arith.{operation} %x, %y : tensor<f32>
          return %z : tensor<f32>
        }}""")
        subprocess.run([_abi.find_compiler(), "--quiet", path, "--emit=shared", "--prefix=scale",
                        "-o", library.with_suffix("")], check=True)
        library.unlink(missing_ok=True)
        library.with_suffix("").rename(library)
        scale = heddle.load(library)
        assert scale.f(x=2, y=3.0) == expected
        assert scale.f(x=np.array(2.0), y=np.float32(3)).shape == ()
        refused(ValueError, "argument 'x' has shape [1], expected []", scale.f, x=[2], y=3)

# After an interrupt an answer is over: a piece may be lost.
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs tests may ignore it
interrupted = model.generate(prompt, end_ids=tokenizer.end_ids)
assert next(interrupted) == ids[0]
take = interrupted._next
interrupted._next = lambda: (take(), signal.raise_signal(signal.SIGINT))
refused(KeyboardInterrupt, "", next, interrupted)
del interrupted._next
assert list(interrupted) == []
del interrupted, take

# Members of a cycle are finalized in any order, and told of what has been freed.
told = []


class Service:
    def __init__(self, model, tokenizer):
        self.me, self.model, self.tokenizer = self, model, tokenizer
        self.answer = model.generate(prompt, tokenizer=tokenizer)

    def __del__(self):
        cache = self.model.cache(batch=1, capacity=8)
        for use in (lambda: list(self.answer), lambda: self.tokenizer.encode("3rd"),
                    lambda: self.model.prefill(ids=[[1]], starts=[0], lengths=[1], cache=cache),
                    lambda: self.model.generate(prompt)):
            try:
                told.append(use())
            except ValueError as error:
                assert str(error).endswith("has been freed"), error
                told.append(str(error))


gc.collect()  # so that none begins between the objects, which would change their order
Service(heddle.load(sys.argv[1], threads=1), heddle.Tokenizer(sys.argv[2]))
gc.collect()
assert told == ["the model has been freed", "the tokenizer has been freed",
                "the model has been freed", "the model has been freed"], told

# What nobody names any more is freed at once, though not what an entry point needs.
decode = heddle.load(sys.argv[1]).decode
assert "decode" in decode.__doc__ and decode._artifact.name == "dates"
watch = weakref.ref(model._artifact)
del model
assert watch() is None, gc.get_referrers(watch())
print("binding: all is well")
