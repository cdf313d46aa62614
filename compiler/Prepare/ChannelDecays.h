// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of gates, whose exponentials are decays, and products of tokens between
// which each channel decays by itself. Tokens are those of chunks: [batch,
// heads, n, C, channels].

#ifndef HEDDLE_COMPILER_PREPARE_CHANNELDECAYS_H
#define HEDDLE_COMPILER_PREPARE_CHANNELDECAYS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The sums along dimension 3 up to each token, or of what comes after it.
mlir::Value sumUpTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value gates);
mlir::Value sumAfter(mlir::OpBuilder &b, mlir::Location loc, mlir::Value gates);

/// x times exp(sums): one for all channels, or one for each.
mlir::Value multiplyExponential(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value x, mlir::Value sums);

/// Products of tokens x_i and k_j of a chunk whose C is a power of two.
struct DecayedProducts {
  mlir::Value x, keys, gates; ///< [batch, heads, n, C, channels]
  bool withDiagonal;          ///< or 0 where j = i
  mlir::Value strengths;      ///< [batch, heads, n, C], or null
};

/// sum over c of x_ic exp(g_c) k_jc, with g_c the sum of the gates after token
/// j up to token i, times strengths_i if there are any, where j <= i; 0
/// elsewhere: [batch, heads, n, C, C]. Where there is a diagonal, there are no
/// strengths.
mlir::Value multiplyDecayed(mlir::OpBuilder &b, mlir::Location loc,
                            const DecayedProducts &products);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_CHANNELDECAYS_H
