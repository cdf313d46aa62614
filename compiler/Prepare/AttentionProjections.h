// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the weights of one attention project its inputs with: "self_attn" has
// heddle.weight @"self_attn.in_proj_weight", of q, k and v in one, or
// @"self_attn.q_proj_weight" and its like.

#ifndef HEDDLE_COMPILER_PREPARE_ATTENTIONPROJECTIONS_H
#define HEDDLE_COMPILER_PREPARE_ATTENTIONPROJECTIONS_H

#include "compiler/Prepare/LayerParameters.h"

namespace heddle {

/// Weights and biases, null where there are none: `combined`, or the others.
struct AttentionProjections {
  mlir::Value query, queryBias, key, keyBias, value, valueBias, combined,
      combinedBias;
  int64_t headDim; ///< channels of a head of queries and keys
  int64_t outputs; ///< channels of all heads of the result
};

/// Takes the weights under `prefix` for attention of `x` to `memory`, which may
/// be x itself. Reports at `op` those that are missing or do not fit.
mlir::FailureOr<AttentionProjections>
findProjections(mlir::Operation *op, LayerParameters &parameters,
                llvm::StringRef prefix, mlir::Value x, mlir::Value memory,
                int64_t heads, int64_t kvHeads);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_ATTENTIONPROJECTIONS_H
