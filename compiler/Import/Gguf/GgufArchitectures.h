// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Architectures of GGUF files whose configs are written in files of their own:
// the fields of the family that each of them stands for.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFARCHITECTURES_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFARCHITECTURES_H

#include "compiler/Import/Gguf/GgufConfigWriter.h"

namespace heddle {

/// V2 and V3, which also sets `model_type` and `architectures`.
void writeDeepSeek(GgufConfigWriter &writer);
/// RoBERTa and DistilBERT, too: positions begin in the first row, and files
/// without types of tokens have none.
void writeBert(GgufConfigWriter &writer);
void writeModernBert(GgufConfigWriter &writer);
void writeT5(GgufConfigWriter &writer);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFARCHITECTURES_H
