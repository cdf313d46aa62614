// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which tensors the checkpoint of a Llama-style model holds.

#ifndef HEDDLE_COMPILER_IMPORT_LLAMATENSORS_H
#define HEDDLE_COMPILER_IMPORT_LLAMATENSORS_H

#include "compiler/Import/LlamaConfig.h"
#include "compiler/Import/TensorSource.h"

namespace heddle {

inline constexpr llvm::StringLiteral kEmbeddingTensor =
    "model.embed_tokens.weight";
inline constexpr llvm::StringLiteral kHeadTensor = "lm_head.weight";

/// One tensor that the model reads.
struct ExpectedTensor {
  std::string name;
  llvm::SmallVector<int64_t> shape;
};

/// The tensors that the model of `config` reads, in the order of the model.
std::vector<ExpectedTensor> llamaTensors(const LlamaConfig &config);

/// Demands that the checkpoint holds exactly these, with supported types, and
/// beside them nothing but tensors that are known to do no harm.
llvm::Error checkLlamaTensors(const LlamaConfig &config,
                              const TensorSource &tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_LLAMATENSORS_H
