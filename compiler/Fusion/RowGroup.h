// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic ops that one kernel computes row by row: softmax is a maximum,
// exponentials, their sum and a quotient for one row after the other.

#ifndef HEDDLE_COMPILER_FUSION_ROWGROUP_H
#define HEDDLE_COMPILER_FUSION_ROWGROUP_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

class RowGroup {
public:
  /// Elements of a row that a task may keep, all values together; those of 8
  /// bytes count twice.
  static constexpr int64_t kLargestRow = 16 * 1024;

  /// A group of one op, whose dimensions of `over` are all dimensions of rows,
  /// but for those of one element.
  explicit RowGroup(GenericOp first);

  /// Adds `op` if each row of its results needs just one row of the members,
  /// and what is between them may be kept or computed again. A contraction is
  /// added to others with the same extents.
  bool accepts(GenericOp op);

  /// Of a member, the dimensions of `over` that count rows, one for each that
  /// the group's rows have, in the same order for all members.
  llvm::ArrayRef<unsigned> rowDimensions(GenericOp op) const;
  /// Whether a task keeps a row of the member's results: what is read once, for
  /// each element, is computed where it is read.
  bool isKept(GenericOp op) const;

private:
  struct Member {
    GenericOp op;
    llvm::SmallVector<unsigned> rows;
  };

  const Member *member(mlir::Operation *op) const;
  bool areSiblings(GenericOp op) const;
  bool sharesReductions(GenericOp op) const;
  bool fits() const;

  llvm::SmallVector<Member> members;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_ROWGROUP_H
