// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A softmax that is spelled out as heddle.generic ops:
//
//   M = max_k E       P = exp(E - M)       T = sum_k P       W = P / T
//
// M may be 0 where it is infinite, and W may be P * (1 / T).

#ifndef HEDDLE_COMPILER_ATTENTION_SOFTMAXPATTERN_H
#define HEDDLE_COMPILER_ATTENTION_SOFTMAXPATTERN_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// E, if `weights` are W, and null otherwise. `dim` is then the dimension of W
/// and of E that k stands for.
mlir::Value softmaxOf(GenericOp weights, unsigned &dim);

/// Why the weights that `product` sums up, if a softmax seems to have made
/// them, are none that softmaxOf knows; empty if they seem to be no weights.
std::string softmaxObstacle(GenericOp product);

} // namespace heddle

#endif // HEDDLE_COMPILER_ATTENTION_SOFTMAXPATTERN_H
