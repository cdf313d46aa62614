// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops about logits are made of: rows of a vocabulary, few and long.
//
// What reads all logits is to be shared by many tasks, so that rows are cut
// into blocks. Values that have one number for each row or block are read as
// tables where blocks are computed: were they inputs, one task would compute
// all of a row (compiler/Fusion/RowGroup.h).

#ifndef HEDDLE_COMPILER_PREPARE_LOGITROWS_H
#define HEDDLE_COMPILER_PREPARE_LOGITROWS_H

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Target/MachineModel.h"

namespace heddle {

class LogitRows {
public:
  /// The rows of `logits` [rows, vocabulary] of `op`.
  LogitRows(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value logits)
      : b(b), loc(op->getLoc()), logits(logits), rows(sizesOf(logits)),
        f32(b.getF32Type()),
        width(deviceOf(op).value_or(DeviceModel()).rowPart) {
    vocabulary = rows.pop_back_val();
    if (std::optional<int64_t> size = vocabulary.asNumber())
      width = std::min(*size, width);
  }

  SizeAttr number(int64_t value) {
    return SizeAttr::number(b.getContext(), value);
  }
  /// How many parts of `width` there are of `size`, at least one.
  SizeAttr countOf(SizeAttr size, int64_t width) {
    return floorDiv(size - number(1), number(width)) + number(1);
  }
  unsigned rank() const { return rows.size(); }

  /// A generic over [rows, more].
  GenericBuilder begin(Sizes more, Sizes reduce = {}) {
    Sizes over = rows;
    llvm::append_range(over, more);
    return GenericBuilder(b, loc, over, reduce);
  }
  /// Adds an input [rows, n] that is read at `last`.
  void addInput(GenericBuilder &g, mlir::Value value, mlir::AffineExpr last);
  /// Adds inputs [rows].
  void addRowInputs(GenericBuilder &g, mlir::ValueRange values);
  /// Adds tables, of which the logits come first.
  void addTables(GenericBuilder &g, mlir::ValueRange others);

  /// Element `place` of each row of a table [rows, n].
  Element read(GenericBody &body, unsigned table, Element place,
               std::optional<Element> fill = std::nullopt);
  /// The element of each row of a table [rows].
  Element readRow(GenericBody &body, unsigned table);
  /// A logit as f32, of table 0; those past the last are -infinity.
  Element logit(GenericBody &body, Element place);
  /// 1 of the largest logits, exp((x - largest) / temperature) of others; or 0
  /// of -infinity and where the temperature is not above 0.
  Element weight(Element x, Element largest, Element temperature);

  /// What `combine` makes of all elements of each row, in parts and then of
  /// these. `term` is the element at a place, of what `add` adds; past the
  /// vocabulary it is `initial`.
  mlir::Value reduce(double initial,
                     llvm::function_ref<void(GenericBuilder &)> add,
                     llvm::function_ref<Element(GenericBody &, Element)> term,
                     llvm::function_ref<Element(Element, Element)> combine);

  /// The largest logits [rows]; NaN where there is one.
  mlir::Value largest();

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value logits;
  Sizes rows;
  SizeAttr vocabulary;
  mlir::Type f32;
  int64_t width; ///< of the parts that rows are reduced in
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_LOGITROWS_H
