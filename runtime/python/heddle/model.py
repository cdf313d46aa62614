# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts: a library with its weights, threads and device."""

from __future__ import annotations

import ctypes
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
from heddle.cache import Cache, aligned
from heddle.device import Device, DeviceArray, DeviceMemory, Place
from heddle.entry import Entry
from heddle.errors import check
from heddle.text import Encoder, Generator, Recording, Tokenizer, ids_array, read_recording
from heddle.text import library as text_library
from heddle.values import Owner, integer, owned, text
from heddle.values import path as c_path

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

    def invoke(self, entry, pointers, bytes_at, sizes, workspace_size: int) -> None:
        workspace = (DeviceMemory(self.device, max(workspace_size, 1)) if self.device
                     else aligned(workspace_size))
        self.run(entry, pointers, bytes_at, sizes, workspace)
        if self.device:  # the workspace goes, and failures of kernels are told of
            self.device.wait()

    def run(self, entry, pointers, bytes_at, sizes, workspace, device_arguments: int = 0) -> None:
        threads = owned("the model", self.threads)
        address = workspace.address if self.device else workspace.ctypes.data

        def call(error):
            # A context of its own, so that threads do not share the error.
            context = _abi.Context(self.context.parallel_for, threads, None, None,
                                   ctypes.cast(error, POINTER(_abi.Error)),
                                   self.context.stream, device_arguments,
                                   ctypes.cast(bytes_at, POINTER(c_size_t)))
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

    def cache(self, entry: str | None = None, argument: str | None = None, /,
              **sizes: int) -> Cache:
        """An empty cache for these sizes, such as batch=1, capacity=64: those that its extents are
        expressions of, such as capacity where it has 64 * capacity positions.

        Where the model has caches of several kinds, `entry` and `argument` say whose. Calls take
        one of another entry point where its layout and extents are the same.
        """
        for candidate in self.entries.values():
            for index, description in enumerate(candidate._arguments):
                if (description.kind != _abi.CACHE or entry not in (None, candidate.name)
                        or argument not in (None, description.name.decode())):
                    continue
                names = candidate.cache_sizes(index)
                if missing := [n for n in names if n not in sizes]:
                    raise ValueError(f"size '{missing[0]}' is missing: expected "
                                     f"{', '.join(n + '=NUMBER' for n in names)}")
                if unknown := [n for n in sizes if n not in names]:
                    raise ValueError(f"the cache has no size '{unknown[0]}'; expected "
                                     f"{', '.join(names)}")
                return candidate.make_cache(index, sizes)
        raise ValueError("the model has no such cache")

    def _positions(self) -> int:
        """The largest capacity of the cache that prefill has; 0 where there is none."""
        prefill = self.entries.get("prefill")
        return next((s.maximum for s in prefill._symbols if s.counts == 3), 0) if prefill else 0

    def _has_sources(self) -> bool:
        """Is it an encoder-decoder, whose prefill reads a cross cache?"""
        prefill = self.entries.get("prefill")
        return bool(prefill) and any(a.role == _abi.CROSS for a in prefill._arguments)

    def _default_options(self, tokenizer: Tokenizer | None = None) -> _abi.GeneratorOptions:
        options = _abi.GeneratorOptions()
        check(text_library().heddle_generator_default_options, byref(self._artifact.model),
              tokenizer._handle if tokenizer else None, byref(options))
        return options

    @property
    def generation(self) -> Mapping[str, Any]:
        """What the model's folder says of answers (generation_config.json), which generate does
        unless it is told otherwise: its parameters by name, max_length, which counts the prompt,
        too, and rules, by transformers' names. Empty where it says nothing."""
        pointer = self._artifact.model.generation
        if not pointer:
            return types.MappingProxyType({})
        said = pointer.contents
        # The shortest decimals of an f32.
        values = {name: float(str(np.float32(getattr(said, name))))
                  for name in ("temperature", "top_p", "min_p", "repetition_penalty",
                               "length_penalty")}
        values |= {"top_k": said.top_k, "beams": said.beams,
                   "early_stopping": bool(said.early_stopping), "max_tokens": said.limit or None,
                   "max_length": said.maximum_length or None,
                   "end_ids": said.end_ids[:said.end_count],
                   "start_ids": said.start_ids[:said.start_count]}
        rules = said.rules
        values |= {"min_length": rules.minimum_length, "min_new_tokens": rules.minimum_new,
                   "no_repeat_ngram_size": rules.unique_run,
                   "renormalize_logits": bool(rules.renormalizes),
                   "suppress_tokens": rules.suppressed_ids[:rules.suppressed_count],
                   "begin_suppress_tokens": rules.suppressed_first[:rules.suppressed_first_count],
                   "forced_bos_token_id": rules.forced_first[0] if rules.forced_first else None,
                   "forced_eos_token_id": rules.forced_last[0] if rules.forced_last else None}
        return types.MappingProxyType(values)

    def generate(self, prompt: str | Sequence[int], *, tokenizer: Tokenizer | None = None,
                 max_tokens: int | None = None, temperature: float | None = None,
                 top_k: int | None = None, top_p: float | None = None, min_p: float | None = None,
                 repetition_penalty: float | None = None, seed: int = 0, beams: int | None = None,
                 length_penalty: float | None = None, stop: str | Sequence[str] = (),
                 end_ids: Sequence[int] | None = None, capacity: int = 0,
                 start_ids: Sequence[int] | None = None) -> Iterator[str | int]:
        """Continues `prompt`, or answers it with an encoder-decoder, whose answers begin with
        `start_ids`, and gives the answer piece by piece.

        What is None is as model.generation has it. A search, which `beams` asks for, draws no ids:
        it takes nothing of that about sampling, and where `temperature` is given there is none.

        Pieces are text where there is a `tokenizer`, which also tells the ids that end an answer,
        unless `end_ids` does or it has none, and ids elsewhere. `stop` is a text that ends it, or
        several.
        """
        if tokenizer is not None and not isinstance(tokenizer, Tokenizer):
            raise TypeError(f"tokenizer is {tokenizer!r}, expected heddle.Tokenizer(FOLDER)")
        if isinstance(prompt, str):
            if tokenizer is None:
                raise ValueError("a prompt of text needs tokenizer=heddle.Tokenizer(FOLDER)")
            prompt = tokenizer.encode(prompt)
        stop = [stop] if isinstance(stop, str) else stop
        options = self._default_options(tokenizer)
        if beams is not None:
            options.beams = integer("beams", beams)
        elif temperature is not None:
            options.beams = 0
        if options.beams:
            options.sampling = _abi.Sampling(0, 1, 0, 1, 0, 0)
        for name, value in (("temperature", temperature), ("top_p", top_p), ("min_p", min_p),
                            ("repetition_penalty", repetition_penalty)):
            if value is not None:
                setattr(options.sampling, name, value)
        if top_k is not None:
            options.sampling.top_k = integer("top_k", top_k)
        if length_penalty is not None:
            if not options.beams:
                raise ValueError("length_penalty needs beams")
            options.length_penalty = length_penalty
        if max_tokens is not None:
            options.limit, options.maximum_length = integer("max_tokens", max_tokens), 0
        options.seed = integer("seed", seed, signed=False)
        if end_ids is not None:
            options.end_ids, options.end_count = ids_array(end_ids), len(end_ids)
        if start_ids is not None:
            if not self._has_sources():
                raise ValueError("start_ids needs an encoder-decoder")
            options.start_ids, options.start_count = ids_array(start_ids), len(start_ids)
        options.stops = (c_char_p * len(stop))(*(text("a stop", s) for s in stop))
        options.stop_count = len(stop)
        if not (capacity or self._has_sources()) and (positions := self._positions()):
            capacity = min(positions, len(prompt) + options.limit)
        options.capacity = integer("capacity", capacity)
        artifact = self._artifact
        owned("the model", artifact.threads)
        return Generator(byref(artifact.model), artifact.call_weights, byref(artifact.context),
                         tokenizer, options, prompt, artifact)

    def transcribe(self, recording: str | os.PathLike[str] | Sequence[float], *,
                   tokenizer: Tokenizer, language: str | None = None, task: str | None = None,
                   beams: int | None = None, max_tokens: int | None = None) -> Iterator[str]:
        """What a recording says, piece by piece: the path of a WAV file of 16-bit integers, or
        samples from -1 to 1, 16,000 a second.

        `language` is that of the recording, such as "en": by default the folder's, or what the
        model hears. `task` may be "translate", into English. `max_tokens` holds for each window,
        of 30 s of Whisper.
        """
        if not isinstance(tokenizer, Tokenizer):
            raise TypeError(f"tokenizer is {tokenizer!r}, expected heddle.Tokenizer(FOLDER)")
        if isinstance(recording, (str, os.PathLike)):
            recording = read_recording(recording)
        options = self._default_options(tokenizer)
        if beams is not None:
            options.beams = integer("beams", beams)
            options.sampling = _abi.Sampling(0, 1, 0, 1, 0, 0)
        if max_tokens is not None:
            options.limit, options.maximum_length = integer("max_tokens", max_tokens), 0
        artifact = self._artifact
        owned("the model", artifact.threads)
        return Generator(byref(artifact.model), artifact.call_weights, byref(artifact.context),
                         tokenizer, options, Recording(recording, language, task), artifact)

    def embed(self, texts: str | Sequence[str], *, tokenizer: Tokenizer) -> np.ndarray:
        """The vectors of texts, f32 [texts, channels], or [channels] of one text. Those that are
        longer than the model takes are cut."""
        rows = self._encode([texts] if isinstance(texts, str) else texts, tokenizer, "embedding")
        return rows[0] if isinstance(texts, str) else rows

    def classify(self, texts: str | Sequence[str | tuple[str, str]], *,
                 tokenizer: Tokenizer) -> np.ndarray:
        """The logits of texts, or of pairs of them, f32 [texts, labels], or [labels] of one text;
        tokenizer.labels says what each stands for."""
        rows = self._encode([texts] if isinstance(texts, str) else texts, tokenizer, "logits")
        return rows[0] if isinstance(texts, str) else rows

    def classify_tokens(self, text: str | tuple[str, str], *,
                        tokenizer: Tokenizer) -> tuple[list[int], np.ndarray]:
        """The ids of a text, with special ones, and their logits, f32 [ids, labels], of a model
        that labels tokens."""
        with self._encoder(tokenizer, "logits") as encoder:
            return encoder.run_tokens(text)

    def _encode(self, texts, tokenizer: Tokenizer, result: str) -> np.ndarray:
        with self._encoder(tokenizer, result) as encoder:
            return encoder.run(texts)

    def _encoder(self, tokenizer: Tokenizer, result: str) -> Encoder:
        if not isinstance(tokenizer, Tokenizer):
            raise TypeError(f"tokenizer is {tokenizer!r}, expected heddle.Tokenizer(FOLDER)")
        artifact = self._artifact
        owned("the model", artifact.threads)
        return Encoder(byref(artifact.model), artifact.call_weights, byref(artifact.context),
                       tokenizer, result)


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
    """Compiles a model folder, or an .onnx, .gguf or .mlir file, here, and loads what comes out.

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
