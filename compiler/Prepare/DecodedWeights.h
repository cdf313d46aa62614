// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of narrow numbers, which are widened, and decoded with others, where
// they are read: a copy would be made anew in each call, and be larger.

#ifndef HEDDLE_COMPILER_PREPARE_DECODEDWEIGHTS_H
#define HEDDLE_COMPILER_PREPARE_DECODEDWEIGHTS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Whether an op is computed when weights are packed, and by no kernel: it
/// unpacks words, makes half bytes, or searches for scales.
bool isOfWeightsAlone(mlir::Operation *op);

/// Whether weights alone have a part in a value.
bool followsFromWeights(mlir::Value value);

/// Whether `matrix` is bf16, of weights alone, or the same as f32.
bool isOfBFloats(mlir::Value matrix);

/// Whether `op` makes wider numbers of narrower ones, by casts, products and
/// differences alone.
bool decodes(GenericOp op);

/// Whether `op` decodes a weight of narrower numbers, or matrices chosen from
/// one, and does nothing else.
bool decodesWeight(GenericOp op);

/// Elements of tables that such ops make are decoded where `op` reads them.
void decodeTables(GenericOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_DECODEDWEIGHTS_H
