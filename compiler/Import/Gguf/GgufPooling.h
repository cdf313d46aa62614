// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result that the tokens of a GGUF file's encoder become.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFPOOLING_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFPOOLING_H

#include "compiler/Import/Gguf/GgufConfig.h"
#include "compiler/Import/Models/EncoderDescription.h"

namespace heddle {

/// Gives an encoder the result that the file has: an embedding, or the scores
/// of one that ranks texts, whose two layers are RoBERTa's. `path` starts a
/// message.
llvm::Error setPooling(EncoderDescription &encoder, GgufPooling pooling,
                       const TensorSource &tensors, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFPOOLING_H
