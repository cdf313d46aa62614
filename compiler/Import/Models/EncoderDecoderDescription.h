// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An encoder, and a decoder that attends to what it gives, as data.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_ENCODERDECODERDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_ENCODERDECODERDESCRIPTION_H

#include "compiler/Import/Models/DecoderDescription.h"
#include "compiler/Import/Models/EncoderDescription.h"

namespace heddle {

struct EncoderDecoderDescription {
  EncoderDescription encoder;
  DecoderDescription decoder; ///< its block has a cross attention
  /// Tensors that hold the table of the embedding again; their whole names.
  std::vector<std::string> embeddingCopies;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_ENCODERDECODERDESCRIPTION_H
