// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions: the #heddle.contraction of a heddle.generic, and the dimensions
// that its factors have.

#ifndef HEDDLE_COMPILER_FUSION_CONTRACTION_H
#define HEDDLE_COMPILER_FUSION_CONTRACTION_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

struct MachineModel;

/// The tensor that an input of a contraction is read from: `input`, or all of
/// the matrices that it is a choice of (see choiceOf), which have as many
/// dimensions.
mlir::Value storedOf(mlir::Value input);

/// An op with a #heddle.contraction: one factor has the last dimension of the
/// result, and the other has not.
struct Contraction {
  unsigned columns; ///< the input of the elements of the one that has it
  unsigned rows;    ///< that of the other
  /// `columns`, and what its elements are decoded with.
  llvm::SmallVector<unsigned, 2> columnInputs;
  /// How many products of integers are added up before scales multiply them; 0
  /// where factors are floats.
  int64_t terms = 0;
  /// Whether products of two elements of bf16 may be added up at a time.
  bool pairs = false;
  /// Dimensions of `over` that only the rows have, and only the columns.
  llvm::SmallVector<unsigned> rowDimensions, columnDimensions;

  /// None of an op without that attribute.
  static std::optional<Contraction> of(GenericOp op);
  /// One that is computed in register tiles as it is.
  static std::optional<Contraction> inTiles(GenericOp op);

  /// Whether register tiles are worth it: one row of columns that are not in
  /// panels, or fewer than 16 columns, are sums like any other.
  bool hasTiles(GenericOp op) const;
  /// The dimension of rows with the most of them, if there are any: tiles have
  /// several of those.
  std::optional<unsigned> longestRow(GenericOp op) const;
  /// The dimension along which matrices of columns are chosen: neighbours often
  /// have the same.
  std::optional<unsigned> choiceDimension(GenericOp op) const;
  /// Whether integers are added up in blocks that are short on `machine`.
  bool hasShortBlocks(const MachineModel &machine) const;
  /// Whether several rows are multiplied in tile registers of `machine`: bytes,
  /// of which one row alone needs columns without a sign, or pairs of bf16.
  bool fitsTileRegisters(GenericOp op, const MachineModel &machine) const;
  /// Whether products are added up as integers: in register tiles, of columns
  /// that lie in groups of which each block of terms has whole ones.
  bool addsIntegers(GenericOp op) const;
  /// Whether they are added up in pairs.
  bool addsPairs(GenericOp op) const;
  /// The layout of the columns, if they are a weight in panels of them.
  LayoutAttr panels(GenericOp op) const;
  /// The dimension of one of `columnInputs` that is the result's last, if that
  /// is one as it is.
  std::optional<unsigned> columnCoordinate(GenericOp op, unsigned input) const;
  /// Whether columns lie side by side in their input, all of them or those of a
  /// panel.
  bool hasColumnsSideBySide(GenericOp op) const;
  /// Whether column n is read as number n mod p of panel n floordiv p.
  bool hasPackedColumns(GenericOp op) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_CONTRACTION_H
