# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defaults of answers in Python: generation_defaults.py LIBRARY MODEL_FOLDER."""

import sys

import heddle

model = heddle.load(sys.argv[1])
tokenizer = heddle.Tokenizer(sys.argv[2])
assert dict(model.generation) == {
    "temperature": 0.001, "top_p": 1.0, "min_p": 0.0, "repetition_penalty": 1.0,
    "length_penalty": 1.0, "top_k": 3, "beams": 0, "early_stopping": False, "max_tokens": 20,
    "max_length": None, "end_ids": [2, 7], "start_ids": [1], "min_length": 0, "min_new_tokens": 0,
    "no_repeat_ngram_size": 0, "renormalize_logits": False, "suppress_tokens": [], "begin_suppress_tokens": [],
    "forced_bos_token_id": None, "forced_eos_token_id": None}, model.generation
assert tokenizer.end_ids == [2, 7]
prompt = tokenizer.encode("20371231\n")
assert tokenizer.decode(list(model.generate(prompt))) == "2037"
assert "".join(model.generate(prompt, tokenizer=tokenizer)) == "2037"
# Options win.
assert "".join(model.generate(prompt, tokenizer=tokenizer, end_ids=[2])) == "2037-12-31"
assert "".join(model.generate(prompt, tokenizer=tokenizer, max_tokens=2)) == "20"
assert "".join(model.generate(prompt, tokenizer=tokenizer, beams=2, end_ids=[2])) == "2037-12-31"
assert len(set(tuple(model.generate(prompt, temperature=100, top_k=0, seed=s, end_ids=[]))
               for s in range(4))) == 4
assert len(list(model.generate(prompt, end_ids=[]))) == 20
print("defaults: all is well")
