# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings through a tiny random Whisper of 30 seconds: spectrograms, and what heddle-run
transcribe and Python write, against NumPy."""
import json
import subprocess
import wave

import numpy as np

import heddle
from encoder_decoder_folders import config_of
from folders import Folder
from seq2seq import RATE, SECONDS, Seq2Seq, log_mel
from tensors import Tensors

WINDOW, LIMIT = RATE * SECONDS, 6
WORDS = "the a cat dog sat ran on under old new mat house tree bird sky sea".split()
LANGUAGES, TASKS = {"<|de|>": 20, "<|en|>": 21}, {"transcribe": 22, "translate": 23}
NO_TIMES, START, END = 24, 25, 26
VOCABULARY = 48


def recording(draw, seconds):
    """Tones that come and go, and noise."""
    time = np.arange(int(seconds * RATE)) / RATE
    samples = 0.01 * draw.standard_normal(len(time))
    for _ in range(5):
        begin, pitch = draw.uniform(0, seconds), draw.uniform(60, 7000)
        loud = np.exp(-((time - begin) / draw.uniform(0.1, 2)) ** 2)
        samples += 0.2 * loud * np.sin(2 * np.pi * pitch * time)
    return np.clip(samples, -1, 1)


def write(path, samples, rate=RATE, channels=1):
    with wave.open(path, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        whole = np.round(samples * 32767).astype("<i2")
        file.writeframes(np.repeat(whole, channels).tobytes())
    return whole / 32768


def add_tokenizer(path, generation):
    vocabulary = {f"<{i}>": i for i in range(VOCABULARY)}
    for i, word in enumerate(WORDS):
        del vocabulary[f"<{i}>"]
        vocabulary["\u0120" + word] = i
    special = {**LANGUAGES, **{f"<|{task}|>": i for task, i in TASKS.items()},
               "<|notimestamps|>": NO_TIMES, "<|startoftranscript|>": START, "<|endoftext|>": END}
    added = []
    for text, i in special.items():
        del vocabulary[f"<{i}>"]
        added.append({"id": i, "content": text, "single_word": False, "lstrip": False,
                      "rstrip": False, "normalized": False, "special": True})
    levels = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
              "use_regex": True}
    (path / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "added_tokens": added, "normalizer": None, "pre_tokenizer": levels,
        "post_processor": None, "decoder": levels,
        "model": {"type": "BPE", "vocab": vocabulary | special, "merges": []}}))
    (path / "generation_config.json").write_text(json.dumps(generation))


def transcript(config, tensors, samples, generation, language=None, task="transcribe"):
    """The likeliest ids of each window alone. Answers begin with a task, also where nobody asks for
    one, as OpenAI's do."""
    model, answers, told = Seq2Seq(config, tensors), [], None
    for first in range(0, len(samples), WINDOW):
        encoded = model.encode(log_mel(samples[first:first + WINDOW], config["num_mel_bins"]))
        if told is None:
            heard = model.decode(encoded, [START])[-1]
            spoken = LANGUAGES[f"<|{language}|>"] if language else max(
                LANGUAGES.values(), key=lambda i: heard[i])
            told = [START, spoken, TASKS[task], NO_TIMES]
        ids = list(told)
        while len(ids) < len(told) + LIMIT:
            scores = model.decode(encoded, ids)[-1].copy()
            scores[generation["suppress_tokens"]] = -np.inf
            if len(ids) == len(told):
                scores[generation["begin_suppress_tokens"]] = -np.inf
            if (best := int(np.argmax(scores))) == END:
                break
            ids.append(best)
        answers.append(ids[len(told):])
    return answers


def text_of(ids):
    return "".join(f" {WORDS[i]}" if i < len(WORDS) else f"<{i}>" for i in ids if not 20 <= i <= 26)


def check_features(model, draw, bins):
    batch = np.zeros((2, WINDOW), np.float32)
    for row, seconds in zip(batch, (30, 7.3)):
        samples = recording(draw, seconds)
        row[:len(samples)] = samples
    batch[1, 50000:60000] = 0  # silence inside
    found = model.features(samples=batch)
    for row, samples in zip(found, batch):
        right = log_mel(samples, bins)
        # Sums of f32 of about 400 samples, squared, relative to the loudest: features are a quarter
        # of logarithms of what is at least a hundred millionth of that.
        error = np.abs(row - right)
        loud = right > right.max() - 1
        assert error[loud].max() < 1e-4 and error.max() < 0.02, (error[loud].max(), error.max())
    silent = model.features(samples=np.zeros((1, WINDOW), np.float32))
    assert np.abs(silent - log_mel(np.zeros(WINDOW), bins)).max() < 1e-6


TOLD = ({}, {"language": "de"}, {"language": "en", "task": "translate"})
NAMES = {"de": "German", "en": "<|en|>", "German": "german", "<|en|>": "English"}


def draw_model(config, samples, generation):
    """Weights with which what the model is told changes what it writes."""
    for seed in range(100):
        tensors = Tensors(seed)
        texts = ["".join(map(text_of, transcript(config, tensors, samples, generation, **options)))
                 for options in TOLD]
        if len(set(texts)) > 1 and len(set(texts[0].split())) > 2:
            return tensors, texts
    raise AssertionError("no such weights")


def main():
    draw = np.random.default_rng(5)
    config = config_of("whisper", {
        "vocab_size": VOCABULARY, "num_mel_bins": 80, "max_source_positions": 1500, "d_model": 16,
        "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
        "tie_word_embeddings": False, "decoder_start_token_id": START, "eos_token_id": END, "pad_token_id": END})
    generation = {
        "decoder_start_token_id": START, "eos_token_id": END, "max_new_tokens": LIMIT,
        "is_multilingual": True, "lang_to_id": LANGUAGES, "task_to_id": TASKS,
        "no_timestamps_token_id": NO_TIMES, "suppress_tokens": [20, 21, 22, 23, 24, 25],
        "begin_suppress_tokens": [END, 3], "return_timestamps": False}
    samples = write("said.wav", recording(draw, 34))
    tensors, texts = draw_model(config, samples, generation)
    folder = Folder("whisper", config, tensors)
    add_tokenizer(folder.path, generation)
    (folder.path / "preprocessor_config.json").write_text(json.dumps({
        "feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 80, "hop_length": 160,
        "n_fft": 400, "sampling_rate": RATE, "chunk_length": 30, "n_samples": WINDOW,
        "nb_max_frames": 3000, "padding_side": "right", "padding_value": 0.0}))
    model, tokenizer = folder.load(), heddle.Tokenizer("whisper")
    check_features(model, draw, 80)
    for options, right in zip(TOLD, texts):
        command = ["heddle-run", "transcribe", "./whisper.so", "said.wav", "--tokenizer=whisper",
                   *(f"--{name}={value}" for name, value in options.items())]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert shown == right + "\n", (options, shown, right)
        for said in ("said.wav", samples):
            if "language" in options:
                options = {**options, "language": NAMES[options["language"]]}
            found = "".join(model.transcribe(said, tokenizer=tokenizer, **options))
            assert found == right, (options, found, right)
    # One beam is the likeliest ids; the folder may say what else is told.
    assert "".join(model.transcribe(samples, tokenizer=tokenizer, beams=1)) == texts[0]
    assert "".join(model.transcribe(samples, tokenizer=tokenizer, beams=3)).strip()
    for forced in ([[1, LANGUAGES["<|en|>"]], [2, TASKS["translate"]]], [[1, None], [2, 22]]):
        more = {**generation, "forced_decoder_ids": forced}
        (folder.path / "generation_config.json").write_text(json.dumps(more))
        told = heddle.Tokenizer("whisper")
        said = "".join(model.transcribe(samples, tokenizer=told))
        assert said == texts[2 if forced[0][1] else 0], (forced, said, texts)
    (folder.path / "generation_config.json").write_text(json.dumps(generation))
    write("slow.wav", samples[:1600], rate=8000)
    write("both.wav", samples[:16000], channels=2)
    one = "".join(model.transcribe(samples[:16000], tokenizer=tokenizer))
    assert "".join(model.transcribe("both.wav", tokenizer=tokenizer)) == one
    for wrong in (np.zeros(9, np.int16), [0, 1], np.zeros(9, complex), None):
        try:
            model.transcribe(wrong, tokenizer=tokenizer)
        except TypeError as failure:
            assert "expected floats from -1 to 1" in str(failure), failure
        else:
            raise AssertionError(wrong)
    print("speech: all is well")


main()
