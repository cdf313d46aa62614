// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_PREPARE_MASKFORMULA_H
#define HEDDLE_COMPILER_PREPARE_MASKFORMULA_H

#include "compiler/Prepare/GenericBuilder.h"

namespace heddle {

/// A mask as a truth value in the body of a heddle.generic whose first
/// dimensions are those of scores: for attention that has no tiles to skip.
class MaskFormula {
public:
  /// Adds the tensors that the mask reads to the tables of `builder`. `space`
  /// has the sizes of the scores.
  MaskFormula(GenericBuilder &builder, mlir::Value mask,
              const ScoreSpace &space);

  /// Whether the mask keeps the pair that `body` is at.
  Element keeps(GenericBody &body) const;

private:
  /// Truth values of masks that are in a body already: masks may share others.
  using Emitted = llvm::DenseMap<mlir::Value, mlir::Value>;

  void addTables(GenericBuilder &builder, mlir::Value mask,
                 llvm::DenseSet<mlir::Value> &visited);
  Element keeps(GenericBody &body, mlir::Value mask, Emitted &emitted) const;
  Element emit(GenericBody &body, mlir::Value mask, Emitted &emitted) const;
  /// The key at which a query stands, as i64.
  template <typename Op> Element diagonal(GenericBody &body, Op op) const;
  Element keepsWindow(GenericBody &body, WindowMaskOp op) const;
  Element keepsDense(GenericBody &body, DenseMaskOp op) const;
  /// A coordinate of the pair, as i64.
  Element coordinate(GenericBody &body, ScoreDim dim) const;
  /// An element of one of the tensors.
  Element read(GenericBody &body, mlir::Value table,
               llvm::ArrayRef<Element> at) const;

  mlir::Value mask;
  ScoreSpace space;
  llvm::DenseMap<mlir::Value, unsigned> tables;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_MASKFORMULA_H
