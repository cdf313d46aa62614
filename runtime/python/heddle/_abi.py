# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structs of heddle_abi.h, heddle.h and heddle_text.h, and where libraries lie."""

import ctypes
import ctypes.util
import os
import pathlib
import shutil
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_float,
                    c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p)

ABI_VERSION = 13
MAX_RANK = 6
ALIGNMENT = 64

INPUT, OUTPUT, CACHE = 1, 2, 3
CROSS = 12  # a heddle_role
OPENCL = 1
TARGETS = ("cpu", "opencl", "cuda")  # by their heddle_device_kind


class Error(Structure):
    _fields_ = [("status", c_int32), ("message", c_char * 508)]


class Symbol(Structure):
    _fields_ = [("name", c_char_p), ("counts", c_uint32), ("reserved", c_uint32),
                ("minimum", c_int64), ("maximum", c_int64)]


class Argument(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_uint32), ("type", c_uint32), ("role", c_uint32),
                ("rank", c_uint32), ("extent", c_char_p * MAX_RANK), ("minimum", c_int64),
                ("maximum", c_char_p), ("added", c_char_p), ("lengths", c_uint32),
                ("padding", c_uint32), ("parts", c_uint32), ("layout", c_uint32),
                ("part_bytes", POINTER(c_int64))]


class Measurement(Structure):
    _fields_ = [("bytes", c_int64), ("extent", c_int64 * MAX_RANK), ("maximum", c_int64),
                ("added", c_int64)]


class Entry(Structure):
    _fields_ = [("name", c_char_p), ("symbol_count", c_uint32), ("argument_count", c_uint32),
                ("kernel_count", c_uint32), ("device_kind", c_uint32), ("symbols", POINTER(Symbol)),
                ("arguments", POINTER(Argument)),
                ("measure", CFUNCTYPE(c_int, POINTER(c_int64), c_uint32, POINTER(Measurement))),
                ("run", c_void_p), ("next_target", c_void_p)]


class Rules(Structure):
    _fields_ = [("suppressed_ids", POINTER(c_int32)), ("suppressed_first", POINTER(c_int32)),
                ("forced_first", POINTER(c_int32)), ("forced_last", POINTER(c_int32)),
                ("suppressed_count", c_uint32), ("suppressed_first_count", c_uint32),
                ("renormalizes", c_uint32), ("reserved", c_uint32),
                ("minimum_length", c_int64),
                ("minimum_new", c_int64), ("unique_run", c_int64)]


class GenerationDefaults(Structure):
    _fields_ = [("end_ids", POINTER(c_int32)), ("start_ids", POINTER(c_int32)),
                ("end_count", c_uint32), ("start_count", c_uint32), ("temperature", c_float),
                ("top_p", c_float), ("min_p", c_float), ("repetition_penalty", c_float),
                ("length_penalty", c_float), ("early_stopping", c_uint32), ("beams", c_uint32),
                ("reserved", c_uint32), ("top_k", c_int64), ("limit", c_int64),
                ("maximum_length", c_int64), ("rules", Rules)]


class Model(Structure):
    _fields_ = [("abi_version", c_uint32), ("struct_size", c_uint32), ("name", c_char_p),
                ("target_cpu", c_char_p), ("cpu_features", c_char_p), ("fingerprint", c_uint64),
                ("weights_size", c_uint64), ("entry_count", c_uint32), ("device_kind", c_uint32),
                ("entries", POINTER(POINTER(Entry))), ("embedded_weights", c_void_p),
                ("embedded_size", c_uint64), ("device", c_char_p),
                ("device_function_count", c_uint64), ("device_functions", c_void_p),
                ("next_target", c_void_p), ("generation", POINTER(GenerationDefaults))]


class Context(Structure):
    _fields_ = [("parallel_for", c_void_p), ("parallel_for_data", c_void_p),
                ("observer", c_void_p), ("observer_data", c_void_p), ("error", POINTER(Error)),
                ("stream", c_void_p), ("device_arguments", c_uint64),
                ("argument_bytes", POINTER(c_size_t))]


class DeviceOptions(Structure):
    _fields_ = [("kind", c_int), ("index", c_int32), ("context", c_void_p), ("device", c_void_p),
                ("compiler_options", c_char_p), ("launches_alone", c_int32)]


class Sampling(Structure):
    _fields_ = [("temperature", c_float), ("top_p", c_float), ("min_p", c_float),
                ("repetition_penalty", c_float), ("top_k", c_int64),
                ("repetition_window", c_int64), ("answer", c_void_p)]


class GeneratorOptions(Structure):
    _fields_ = [("sampling", Sampling), ("seed", c_uint64), ("limit", c_int64),
                ("beams", c_int64), ("length_penalty", c_float), ("capacity", c_int64),
                ("prefill_length", c_int64), ("end_ids", POINTER(c_int32)),
                ("end_count", c_size_t), ("stops", POINTER(c_char_p)), ("stop_count", c_size_t),
                ("maximum_length", c_int64), ("early_stopping", c_int32), ("rules", Rules),
                ("start_ids", POINTER(c_int32)), ("start_count", c_size_t)]


class EncodeOptions(Structure):
    _fields_ = [("add_special", c_int32), ("maximum_length", c_int64), ("truncation", c_int)]


class Piece(Structure):
    # The text may have zeros inside.
    _fields_ = [("text", c_void_p), ("size", c_size_t), ("id", c_int32), ("finish", c_int)]


class TextPair(Structure):
    _fields_ = [("first", c_char_p), ("first_size", c_size_t), ("second", c_char_p),
                ("second_size", c_size_t)]


class SpeechOptions(Structure):
    _fields_ = [("language", c_char_p), ("task", c_char_p)]


class Message(Structure):
    _fields_ = [("role", c_char_p), ("content", c_char_p)]


def declare(library: ctypes.CDLL, functions: dict[str, tuple]) -> None:
    """Gives functions their types: {name: (result, *arguments)}."""
    for name, (result, *arguments) in functions.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


def _installation() -> list[pathlib.Path]:
    """Folders that may be the one which this package is installed in."""
    return list(pathlib.Path(__file__).resolve().parents)[2:6]


def find_compiler() -> str:
    """heddlec: $HEDDLEC, the one of this installation, or of the path."""
    if given := os.environ.get("HEDDLEC"):
        return given
    for folder in _installation():
        if (folder / "bin" / "heddlec").is_file():
            return str(folder / "bin" / "heddlec")
    if found := shutil.which("heddlec"):
        return found
    raise FileNotFoundError("heddlec is neither installed beside this package nor on the path; "
                            "$HEDDLEC may name it")


def find_text_library() -> str:
    """libheddle_text.so: $HEDDLE_TEXT_LIBRARY, or as find_compiler."""
    if given := os.environ.get("HEDDLE_TEXT_LIBRARY"):
        return given
    for folder in _installation():
        for place in ("lib", "lib/x86_64-linux-gnu"):
            if (path := folder / place / "libheddle_text.so").is_file():
                return str(path)
    if found := ctypes.util.find_library("heddle_text"):
        return found
    raise FileNotFoundError("libheddle_text.so is neither installed beside this package nor where "
                            "the system looks; $HEDDLE_TEXT_LIBRARY may name it")
