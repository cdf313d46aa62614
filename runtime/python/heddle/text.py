# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokenizers and generation, which libheddle_text has."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p

import numpy as np

from heddle import _abi
from heddle.errors import check
from heddle.values import Owner, integer, owned
from heddle.values import path as c_path
from heddle.values import text as c_text


# As heddle_truncation numbers them.
_TRUNCATIONS = ("longest_first", "only_first", "only_second")


@functools.cache
def library() -> ctypes.CDLL:
    text = ctypes.CDLL(_abi.find_text_library())
    error = POINTER(_abi.Error)
    _abi.declare(text, {
        "heddle_tokenizer_open": (c_int, c_char_p, POINTER(c_void_p), error),
        "heddle_tokenizer_close": (None, c_void_p),
        "heddle_tokenizer_vocabulary": (c_int32, c_void_p),
        "heddle_tokenizer_end_ids": (POINTER(c_int32), c_void_p, POINTER(c_size_t)),
        "heddle_tokenizer_encode": (c_int, c_void_p, c_char_p, c_size_t, c_int,
                                    POINTER(POINTER(c_int32)), POINTER(c_size_t), error),
        "heddle_tokenizer_encode_pair": (c_int, c_void_p, c_char_p, c_size_t, c_char_p, c_size_t,
                                         POINTER(_abi.EncodeOptions), POINTER(POINTER(c_int32)),
                                         POINTER(POINTER(c_int32)), POINTER(c_size_t), error),
        "heddle_tokenizer_maximum_length": (c_int64, c_void_p),
        "heddle_tokenizer_decode": (c_int, c_void_p, POINTER(c_int32), c_size_t,
                                    POINTER(c_void_p), POINTER(c_size_t), error),
        "heddle_tokenizer_has_chat": (c_int, c_void_p),
        "heddle_tokenizer_apply_chat": (c_int, c_void_p, POINTER(_abi.Message), c_size_t, c_int,
                                        POINTER(c_void_p), POINTER(c_size_t), error),
        "heddle_text_free": (None, c_void_p),
        "heddle_tokenizer_label_count": (c_size_t, c_void_p),
        "heddle_tokenizer_label": (c_char_p, c_void_p, c_size_t),
        "heddle_encoder_create": (c_int, POINTER(_abi.Model), c_void_p, POINTER(_abi.Context),
                                  c_void_p, c_int, POINTER(c_void_p), error),
        "heddle_encoder_destroy": (None, c_void_p),
        "heddle_encoder_columns": (c_int64, c_void_p),
        "heddle_encoder_run": (c_int, c_void_p, POINTER(_abi.TextPair), c_size_t,
                               POINTER(c_float), error),
        "heddle_encoder_run_tokens": (c_int, c_void_p, POINTER(_abi.TextPair),
                                      POINTER(POINTER(c_int32)), POINTER(POINTER(c_float)),
                                      POINTER(c_size_t), error),
        "heddle_generator_default_options": (c_int, POINTER(_abi.Model), c_void_p,
                                             POINTER(_abi.GeneratorOptions), error),
        "heddle_generator_create": (c_int, POINTER(_abi.Model), c_void_p, POINTER(_abi.Context),
                                    c_void_p, POINTER(_abi.GeneratorOptions), POINTER(c_void_p),
                                    error),
        "heddle_generator_destroy": (None, c_void_p),
        "heddle_generator_prompt": (c_int, c_void_p, POINTER(c_int32), c_size_t, error),
        "heddle_generator_listen": (c_int, c_void_p, c_void_p, POINTER(c_float), c_size_t,
                                    POINTER(_abi.SpeechOptions), error),
        "heddle_recording_read": (c_int, c_char_p, c_int32, POINTER(POINTER(c_float)),
                                  POINTER(c_size_t), error),
        "heddle_generator_next": (c_int, c_void_p, POINTER(_abi.Piece), error),
    })
    return text


def ids_array(ids: Sequence[int]):
    """Ids for C, whose integers would wrap around."""
    return (c_int32 * len(ids))(*(integer("an id", token, 32) for token in ids))


def _take_text(text: c_void_p, size: c_size_t) -> str:
    try:
        return ctypes.string_at(text, size.value).decode()
    finally:
        library().heddle_text_free(text)


class Tokenizer(Owner):
    """The tokenizer of a Hugging Face folder: tokenizer.json, tokenizer.model, or the vocabulary of
    the class that tokenizer_config.json names; or that of a GGUF file."""

    def __init__(self, folder: str | os.PathLike[str]):
        self._pointer = c_void_p()
        check(library().heddle_tokenizer_open, c_path("the folder", folder), byref(self._pointer))

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            library().heddle_tokenizer_close(self._pointer)
            self._pointer = None

    @property
    def _handle(self) -> c_void_p:
        return owned("the tokenizer", self._pointer)

    @property
    def vocabulary(self) -> int:
        """One more than the largest id."""
        return library().heddle_tokenizer_vocabulary(self._handle)

    @property
    def end_ids(self) -> list[int]:
        """The ids that end an answer, as the folder's generation_config.json says, or else its
        config.json or the tokenizer's own."""
        count = c_size_t()
        ids = library().heddle_tokenizer_end_ids(self._handle, byref(count))
        return ids[:count.value]

    def encode(self, text: str, add_special: bool = True) -> list[int]:
        """The ids of `text`, with those around it that the folder asks for."""
        data = text.encode()
        ids, count = POINTER(c_int32)(), c_size_t()
        check(library().heddle_tokenizer_encode, self._handle, data, len(data), add_special,
              byref(ids), byref(count))
        try:
            return ids[:count.value]
        finally:
            library().heddle_text_free(ids)

    @property
    def maximum_length(self) -> int | None:
        """How many ids the model takes, as the folder says; None where it does not."""
        return library().heddle_tokenizer_maximum_length(self._handle) or None

    def encode_pair(self, first: str, second: str | None = None, *, add_special: bool = True,
                    maximum_length: int | None = None,
                    truncation: str = "longest_first") -> tuple[list[int], list[int]]:
        """The ids of two texts, or of one, and for each the text it belongs to.

        Where there are more than `maximum_length`, special ids included, texts are cut: the longer
        one ("longest_first"), "only_first" or "only_second".
        """
        if truncation not in _TRUNCATIONS:
            raise ValueError(f"truncation: expected one of {', '.join(_TRUNCATIONS)}, got "
                             f"{truncation!r}")
        if maximum_length is not None and integer("maximum_length", maximum_length, 64) < 1:
            raise ValueError(f"maximum_length: expected a number >= 1, got {maximum_length}")
        options = _abi.EncodeOptions(add_special, maximum_length or 0,
                                     _TRUNCATIONS.index(truncation))
        data, other = first.encode(), None if second is None else second.encode()
        ids, types, count = POINTER(c_int32)(), POINTER(c_int32)(), c_size_t()
        check(library().heddle_tokenizer_encode_pair, self._handle, data, len(data), other,
              len(other or b""), byref(options), byref(ids), byref(types), byref(count))
        try:
            return ids[:count.value], types[:count.value]
        finally:
            library().heddle_text_free(ids)
            library().heddle_text_free(types)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids`, without special tokens."""
        text, size = c_void_p(), c_size_t()
        check(library().heddle_tokenizer_decode, self._handle, ids_array(ids),
              len(ids), byref(text), byref(size))
        return _take_text(text, size)

    @property
    def labels(self) -> list[str]:
        """What config.json calls the logits of a classifier; empty where it does not."""
        count = library().heddle_tokenizer_label_count(self._handle)
        return [library().heddle_tokenizer_label(self._handle, label).decode()
                for label in range(count)]

    @property
    def has_chat(self) -> bool:
        """Whether the folder has a chat template."""
        return bool(library().heddle_tokenizer_has_chat(self._handle))

    def apply_chat(self, messages: Sequence[Mapping[str, str]],
                   add_generation_prompt: bool = True) -> str:
        """Messages, {"role": ..., "content": ...}, as the chat template writes them.

        The text has its special tokens: encode it with add_special=False.
        """
        for message in messages:
            if different := sorted(set(message) ^ {"role", "content"}):
                verb = "has" if different[0] in message else "lacks"
                raise ValueError(f"a message {verb} '{different[0]}', expected role and content "
                                 "alone")
        array = (_abi.Message * len(messages))(
            *((c_text("a role", m["role"]), c_text("a content", m["content"])) for m in messages))
        text, size = c_void_p(), c_size_t()
        check(library().heddle_tokenizer_apply_chat, self._handle, array, len(messages),
              add_generation_prompt, byref(text), byref(size))
        return _take_text(text, size)


# As heddle_role numbers them.
_RESULTS = {"embedding": 11, "pooled": 10, "logits": 5}


def _pairs(texts: Sequence[str | tuple[str, str]]):
    """Texts for C; each may be a pair of two."""
    pairs = (_abi.TextPair * len(texts))()
    for pair, text in zip(pairs, texts):
        both = (text,) if isinstance(text, str) else tuple(text or ())
        if len(both) not in (1, 2) or not all(isinstance(part, str) for part in both):
            raise TypeError(f"a text is {text!r}, expected a str, or a pair of them")
        pair.first = both[0].encode()
        pair.first_size = len(both[0].encode())
        if len(both) == 2:
            pair.second = both[1].encode()
            pair.second_size = len(both[1].encode())
    return pairs


class Encoder:
    """An encoder of texts, until the block that it is used in ends."""

    def __init__(self, model, weights, context, tokenizer: Tokenizer, result: str):
        self._pointer = c_void_p()
        check(library().heddle_encoder_create, model, weights, context, tokenizer._handle,
              _RESULTS[result], byref(self._pointer))

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, *_) -> None:
        library().heddle_encoder_destroy(self._pointer)

    @property
    def columns(self) -> int:
        return library().heddle_encoder_columns(self._pointer)

    def run(self, texts: Sequence[str | tuple[str, str]]) -> np.ndarray:
        """[texts, columns]"""
        rows = np.empty((len(texts), self.columns), np.float32)
        check(library().heddle_encoder_run, self._pointer, _pairs(texts), len(texts),
              rows.ctypes.data_as(POINTER(c_float)))
        return rows

    def run_tokens(self, text: str | tuple[str, str]) -> tuple[list[int], np.ndarray]:
        """The ids of a text, and [ids, columns]."""
        ids, values, count = POINTER(c_int32)(), POINTER(c_float)(), c_size_t()
        check(library().heddle_encoder_run_tokens, self._pointer, _pairs([text]), byref(ids),
              byref(values), byref(count))
        try:
            rows = np.ctypeslib.as_array(values, (count.value, self.columns)).copy()
            return ids[:count.value], rows
        finally:
            library().heddle_text_free(ids)
            library().heddle_text_free(values)


def read_recording(path: str | os.PathLike[str], rate: int = 16000) -> np.ndarray:
    """The samples, f32 [count] from -1 to 1, of a WAV file of 16-bit integers with `rate` of them
    a second: the mean of its channels."""
    samples, count = POINTER(c_float)(), c_size_t()
    check(library().heddle_recording_read, c_path("the recording", path), integer("rate", rate, 32),
          byref(samples), byref(count))
    try:
        return np.ctypeslib.as_array(samples, (count.value,)).copy()
    finally:
        library().heddle_text_free(samples)


class Recording:
    """Samples of a recording, and what is to be written of it."""

    def __init__(self, samples, language: str | None, task: str | None):
        samples = np.asarray(samples)
        if samples.dtype.kind != "f":
            raise TypeError(f"the recording has samples of {samples.dtype}, expected floats from "
                            "-1 to 1")
        self.samples = np.ascontiguousarray(samples, np.float32)
        if self.samples.ndim != 1:
            raise ValueError(f"the recording has {self.samples.ndim} dimensions, expected one")
        self.options = _abi.SpeechOptions(
            None if language is None else c_text("language", language),
            None if task is None else c_text("task", task))


class Generator(Owner, Iterator):
    """An answer, piece by piece: text where there is a tokenizer, else ids.

    One thread may ask for the next piece at a time.
    """

    def __init__(self, model, weights, context, tokenizer: Tokenizer | None,
                 options: _abi.GeneratorOptions, prompt: Sequence[int] | Recording, owner):
        self._owner = owner  # of all that the generator needs
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        self._is_over = False
        self.finish = 0
        self._pointer = c_void_p()
        check(library().heddle_generator_create, model, weights, context,
              tokenizer._handle if tokenizer else None, byref(options), byref(self._pointer))
        if isinstance(prompt, Recording):
            check(library().heddle_generator_listen, self._handle, tokenizer._handle,
                  prompt.samples.ctypes.data_as(POINTER(c_float)), prompt.samples.size,
                  byref(prompt.options))
        else:
            check(library().heddle_generator_prompt, self._handle, ids_array(prompt), len(prompt))

    def __del__(self) -> None:
        # A device that is gone has taken what the generator had there along.
        if getattr(self, "_pointer", None) and (not self._owner.device
                                                or self._owner.device.handle):
            library().heddle_generator_destroy(self._pointer)
        self._pointer = None

    @property
    def _handle(self) -> c_void_p:
        """With all that it uses."""
        owned("the model", self._owner.threads)
        if self._owner.device:
            owned("the device", self._owner.device.handle)
        if self._tokenizer is not None:
            self._tokenizer._handle
        return owned("the generator", self._pointer)

    def __next__(self) -> str | int:
        if not self._lock.acquire(blocking=False):
            raise ValueError("generator already executing")
        try:
            try:
                return self._next()
            finally:
                self._lock.release()
        except BaseException:
            # Also of an interrupt, after which a piece may be lost.
            self._is_over = True
            raise

    def _next(self) -> str | int:
        while not self.finish and not self._is_over:
            piece = _abi.Piece()
            check(library().heddle_generator_next, self._handle, byref(piece))
            self.finish = piece.finish
            if self._tokenizer is None:
                if piece.id >= 0:
                    return piece.id
            elif piece.size:
                return ctypes.string_at(piece.text, piece.size).decode()
        raise StopIteration
