// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the sizes of a function count, as the ops say that use them.

#ifndef HEDDLE_COMPILER_PREPARE_SIZEROLES_H
#define HEDDLE_COMPILER_PREPARE_SIZEROLES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/StringSet.h"

namespace heddle {

/// Whether positions in `cache`, or in one that it becomes, are found by a
/// table of pages.
bool isPool(mlir::Value cache);

/// Only ops and caches whose dimensions have a meaning give sizes one: tokens
/// of attention, caches, rotations, and what is chosen of them, [batch, length,
/// ...]; the ids of embeddings; and caches themselves, [batch, capacity], but
/// for pools, which are [pages, positions of one].
class SizeRoles {
public:
  explicit SizeRoles(mlir::func::FuncOp function);

  /// A size may have several: the capacity of a cache that is read is a length
  /// of keys, too.
  bool isBatch(llvm::StringRef size) const { return batches.contains(size); }
  bool isLength(llvm::StringRef size) const { return lengths.contains(size); }
  /// The one that is declared: the most special.
  SymbolRole roleOf(llvm::StringRef size) const;

private:
  void add(mlir::Operation *op);
  void addTokens(mlir::Value tokens);

  llvm::StringSet<> batches;    ///< sequences
  llvm::StringSet<> lengths;    ///< tokens of a sequence
  llvm::StringSet<> capacities; ///< positions of a cache
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_SIZEROLES_H
