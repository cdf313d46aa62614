# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fuzzing begins with: seeds.py FOLDER writes FOLDER/TARGET/* for each target."""

import io
import json
import pathlib
import re
import struct
import sys
import zipfile

import numpy

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS / "EndToEnd/onnx/Inputs"))
import onnx_model as o  # noqa: E402

PROJECT = TESTS.parent
LARGEST_MODULE = 3000  # bytes; what is larger teaches a fuzzer slowly


def npy(descr, shape, data):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (117 - len(header)) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


def npz(method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a.npy", npy("<f4", (2,), bytes(8)))
        archive.writestr("b.npy", npy("<f4", (), bytes(4)))
    return file.getvalue()


def npy_seeds():
    yield b"\0" + npy("<f4", (1, 3), bytes(12))
    yield b"\1" + npy("<V2", (4,), bytes(8))
    yield b"\3" + npy("<i4", (), bytes(4))
    yield b"\6" + npy("|b1", (0, 7), b"")
    yield b"\7" + npz(zipfile.ZIP_STORED)
    yield b"\7" + npz(zipfile.ZIP_DEFLATED)


def safetensors_seeds():
    tensors = {
        "a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
        "b": {"dtype": "BF16", "shape": [], "data_offsets": [8, 10]},
        "c": {"dtype": "I64", "shape": [0], "data_offsets": [10, 10]},
    }
    for metadata in {}, {"__metadata__": {"format": "pt"}}:
        header = json.dumps(metadata | tensors).encode()
        yield struct.pack("<Q", len(header)) + header + bytes(10)
    yield struct.pack("<Q", 2) + b"{}"


def config_seeds():
    for path in sorted(PROJECT.glob("examples/*/model/config.json")):
        yield path.read_bytes()
    base = json.loads((PROJECT / "examples/dates/model/config.json").read_text())
    llama3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
              "high_freq_factor": 4.0, "original_max_position_embeddings": 32}  # fmt: skip
    for scaling in {"rope_type": "linear", "factor": 2.0}, llama3:
        yield json.dumps(base | {"rope_scaling": scaling}).encode()
    for generation in ({"do_sample": True, "temperature": 0.6, "top_p": 0.9, "top_k": None},
                       {"num_beams": 4, "early_stopping": "never", "max_length": 64}):
        yield json.dumps(generation | {"eos_token_id": [2, 9]}).encode()


def recording_seeds():
    form = struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16)
    longer = struct.pack("<HHIIHHHHI16s", 0xfffe, 2, 16000, 64000, 4, 16, 22, 16, 3, b"\1\0")
    for kind, size in (form, 4), (longer, 8), (form, 0xffffffff):
        yield (b"RIFF\0\0\0\0WAVELIST\3\0\0\0abc\0fmt " + struct.pack("<I", len(kind)) + kind
               + b"data" + struct.pack("<I", size) + b"\0\x80\xff\x7f\0\0\1\0")


def tokenizer_seeds():
    template = "{% for m in messages %}{{ m['content'] | trim }}{% endfor %}"
    config = json.dumps({"bos_token": "<s>", "eos_token": {"content": "</s>"}})
    llama = json.dumps({"tokenizer_class": "LlamaTokenizer", "add_eos_token": True})
    pattern = r"(?i:[[:alpha:]&&[^x]]+|ss)\b|\w{1,2}|[^\p{L}a-c]"
    pieces = {
        "normalizer": {"type": "Replace", "pattern": {"Regex": "a+"}, "content": "b"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}]},
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "added_tokens": [{"id": 3, "content": "<s>", "single_word": True, "lstrip": True, "rstrip": True,
                          "normalized": True, "special": True}],
    }
    model = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}
    tokenizers = [json.dumps(model | {name: piece}) for name, piece in pieces.items()]
    tokenizers.append((PROJECT / "examples/dates/model/tokenizer.json").read_text())
    goldens = json.loads((TESTS / "Text/Inputs/chat_goldens.json").read_text())
    templates = {golden["template"]: None for golden in goldens}
    end = json.dumps({"eos_token_id": [0, 1]})
    for tokenizer in tokenizers:
        yield tokenizer_seed("abba <s> 3", tokenizer=tokenizer, chat=template, config=config, end=end)
    bounds = json.dumps({"bos_token": {"content": "a"}, "eos_token": "b"})
    yield tokenizer_seed("ab", tokenizer=tokenizers[0], config=llama, bounds=bounds)
    for text in templates:
        yield tokenizer_seed("ab", tokenizer=tokenizers[0], chat=text, config=config)
    pieces = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("a", 1), ("b", 1), ("ab", 1)]
    for added in "", json.dumps({"ab": 5}):
        yield tokenizer_seed("abba", model=sentencepiece(pieces), config=config, added=added)
    # Folders without tokenizer.json, and what their generation_config.json says of speech.
    speech = json.dumps({"is_multilingual": True, "lang_to_id": {"<|en|>": 2}, "language": "en",
                         "task_to_id": {"transcribe": 3}, "no_timestamps_token_id": 4})
    yield tokenizer_seed("abba x", words="[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nab\n##ba\n",
                         config=json.dumps({"tokenizer_class": "BertTokenizer"}))
    yield tokenizer_seed("abba", pieces=json.dumps({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3}),
                         merges="#version: 0.2\na b\n", generation=speech,
                         config=json.dumps({"tokenizer_class": "WhisperTokenizer"}))


def tokenizer_seed(text, tokenizer="", model=b"", config="", added="", chat="", bounds="", end="",
                   generation="", words="", pieces="", merges=""):
    """In the order of heddle_tokenizer_file_names, of which the last three have the model's format."""
    files = (tokenizer, model, config, added, chat, bounds, end, generation, words, pieces, merges,
             b"", b"", b"", text)
    return b"\n----\n".join(f if isinstance(f, bytes) else f.encode() for f in files)


def sentencepiece(pieces):
    """A ModelProto of sentencepiece_model.proto, of pieces with a type each."""
    result = b""
    for number, (text, kind) in enumerate(pieces):
        piece = b"\x0a" + bytes([len(text)]) + text.encode()
        piece += b"\x15" + struct.pack("<f", -number) + b"\x18" + bytes([kind])
        result += b"\x0a" + bytes([len(piece)]) + piece
    return result


def weights_seeds():
    abi = (PROJECT / "runtime/heddle_abi.h").read_text()
    version = int(re.search(r"define HEDDLE_ABI_VERSION (\d+)", abi)[1])
    form = "<8sIIQQQQQ"
    size = struct.calcsize(form)
    header = struct.pack(form, b"HEDDLEW1", version, size, 7, 4096, 64, 0, 0)
    for flags in range(16):
        zeros = b"" if flags & 8 else bytes(4096 - size)
        yield bytes([flags]) + header + zeros + bytes(64)


def module_seeds():
    for path in sorted(TESTS.rglob("*.mlir")):
        if "Fuzz" in path.parts or path.stat().st_size > LARGEST_MODULE:
            continue
        # Of tests of several modules, each.
        for text in re.split(r"// -----\n|//--- .*\n", path.read_text()):
            yield re.sub(r"(?m)^ *//.*\n", "", text).encode()


def gguf_seeds():
    """A Llama of one layer, without and with tensors in blocks."""
    numbers = {"context_length": 16, "embedding_length": 32, "block_count": 1, "feed_forward_length": 32,
               "attention.head_count": 2, "attention.head_count_kv": 1, "rope.dimension_count": 16}  # fmt: skip
    shapes = {"token_embd": (32, 6), "output_norm": (32,), "blk.0.attn_norm": (32,), "blk.0.attn_q": (32, 32),
              "blk.0.attn_k": (32, 16), "blk.0.attn_v": (32, 16), "blk.0.attn_output": (32, 32), "blk.0.ffn_norm": (32,),
              "blk.0.ffn_gate": (32, 32), "blk.0.ffn_up": (32, 32), "blk.0.ffn_down": (32, 32)}  # fmt: skip

    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    for kind, block in (0, 128), (2, 18), (8, 34), (39, 17):
        keys = [text("general.architecture") + struct.pack("<I", 8) + text("llama")]
        keys += [text("llama." + key) + struct.pack("<II", 4, value) for key, value in numbers.items()]
        for key, value in (("attention.layer_norm_rms_epsilon", 1e-5), ("rope.freq_base", 1e4)):
            keys.append(text("llama." + key) + struct.pack("<If", 6, value))
        infos, size = [], 0
        for name, shape in shapes.items():
            own = kind if len(shape) == 2 else 0
            infos.append(text(name + ".weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, own, size))
            blocks = numpy.prod(shape) // 32
            size += -(-int(blocks) * (block if own else 128) // 32) * 32
        header = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(keys)) + b"".join(keys + infos)
        yield header + bytes(-len(header) % 32 + size)


def onnx_seeds():
    x, y = o.value("x", "f4", ["n", 4]), o.value("y", "f4", ["n", "m"])
    weights = {"w": numpy.ones((4, 4), "f4"), "s": numpy.array([0, -1], "i8"), "h": o.half_bytes(numpy.ones((4, 4)), "h", o.INT4)}
    weights["i"] = numpy.array(1, "i8")
    inner = o.graph([o.node("Neg", ["x"], ["a"])], [], [o.value("a", "f4", [])])
    step = [o.value(name, kind, []) for name, kind in (("t", "i8"), ("c", "b1"), ("v", "f4"))]
    turn = o.graph([o.node("Add", ["v", "x"], ["b"])], step, [o.value("c", "b1", []), o.value("b", "f4", [])])
    relu = o.function("mine", "F", ["a"], ["b"], [o.node("LeakyRelu", ["a"], ["b"], alpha=o.Reference("s", 1))], ["s"])
    graphs = (
        [o.node("MatMul", ["x", "w"], ["t"]), o.node("Softmax", ["t"], ["y"], axis=1)],
        [o.node("Shape", ["x"], ["t"]), o.node("Gather", ["t", "i"], ["u"]), o.node("Range", ["i", "u", "i"], ["y"])],
        [o.node("Reshape", ["x", "s"], ["t"]), o.node("Transpose", ["t"], ["y"], perm=[1, 0])],
        [o.node("If", ["i"], ["y"], then_branch=inner, else_branch=inner)],
        [o.node("Loop", ["i", "", "x"], ["y"], body=turn)],
        [o.node("F", ["x"], ["y"], "mine", s=0.5)],
        [o.node("Einsum", ["x", "w"], ["y"], equation="ij,jk->ik")],
        [o.node("DequantizeLinear", ["h", "i"], ["t"]), o.node("MatMul", ["x", "t"], ["y"])],
        [o.node("Slice", ["x", "s", "s"], ["t"]), o.node("Concat", ["t", "x"], ["y"], axis=0)],
        [o.node("LSTM", ["x", "w", "w"], ["y"], hidden_size=4)],
    )
    for nodes in graphs:
        yield o.model(o.graph(nodes, [x], [y], weights), functions=[relu], domains=["mine"])
    yield decoder(is_fused=False)
    yield decoder(is_fused=True)
    yield encoder()


TOKENS = ["b", "n"]


def decoder(is_fused):
    """An ONNX file of one head of two channels, with keys and values of earlier tokens."""
    g, names = o.Graph(), ("key", "value")
    x = g("Gather", numpy.ones((3, 2), "f4"), "input_ids")
    before, after = ([f"{kind}.0.{name}" for name in names] for kind in ("past_key_values", "present"))
    if is_fused:
        count = g("Cast", g("Sub", g("ReduceSum", "attention_mask", [1], keepdims=0), 1), to=o.INT32)
        total = g("Cast", g.size("attention_mask", 1), to=o.INT32)
        inputs = [x, x, x, *before, count, total]
        heads = {"num_heads": 1, "kv_num_heads": 1}
        g.nodes.append(o.node("GroupQueryAttention", inputs, ["y", *after], "com.microsoft", **heads))
    else:
        past = g.size(before[0], 2)
        total = g("Add", past, g.size("input_ids", 1))
        places = g("Unsqueeze", g("Range", past, total, 1), [1])
        later = g("Greater", g("Unsqueeze", g("Range", 0, total, 1), [0]), places)
        dropped = g("Or", later, g("Equal", g("Unsqueeze", "attention_mask", [1, 2]), 0))
        x = g("Unsqueeze", x, [1])
        keys, values = (g("Concat", *pair, axis=2, result=name) for *pair, name in zip(before, (x, x), after))
        scores = g("MatMul", x, g("Transpose", keys, perm=[0, 1, 3, 2]))
        weights = g("Softmax", g("Where", dropped, -1e9, scores), axis=-1)
        g("Squeeze", g("MatMul", weights, values), [1], result="y")
    g("MatMul", "y", numpy.ones((2, 3), "f4"), result="logits")
    inputs = [o.value("input_ids", "i8", TOKENS), o.value("attention_mask", "i8", ["b", "p + n"])]
    inputs += [o.value(name, "f4", ["b", 1, "p", 2]) for name in before]
    outputs = [o.value("logits", "f4", [*TOKENS, 3]), *(o.value(name, "f4", ["b", 1, "p + n", 2]) for name in after)]
    return o.model(o.graph(g.nodes, inputs, outputs, g.stored), domains=["com.microsoft"])


def encoder():
    g = o.Graph()
    mask = g("Mul", g("Sub", 1.0, g("Cast", g("Unsqueeze", "attention_mask", [1]), to=1)), -1e9)
    x = g("Gather", numpy.ones((3, 2), "f4"), "input_ids")
    scores = g("Add", g("MatMul", x, g("Transpose", x, perm=[0, 2, 1])), mask)
    g("MatMul", g("Softmax", scores, axis=-1), x, result="last_hidden_state")
    inputs = [o.value(name, "i8", TOKENS) for name in ("input_ids", "attention_mask")]
    return o.model(o.graph(g.nodes, inputs, [o.value("last_hidden_state", "f4", [*TOKENS, 2])], g.stored))


def schedule_seeds():
    for path in sorted((TESTS / "Fuzz/schedules").iterdir()):
        yield path.read_bytes()


SEEDS = {
    "config": config_seeds,
    "gguf": gguf_seeds,
    "module": module_seeds,
    "npy": npy_seeds,
    "onnx": onnx_seeds,
    "recording": recording_seeds,
    "safetensors": safetensors_seeds,
    "schedule": schedule_seeds,
    "tokenizer": tokenizer_seeds,
    "weights": weights_seeds,
}


def main(folder):
    for target, seeds in SEEDS.items():
        place = folder / target
        place.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds()):
            (place / str(number)).write_bytes(seed)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
