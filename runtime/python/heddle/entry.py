# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry points: their arguments, shapes and sizes, and calls of them."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Mapping
from ctypes import byref, c_int64, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any

import numpy as np

from heddle import _abi
from heddle.cache import Cache, Layout
from heddle.device import DeviceArray, DeviceMemory
from heddle.values import Owner, integer

if TYPE_CHECKING:
    from heddle.model import _Artifact

# NumPy has no bf16: its bits.
_TYPES: dict[int, tuple[str, type]] = {
    1: ("f32", np.float32), 2: ("bf16, as bits", np.uint16), 3: ("f16", np.float16),
    4: ("i32", np.int32), 5: ("i8", np.int8), 6: ("i64", np.int64), 7: ("i1", np.bool_),
    8: ("f64", np.float64), 9: ("i16", np.int16), 10: ("u8", np.uint8), 11: ("u16", np.uint16),
    12: ("u32", np.uint32), 13: ("u64", np.uint64), 14: ("f8e4m3, as bits", np.uint8),
    15: ("f8e5m2, as bits", np.uint8),
}


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
        self._keywords = self._find_keywords()
        self.__name__ = self.name
        self.__doc__ = self._describe()
        self._names = self._find_names()
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

    def _find_keywords(self) -> dict[str, str]:
        """The sizes, by what a call names them: as in C, a "_" tells one from an argument."""
        arguments = {a.name.decode() for a in self._arguments if a.kind != _abi.OUTPUT}
        keywords: dict[str, str] = {}
        for size in self.sizes:
            word = size
            while word in arguments or word in keywords:
                word += "_"
            keywords[word] = size
        return keywords

    def _find_names(self) -> list[str]:
        """What a call is given: arguments, and sizes that no array tells."""
        given = [a for a in self._arguments if a.kind != _abi.OUTPUT]
        known = {e for a in given for e in self._extents(a)}
        names = [a.name.decode() for a in given]
        return names + [w for w, size in self._keywords.items() if size not in known]

    def _make_signature(self) -> inspect.Signature:
        kind = inspect.Parameter.KEYWORD_ONLY
        plain = [n for n in self._names if n.isidentifier() and not keyword.iskeyword(n)]
        parameters = [inspect.Parameter(n, kind) for n in plain]
        # Others are given as f(**{"input.1": x}).
        if len(plain) < len(self._names):
            parameters.append(inspect.Parameter("_", inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(parameters)

    # ---- Calls

    def _fail(self, message: str) -> ValueError:
        return ValueError(f"{self.name}: {message}")

    def _array(self, argument, value: Any) -> np.ndarray:
        (text, dtype), name = _TYPES[argument.type], argument.name.decode()
        given = np.asarray(value)
        if "bits" in text and given.dtype.kind == "f":
            raise self._fail(f"argument '{name}' is {given.dtype}, expected the bits of "
                             f"{text.split(',')[0]} as {np.dtype(dtype)}")
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
                for extent, size in zip(extents, value._layout.extents):
                    if extent in self.sizes:
                        note(extent, size, by)
                # Of expressions, that are the same here as where the cache was made for.
                if value._texts == tuple(extents):
                    for name in set(self.cache_sizes(index)) & set(value.sizes):
                        note(name, value.sizes[name], by)
                continue
            if value.ndim != argument.rank:
                raise self._fail(f"{by} has shape {list(value.shape)}, "
                                 f"expected [{', '.join(extents)}]")
            for extent, size in zip(extents, value.shape):
                if extent in self.sizes:
                    note(extent, size, by)
        if missing := [s for s in self.sizes if s not in known]:
            word = next(w for w, size in self._keywords.items() if size == missing[0])
            raise self._fail(f"size '{missing[0]}' is not known: expected {word}=NUMBER")
        return [known[s][0] for s in self.sizes]

    def cache_sizes(self, index: int) -> list[str]:
        """The sizes that those of a cache are expressions of."""
        texts = self._extents(self._arguments[index])[:2]
        named = {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)}
        return [size for size in self.sizes if size in named]

    def make_cache(self, index: int, sizes: Mapping[str, int]) -> Cache:
        """An empty cache for that argument, for sizes that are cache_sizes."""
        values = (c_int64 * max(1, len(self.sizes)))(
            *(integer(f"size '{s.name.decode()}'", sizes.get(s.name.decode(), s.minimum))
              for s in self._symbols))
        size = self._artifact.argument_size(self._pointer, index, values)
        return Cache(self._layout(values, index), tuple(self._extents(self._arguments[index])),
                     sizes, size, self._artifact.device)

    def _layout(self, sizes, index: int) -> Layout:
        return Layout.of(self._artifact.model, self._arguments[index], self._measure(sizes, index))

    def _measure(self, sizes, index: int) -> list[int]:
        """The extents of an argument; sizes are in their ranges."""
        result = _abi.Measurement()
        self._pointer.contents.measure(sizes, index, byref(result))
        return list(result.extent[:self._arguments[index].rank])

    def __call__(self, /, **given: Any) -> Any:
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
        self._artifact.invoke(self._pointer, self._point(values, sizes), self._bytes(values),
                              sizes, workspace_size)
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    def prepare(self, /, **given: Any) -> PreparedCall:
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
        return PreparedCall(self._artifact, self._pointer, self._point(values, sizes),
                            self._bytes(values), sizes, values)

    def _take_sizes(self, values: dict[int, Any], given: Mapping[str, int]):
        """All sizes, by the values of arguments and what else a call was given."""
        if unknown := [n for n in given if n not in self._keywords]:
            raise TypeError(f"{self.name}: there is no argument and no size '{unknown[0]}'; "
                            f"expected {', '.join(self._names)}")
        return (c_int64 * max(1, len(self.sizes)))(
            *self._find_sizes(values, {self._keywords[n]: v for n, v in given.items()}))

    def _point(self, values: dict[int, Any], sizes):
        """Checks shapes, caches and where they lie, and gives the addresses for C."""
        pointers = (c_void_p * max(1, len(self._arguments)))()
        for index, argument in enumerate(self._arguments):
            name, value = argument.name.decode(), values[index]
            if isinstance(value, np.ndarray):
                pointers[index] = value.ctypes.data
            else:
                if isinstance(value, Cache) and (different := value._layout.difference(
                        self._layout(sizes, index))):
                    raise self._fail(f"argument '{name}': {different}")
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

    def _bytes(self, values: dict[int, Any]):
        """How many bytes there are at each of these addresses, for C."""
        sizes = (c_size_t * max(1, len(self._arguments)))()
        for index, value in values.items():
            sizes[index] = value._size if isinstance(value, Cache) else value.nbytes
        return sizes


class PreparedCall(Owner):
    """Puts the work into the model's stream and returns; model.wait() waits for it. It keeps the
    arrays and a workspace, so no two such calls may run at once in different streams."""

    ALL_ON_DEVICE = 2**64 - 1

    def __init__(self, artifact: _Artifact, entry, pointers, bytes_at, sizes,
                 values: dict[int, Any]):
        self._artifact = artifact
        size = artifact.workspace_size(entry, sizes, self.ALL_ON_DEVICE)
        self.workspace = DeviceMemory(artifact.device, max(size, 1))
        self._call = (entry, pointers, bytes_at, sizes, self.workspace)
        self._values = values  # they live as long as their addresses are used

    def __del__(self) -> None:
        # What has been begun uses memory that goes now.
        if (device := self._artifact.device) and device.stream:
            self._artifact.library.heddle_stream_wait(device.stream, None)

    def __call__(self) -> None:
        self._artifact.run(*self._call, self.ALL_ON_DEVICE)
