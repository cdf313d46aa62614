# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts and their entry points."""

from __future__ import annotations

import ctypes
import inspect
import os
import pathlib
import re
import subprocess
import tempfile
import types
from collections.abc import Iterator, Mapping, Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

import numpy as np

from heddle import _abi
from heddle.device import Device, DeviceArray, DeviceMemory, Place
from heddle.errors import check
from heddle.text import Generator, Tokenizer, ids_array
from heddle.values import Owner, integer, owned, text
from heddle.values import path as c_path

# NumPy has no bf16: its bits.
_TYPES: dict[int, tuple[str, type]] = {
    1: ("f32", np.float32), 2: ("bf16, as bits", np.uint16), 3: ("f16", np.float16),
    4: ("i32", np.int32), 5: ("i8", np.int8), 6: ("i64", np.int64), 7: ("i1", np.bool_),
}


def _aligned(size: int) -> np.ndarray:
    """Zeros that begin at a multiple of 64 bytes, as compiled code wants them."""
    # NumPy lets an empty slice begin where its array does.
    memory = np.zeros(max(size, 1) + _abi.ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % _abi.ALIGNMENT
    return memory[first:first + max(size, 1)]


_LOADED: dict[str, list[tuple[int, int]]] = {}


def _library_name(path: pathlib.Path) -> str:
    """A name for dlopen, which takes one that it knows for the same library though the file is
    another one by now. With one more slash it looks."""
    c_path("the library", path)
    path = path.resolve()
    if not path.exists():
        return str(path)
    status = path.stat()
    seen = _LOADED.setdefault(str(path), [])
    if (file := (status.st_dev, status.st_ino)) not in seen:
        seen.append(file)
    return str(path.parent) + "/" * (1 + seen.index(file)) + path.name


def _describe_cache(argument) -> tuple:
    return (argument.extent[2], tuple(argument.part_bytes[:argument.parts]))


class Cache:
    """What a model keeps of the sequences so far. `sizes` are those it was made for. It lies on
    the device where one runs the model."""

    def __init__(self, description: tuple, sizes: Mapping[str, int], size: int,
                 device: Device | None = None, data: np.ndarray | None = None):
        self._description = description
        self._sizes = {name: integer(f"size '{name}'", value) for name, value in sizes.items()}
        if data is None:
            data = np.zeros(size, np.uint8)
        if device:
            self._memory = DeviceMemory(device, size, data)
        else:
            self._memory = _aligned(size)
            self._memory[:size] = data

    @property
    def sizes(self) -> Mapping[str, int]:
        return types.MappingProxyType(self._sizes)

    @property
    def memory(self) -> np.ndarray:
        """The bytes; a copy of them where they are on a device."""
        return self._memory.download() if self._device else self._memory

    @property
    def _device(self) -> Device | None:
        return self._memory.device if isinstance(self._memory, DeviceMemory) else None

    @property
    def _address(self) -> int:
        return self._memory.address.value if self._device else self._memory.ctypes.data

    def copy(self) -> Cache:
        """Another cache with the same contents, to go on from here in two ways."""
        return Cache(self._description, self._sizes, self._memory.size, self._device, self.memory)

    def __copy__(self) -> Cache:
        return self.copy()

    def __deepcopy__(self, memo) -> Cache:
        return self.copy()

    def __getstate__(self):
        if self._device:
            raise TypeError("a cache on a device cannot be pickled; `memory` has its bytes")
        return self._description, self._sizes, self._memory.tobytes()

    def __setstate__(self, state) -> None:
        self._description, self._sizes, data = state
        self._memory = _aligned(len(data))
        self._memory[:] = np.frombuffer(data, np.uint8)

    def __repr__(self) -> str:
        return f"Cache({', '.join(f'{k}={v}' for k, v in self._sizes.items())})"


class Entry:
    """An entry point, called with named arrays; `help` of it says which."""

    def __init__(self, artifact: _Artifact, pointer):
        self._artifact = artifact
        self._pointer = pointer
        entry = pointer.contents
        self.name: str = entry.name.decode()
        self._symbols = [entry.symbols[i] for i in range(entry.symbol_count)]
        self._arguments = [entry.arguments[i] for i in range(entry.argument_count)]
        #: The sizes that a call has, in order.
        self.sizes: list[str] = [s.name.decode() for s in self._symbols]
        self.__name__ = self.name
        self.__doc__ = self._describe()
        self.__signature__ = self._make_signature()

    # ---- What it is

    @staticmethod
    def _extents(argument) -> list[str]:
        return [argument.extent[i].decode() for i in range(argument.rank)]

    def _describe(self) -> str:
        lines = [f"Calls {self._artifact.name}.{self.name}.", ""]
        for argument in self._arguments:
            shape = ", ".join(self._extents(argument))
            kind = {_abi.INPUT: "input", _abi.OUTPUT: "result"}.get(argument.kind)
            name = argument.name.decode()
            if kind is None:
                lines.append(f"{name}: a cache of [{shape.rpartition(',')[0]}], which is changed")
                continue
            text = f"{name}: {kind}, [{shape}] {_TYPES[argument.type][0]}"
            if argument.maximum:
                text += f", each from {argument.minimum} to {argument.maximum.decode()}"
                if argument.added:
                    text += f" - {argument.added.decode()}"
            lines.append(text)
        for symbol in self._symbols:
            lines.append(f"{symbol.name.decode()}: a size, {symbol.minimum} to {symbol.maximum}")
        return "\n".join(lines)

    def _make_signature(self) -> inspect.Signature:
        given = [a for a in self._arguments if a.kind != _abi.OUTPUT]
        known = {e for a in given for e in self._extents(a)}
        names = [a.name.decode() for a in given]
        # Sizes that no array tells.
        names += [s for s in self.sizes if s not in known and s not in names]
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([inspect.Parameter(n, kind) for n in names])

    # ---- Calls

    def _fail(self, message: str) -> ValueError:
        return ValueError(f"{self.name}: {message}")

    def _array(self, argument, value: Any) -> np.ndarray:
        name, dtype = argument.name.decode(), _TYPES[argument.type][1]
        given = np.asarray(value)
        if dtype == np.uint16 and given.dtype.kind == "f":
            raise self._fail(f"argument '{name}' is {given.dtype}, expected the bits of bf16 as "
                             "uint16")
        if isinstance(value, np.ma.MaskedArray):
            raise self._fail(f"argument '{name}' is a masked array, expected one without a mask")
        array = np.asarray(given, dtype, order="C")
        # Floats round to the model's; what becomes infinite, or no integer, is a mistake.
        is_float = np.dtype(dtype).kind == given.dtype.kind == "f"
        is_held = (np.array_equal(np.isfinite(array), np.isfinite(given)) if is_float
                  else np.array_equal(array, given))
        if not is_held:
            raise self._fail(f"argument '{name}' is {given.dtype}, and {np.dtype(dtype)} "
                             "cannot hold all of its values")
        return array

    def _find_sizes(self, values: dict[int, Any], given: Mapping[str, int]) -> list[int]:
        known: dict[str, tuple[int, str]] = {}

        def note(name: str, value: int, by: str) -> None:
            earlier, whose = known.setdefault(name, (value, by))
            if earlier != value:
                raise self._fail(f"size '{name}' is {earlier} by {whose} and {value} by {by}")

        for name, value in given.items():
            note(name, integer(f"size '{name}'", value), "the call")
        for index, value in values.items():
            argument = self._arguments[index]
            by, extents = f"argument '{argument.name.decode()}'", self._extents(argument)
            if isinstance(value, Cache):
                for name, size in value.sizes.items():
                    note(name, size, by)
                continue
            if value.ndim != argument.rank:
                raise self._fail(f"{by} has shape {list(value.shape)}, "
                                 f"expected [{', '.join(extents)}]")
            for extent, size in zip(extents, value.shape):
                if extent in self.sizes:
                    note(extent, size, by)
        if missing := [s for s in self.sizes if s not in known]:
            raise self._fail(f"size '{missing[0]}' is not known: expected {missing[0]}=NUMBER")
        return [known[s][0] for s in self.sizes]

    def _measure(self, sizes, index: int) -> list[int]:
        """The extents of an argument; sizes are in their ranges."""
        result = _abi.Measurement()
        self._pointer.contents.measure(sizes, index, byref(result))
        return list(result.extent[:self._arguments[index].rank])

    def __call__(self, **given: Any) -> Any:
        values: dict[int, Any] = {}
        for index, argument in enumerate(self._arguments):
            name = argument.name.decode()
            if argument.kind == _abi.OUTPUT:
                continue
            if name not in given:
                raise TypeError(f"{self.name}: argument '{name}' is missing")
            value = given.pop(name)
            if (argument.kind == _abi.CACHE) != isinstance(value, Cache):
                raise TypeError(f"{self.name}: argument '{name}': expected "
                                + ("model.cache(...)" if argument.kind == _abi.CACHE
                                   else "an array") + f", found {type(value).__name__}")
            values[index] = value if isinstance(value, Cache) else self._array(argument, value)
        sizes = self._take_sizes(values, given)
        workspace_size = self._artifact.workspace_size(self._pointer, sizes)
        outputs: dict[str, np.ndarray] = {}
        for index, argument in enumerate(self._arguments):
            if argument.kind == _abi.OUTPUT:
                values[index] = outputs[argument.name.decode()] = np.empty(
                    self._measure(sizes, index), _TYPES[argument.type][1])
        self._artifact.invoke(self._pointer, self._point(values, sizes), sizes, workspace_size)
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    def prepare(self, **given: Any) -> PreparedCall:
        """A call to be made often, whose arrays all lie on the device: each is a DeviceArray
        (model.array), those for the results, by their names, too."""
        if not self._artifact.device:
            raise self._fail("the CPU runs it, and has no arrays on a device")
        values: dict[int, Any] = {}
        for index, argument in enumerate(self._arguments):
            name = argument.name.decode()
            if name not in given:
                raise TypeError(f"{self.name}: argument '{name}' is missing")
            values[index] = value = given.pop(name)
            expected = Cache if argument.kind == _abi.CACHE else DeviceArray
            if not isinstance(value, expected):
                raise TypeError(f"{self.name}: argument '{name}': expected a {expected.__name__}, "
                                f"found {type(value).__name__}")
            dtype = np.dtype(_TYPES[argument.type][1])
            if expected is DeviceArray and value.dtype != dtype:
                raise self._fail(f"argument '{name}' is {value.dtype}, expected {dtype}")
        sizes = self._take_sizes(values, given)
        return PreparedCall(self._artifact, self._pointer, self._point(values, sizes), sizes,
                            values)

    def _take_sizes(self, values: dict[int, Any], given: Mapping[str, int]):
        """All sizes, by the values of arguments and what else a call was given."""
        if unknown := [n for n in given if n not in self.sizes]:
            raise TypeError(f"{self.name}: there is no argument and no size '{unknown[0]}'; "
                            f"expected {', '.join(self.__signature__.parameters)}")
        return (c_int64 * max(1, len(self.sizes)))(*self._find_sizes(values, given))

    def _point(self, values: dict[int, Any], sizes):
        """Checks shapes, caches and where they lie, and gives the addresses for C."""
        pointers = (c_void_p * max(1, len(self._arguments)))()
        for index, argument in enumerate(self._arguments):
            name, value = argument.name.decode(), values[index]
            if isinstance(value, np.ndarray):
                pointers[index] = value.ctypes.data
            else:
                if isinstance(value, Cache) and value._description != _describe_cache(argument):
                    raise self._fail(f"argument '{name}': the cache is that of another argument")
                if value._device is not self._artifact.device:
                    what = "cache" if isinstance(value, Cache) else "array"
                    raise self._fail(f"argument '{name}': the {what} is on another device")
                pointers[index] = value._address
            if isinstance(value, Cache):
                continue
            shape = self._measure(sizes, index)
            if list(value.shape) != shape:
                raise self._fail(f"argument '{name}' has shape {list(value.shape)}, expected "
                                 f"{shape}")
        return pointers


class PreparedCall(Owner):
    """Puts the work into the model's stream and returns; model.wait() waits for it. It keeps the
    arrays and a workspace, so no two such calls may run at once in different streams."""

    ALL_ON_DEVICE = 2**64 - 1

    def __init__(self, artifact: _Artifact, entry, pointers, sizes, values: dict[int, Any]):
        self._artifact = artifact
        size = artifact.workspace_size(entry, sizes, self.ALL_ON_DEVICE)
        self.workspace = DeviceMemory(artifact.device, max(size, 1))
        self._call = (entry, pointers, sizes, self.workspace)
        self._values = values  # they live as long as their addresses are used

    def __del__(self) -> None:
        # What has been begun uses memory that goes now.
        if (device := self._artifact.device) and device.stream:
            self._artifact.library.heddle_stream_wait(device.stream, None)

    def __call__(self) -> None:
        self._artifact.run(*self._call, self.ALL_ON_DEVICE)


class _Artifact(Owner):
    """What a model's entry points and answers share: it lives as long as one of them."""

    def __init__(self, path: pathlib.Path, weights, threads: int, prefix: str | None, place: Place,
                 folder=None, target: str | None = None):
        self._folder = folder  # of a library that nobody else has
        self.library = ctypes.CDLL(_library_name(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        name = prefix or path.name.split(".")[0].removeprefix("lib")
        text("the prefix", name)
        try:
            self.model = _abi.Model.in_dll(self.library, f"{name}_model")
        except ValueError:
            raise ValueError(f"{path} has no '{name}_model': expected a shared library that "
                             "heddlec --emit=shared has made, and prefix= where the library's "
                             "name is another than the model's") from None
        if self.model.abi_version != _abi.ABI_VERSION:
            raise ValueError(f"{path} has version {self.model.abi_version} of the ABI, expected "
                             f"{_abi.ABI_VERSION}")
        self._declare()
        ending = self._choose_target(path, target) + ".weights"
        if place.stream and not self.model.device_kind:
            raise ValueError(f"stream is given, and the CPU runs {path}")
        self.weights, self.threads = c_void_p(), c_void_p()
        if weights is None and not self.model.embedded_weights:
            weights = path.with_name(re.sub(r"\.so(\.[0-9]+)*$", "", path.name) + ending)
        if weights == "":
            raise ValueError("weights is '', expected a path")
        check(self.library.heddle_weights_open, byref(self.model),
              None if weights is None else c_path("the weights", weights), 0, None,
              byref(self.weights))
        check(self.library.heddle_threads_create, integer("threads", threads, 32), None,
              byref(self.threads))
        #: What runs the model, if not the CPU.
        self.device = (Device(self.library, self.model, self.weights, place)
                       if self.model.device_kind else None)
        self.context = _abi.Context(
            ctypes.cast(self.library.heddle_threads_parallel_for, c_void_p), self.threads)
        if self.device:
            self.context.stream = self.device.stream

    def _choose_target(self, path: pathlib.Path, target: str | None) -> str:
        """Makes self.model that of the target, and returns what its weights' names end with."""
        if target is None:
            return ""
        found = (self.library.heddle_model_for(byref(self.model), _abi.TARGETS.index(target))
                 if target in _abi.TARGETS else None)
        if not found:
            names = [name for kind, name in enumerate(_abi.TARGETS)
                     if self.library.heddle_model_for(byref(self.model), kind)]
            raise ValueError(f"target is {target!r}, {path} was compiled for {', '.join(names)}")
        if found.contents.device_kind == self.model.device_kind:
            return ""
        self.model = found.contents
        return f".{target}"

    def _declare(self) -> None:
        error, model = POINTER(_abi.Error), POINTER(_abi.Model)
        entry, sizes = POINTER(_abi.Entry), POINTER(c_int64)
        _abi.declare(self.library, {
            "heddle_weights_open": (c_int, model, c_char_p, c_uint, c_void_p, POINTER(c_void_p),
                                    error),
            "heddle_weights_close": (None, c_void_p),
            "heddle_model_for": (model, model, c_int),
            "heddle_threads_create": (c_int, c_int, c_void_p, POINTER(c_void_p), error),
            "heddle_threads_destroy": (None, c_void_p),
            "heddle_device_workspace_size": (c_int, entry, sizes, c_uint64, POINTER(c_size_t),
                                             error),
            "heddle_argument_size": (c_int, entry, c_uint, sizes, POINTER(c_size_t), error),
            "heddle_invoke": (c_int, model, entry, POINTER(_abi.Context), c_void_p,
                              POINTER(c_void_p), sizes, c_void_p, c_size_t),
        })

    @property
    def call_weights(self) -> c_void_p:
        """Those that calls take."""
        return owned("the device", self.device.weights) if self.device else self.weights

    def __del__(self) -> None:
        if getattr(self, "threads", None):
            self.library.heddle_threads_destroy(self.threads)
            self.threads = None
        if getattr(self, "weights", None):
            self.library.heddle_weights_close(self.weights)
            self.weights = None

    @property
    def name(self) -> str:
        return self.model.name.decode()

    def workspace_size(self, entry, sizes, device_arguments: int = 0) -> int:
        size = c_size_t()
        check(self.library.heddle_device_workspace_size, entry, sizes, device_arguments,
              byref(size))
        return size.value

    def argument_size(self, entry, index: int, sizes) -> int:
        size = c_size_t()
        check(self.library.heddle_argument_size, entry, index, sizes, byref(size))
        return size.value

    def invoke(self, entry, pointers, sizes, workspace_size: int) -> None:
        workspace = (DeviceMemory(self.device, max(workspace_size, 1)) if self.device
                     else _aligned(workspace_size))
        self.run(entry, pointers, sizes, workspace)
        if self.device:  # the workspace goes, and failures of kernels are told of
            self.device.wait()

    def run(self, entry, pointers, sizes, workspace, device_arguments: int = 0) -> None:
        threads = owned("the model", self.threads)
        address = workspace.address if self.device else workspace.ctypes.data

        def call(error):
            # A context of its own, so that threads do not share the error.
            context = _abi.Context(self.context.parallel_for, threads, None, None,
                                   ctypes.cast(error, POINTER(_abi.Error)),
                                   self.context.stream, device_arguments)
            return self.library.heddle_invoke(byref(self.model), entry, byref(context),
                                              self.call_weights, pointers, sizes, address,
                                              workspace.size)
        check(call)


class Model:
    """A compiled model. Each of its entry points is an attribute, unless a model has one of that
    name anyway, such as `cache`: all are in `entries`."""

    def __init__(self, artifact: _Artifact):
        self._artifact = artifact
        model = artifact.model
        #: The entry points by name.
        self.entries: dict[str, Entry] = {}
        for index in range(model.entry_count):
            entry = Entry(artifact, model.entries[index])
            self.entries[entry.name] = entry

    @property
    def name(self) -> str:
        return self._artifact.name

    @property
    def target_cpu(self) -> str:
        """What CPU it was compiled for."""
        return self._artifact.model.target_cpu.decode()

    @property
    def device(self) -> str | None:
        """The name of the device that runs it, or None where the CPU does."""
        return self._artifact.device.name if self._artifact.device else None

    def __getattr__(self, name: str) -> Entry:
        entries = self.__dict__.get("entries", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"there is no entry point '{name}'; expected one of "
                             f"{', '.join(entries)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.entries]

    def __repr__(self) -> str:
        return f"<heddle model {self.name} for {self.target_cpu}: {', '.join(self.entries)}>"

    # ---- Arrays and caches on the device, and generation

    def array(self, data: Any, dtype: Any = None) -> DeviceArray:
        """A copy of `data` on the device that runs the model."""
        if not self._artifact.device:
            raise ValueError("the CPU runs the model, and has no arrays on a device")
        return DeviceArray(self._artifact.device, np.asarray(data, dtype))

    def wait(self) -> None:
        """Until all that was begun on the device is done."""
        if self._artifact.device:
            self._artifact.device.wait()

    def cache(self, entry: str | None = None, argument: str | None = None,
              **sizes: int) -> Cache:
        """An empty cache for these sizes, such as batch=1, capacity=64.

        Where the model has caches of several kinds, `entry` and `argument` say whose.
        """
        for candidate in self.entries.values():
            for index, description in enumerate(candidate._arguments):
                if (description.kind != _abi.CACHE or entry not in (None, candidate.name)
                        or argument not in (None, description.name.decode())):
                    continue
                names = [e for e in candidate._extents(description)[:2] if e in candidate.sizes]
                if missing := [n for n in names if n not in sizes]:
                    raise ValueError(f"size '{missing[0]}' is missing: expected "
                                     f"{', '.join(n + '=NUMBER' for n in names)}")
                if unknown := [n for n in sizes if n not in names]:
                    raise ValueError(f"the cache has no size '{unknown[0]}'; expected "
                                     f"{', '.join(names)}")
                values = (c_int64 * len(candidate.sizes))(
                    *(integer(f"size '{s.name.decode()}'", sizes.get(s.name.decode(), s.minimum))
                      for s in candidate._symbols))
                size = self._artifact.argument_size(candidate._pointer, index, values)
                return Cache(_describe_cache(description), sizes, size, self._artifact.device)
        raise ValueError("the model has no such cache")

    def _positions(self) -> int:
        """The largest capacity of the cache that prefill has; 0 where there is none."""
        prefill = self.entries.get("prefill")
        return next((s.maximum for s in prefill._symbols if s.counts == 3), 0) if prefill else 0

    def generate(self, prompt: str | Sequence[int], *, tokenizer: Tokenizer | None = None,
                 max_tokens: int = 128, temperature: float = 0, top_k: int = 0, top_p: float = 1,
                 min_p: float = 0, repetition_penalty: float = 1, seed: int = 0, beams: int = 0,
                 length_penalty: float = 1, stop: str | Sequence[str] = (),
                 end_ids: Sequence[int] | None = None, capacity: int = 0) -> Iterator[str | int]:
        """Continues `prompt`, and gives the answer piece by piece.

        Pieces are text where there is a `tokenizer`, which also tells the ids that end an
        answer unless `end_ids` does, and ids elsewhere. `stop` is a text that ends it, or several.
        """
        if tokenizer is not None and not isinstance(tokenizer, Tokenizer):
            raise TypeError(f"tokenizer is {tokenizer!r}, expected heddle.Tokenizer(FOLDER)")
        if isinstance(prompt, str):
            if tokenizer is None:
                raise ValueError("a prompt of text needs tokenizer=heddle.Tokenizer(FOLDER)")
            prompt = tokenizer.encode(prompt)
        stop = [stop] if isinstance(stop, str) else stop
        max_tokens = integer("max_tokens", max_tokens)
        if end_ids is None:
            end_ids = tokenizer.end_ids if tokenizer else []
        if not capacity and (positions := self._positions()):
            capacity = min(positions, len(prompt) + max_tokens)
        options = _abi.GeneratorOptions(
            _abi.Sampling(temperature, top_p, min_p, repetition_penalty,
                          integer("top_k", top_k), 0),
            integer("seed", seed, signed=False), max_tokens,
            integer("beams", beams), length_penalty, integer("capacity", capacity), 0,
            ids_array(end_ids), len(end_ids),
            (c_char_p * len(stop))(*(text("a stop", s) for s in stop)), len(stop))
        artifact = self._artifact
        owned("the model", artifact.threads)
        return Generator(byref(artifact.model), artifact.call_weights, byref(artifact.context),
                         tokenizer, options, prompt, artifact)


def load(path: str | os.PathLike[str], weights: str | os.PathLike[str] | None = None,
         threads: int = 0, prefix: str | None = None, device: int = 0, *, stream: int = 0,
         context: int = 0, device_id: int = 0, launches_alone: bool = False,
         target: str | None = None) -> Model:
    """Loads a shared library from heddlec --emit=shared.

    `weights` is the file of packed weights: by default that beside the library, or none where
    they are inside. `threads` are those of each call, 0 for one for each CPU. `prefix` is what
    the model's symbols begin with, by default the library's name. `device` counts those of the
    kind that the model was compiled for, if that is not the CPU.

    `stream` is the address of a stream of the program's own that calls are put into: a CUstream,
    such as torch.cuda.Stream().cuda_stream, or a cl_command_queue. It must outlive the model.
    `context` is that of its CUcontext, where this is not the device's primary one, or of its
    cl_context, which goes with `device_id`, the cl_device_id. With `launches_alone`, CUDA gets
    kernels one by one, and no graphs of them. `target` is cpu, opencl or cuda, of a library that
    was compiled for several; by default the first.
    """
    return Model(_Artifact(pathlib.Path(path), weights, threads, prefix,
                           Place(device, stream, context, device_id, launches_alone),
                           target=target))


def compile(model: str | os.PathLike[str], *options: str, threads: int = 0,
            device: int = 0, target: str | None = None) -> Model:
    """Compiles a model folder or a .mlir file for this machine, and loads what comes out.

    `options` are those of heddlec, such as "--weight-type=bf16"; `target` is that of load().
    """
    folder = tempfile.TemporaryDirectory(prefix="heddle-")
    library = pathlib.Path(folder.name, "model.so")
    command = [_abi.find_compiler(), "--emit=shared", "--quiet", "--embed-weights", *options,
               "--prefix=model", "-o", str(library), "--", os.fspath(model)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise ValueError(result.stderr.strip() or f"heddlec ended with {result.returncode}")
    return Model(_Artifact(library, None, threads, "model", Place(device), folder, target))
