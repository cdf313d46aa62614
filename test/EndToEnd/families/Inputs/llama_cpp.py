# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp's library, as npm's package @node-llama-cpp/linux-x64 has it: logits of GGUF files.

The package has no headers, hence the declarations. Parameters are blocks that are larger than the
real structs: on x86-64 large structs travel in memory, so that their size does not matter. Where
a field is was read off the defaults, which `Parameters.expect` compares."""
import ctypes
import pathlib

import numpy as np

F32, F16 = 0, 1  # ggml's element types
ERROR = 4  # a level of messages


class Parameters(ctypes.Structure):
    _fields_ = [("words", ctypes.c_int32 * 256)]

    def expect(self, names, defaults):
        found = {name: self.words[names[name]] for name in defaults}
        assert found == defaults, f"llama.cpp's defaults are {found}, not {defaults}"


class Batch(ctypes.Structure):
    """llama_batch"""
    _fields_ = [("n_tokens", ctypes.c_int32), ("token", ctypes.POINTER(ctypes.c_int32)),
                ("embd", ctypes.c_void_p), ("pos", ctypes.POINTER(ctypes.c_int32)),
                ("n_seq_id", ctypes.POINTER(ctypes.c_int32)),
                ("seq_id", ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))),
                ("logits", ctypes.POINTER(ctypes.c_int8))]  # fmt: skip


# Of llama_context_params, in words of 32 bits; of types of attention, -1 chooses flash attention
# where there is any.
FIELDS = {"n_ctx": 0, "n_threads": 7, "n_threads_batch": 8, "flash_attention": 13, "type_k": 26,
          "type_v": 27}  # fmt: skip
DEFAULTS = {"n_ctx": 512, "n_threads": 4, "n_threads_batch": 4, "flash_attention": -1,
            "type_k": F16, "type_v": F16}  # fmt: skip

POINTER, INT = ctypes.c_void_p, ctypes.c_int32
FUNCTIONS = {
    "llama_backend_init": (None, []),
    "llama_log_set": (None, [POINTER, POINTER]),
    "llama_model_default_params": (Parameters, []),
    "llama_context_default_params": (Parameters, []),
    "llama_model_load_from_file": (POINTER, [ctypes.c_char_p, Parameters]),
    "llama_model_free": (None, [POINTER]),
    "llama_model_get_vocab": (POINTER, [POINTER]),
    "llama_vocab_n_tokens": (INT, [POINTER]),
    "llama_init_from_model": (POINTER, [POINTER, Parameters]),
    "llama_free": (None, [POINTER]),
    "llama_batch_init": (Batch, [INT, INT, INT]),
    "llama_batch_free": (None, [Batch]),
    "llama_decode": (INT, [POINTER, Batch]),
    "llama_get_logits_ith": (ctypes.POINTER(ctypes.c_float), [POINTER, INT]),
}


class LlamaCpp:
    """Computes in f32: the cache is f32, too, which f16 is the default of, and attention is that
    of formulas, as flash attention on CPUs sums values in f16."""

    def __init__(self, folder):
        libraries = [next(pathlib.Path(folder).glob(name)) for name in
                     ("libggml-base.so", "libggml.v*.so", "libllama.v*.so")]  # fmt: skip
        _, ggml, self.llama = (ctypes.CDLL(str(p), ctypes.RTLD_GLOBAL) for p in libraries)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.llama, name)
            function.restype, function.argtypes = result, arguments
        self.errors = []
        self.log = ctypes.CFUNCTYPE(None, INT, ctypes.c_char_p, POINTER)(self.take_message)
        self.llama.llama_log_set(ctypes.cast(self.log, POINTER), None)
        ggml.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
        ggml.ggml_backend_load_all_from_path(str(folder).encode())
        self.llama.llama_backend_init()

    def take_message(self, level, text, _):
        if level == ERROR:
            self.errors.append(text.decode().strip())

    def need(self, is_there, what):
        if not is_there:
            raise RuntimeError(f"llama.cpp {what}: {'; '.join(self.errors)}")

    def logits(self, path, ids):
        """[length, vocabulary], of all positions in one call."""
        self.errors.clear()
        model = self.llama.llama_model_load_from_file(str(path).encode(),
                                                      self.llama.llama_model_default_params())
        self.need(model, "cannot load the model")
        parameters = self.llama.llama_context_default_params()
        parameters.expect(FIELDS, DEFAULTS)
        for name, value in {"n_threads": 1, "n_threads_batch": 1, "flash_attention": 0,
                            "type_k": F32, "type_v": F32, "n_ctx": 256}.items():  # fmt: skip
            parameters.words[FIELDS[name]] = value
        context = self.llama.llama_init_from_model(model, parameters)
        self.need(context, "cannot make a context")
        batch = self.llama.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.logits[i] = token, i, 1
            batch.n_seq_id[i], batch.seq_id[i][0] = 1, 0
        self.need(self.llama.llama_decode(context, batch) == 0, "cannot decode")
        vocabulary = self.llama.llama_vocab_n_tokens(self.llama.llama_model_get_vocab(model))
        rows = [self.llama.llama_get_logits_ith(context, i) for i in range(len(ids))]
        logits = np.array([np.ctypeslib.as_array(row, (vocabulary,)) for row in rows], np.float64)
        self.llama.llama_batch_free(batch)
        self.llama.llama_free(context)
        self.llama.llama_model_free(model)
        return logits
