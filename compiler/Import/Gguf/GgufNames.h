// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How GGUF files store the models of all families.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFNAMES_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFNAMES_H

#include "compiler/Import/Models/EncoderDecoderDescription.h"
#include "compiler/Import/TensorSource.h"

namespace heddle {

/// Gives a model the names of GGUF's tensors in place of a checkpoint's, and
/// what llama.cpp's converter has changed of these: matrices are [outputs,
/// inputs], fused projections all queries first, experts one tensor, weights of
/// norms what is multiplied by, positions begin in the first row. Projections
/// have the biases that `tensors` has.
void nameAsGguf(DecoderDescription &decoder, const TensorSource &tensors);
/// BERT and what is like it, or ModernBERT.
void nameAsGguf(EncoderDescription &encoder, const TensorSource &tensors);
/// T5.
void nameAsGguf(EncoderDecoderDescription &model, const TensorSource &tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFNAMES_H
