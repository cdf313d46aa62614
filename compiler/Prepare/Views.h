// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic ops that are computed wherever they are read, and coordinates
// of what they read.

#ifndef HEDDLE_COMPILER_PREPARE_VIEWS_H
#define HEDDLE_COMPILER_PREPARE_VIEWS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Whether `op` reads one element and changes nothing.
bool isView(GenericOp op);

/// Whether it is a cast, or an element that depends on its index alone.
bool isCheap(GenericOp op);

/// Where `op` reads input `index`, in its own dimensions, simplified.
Sizes simplifiedCoordinates(GenericOp op, unsigned index);

/// Makes `op` read input `index` at `at`, which maps can say.
void setCoordinates(GenericOp op, unsigned index, const Sizes &at);

/// Whether `op` reads input `index` at some of its dimensions as they are, and
/// no less of it than all.
bool readsWhole(GenericOp op, unsigned index);

/// A coordinate of a heddle.generic, as one of an op of these extents that
/// reads its result at `at`.
SizeAttr composeCoordinate(SizeAttr coordinate, llvm::ArrayRef<SizeAttr> at,
                           llvm::ArrayRef<SizeAttr> extents);

/// The coordinate with x in place of (x floordiv n) * n + x mod n.
SizeAttr rejoin(SizeAttr coordinate);

/// The number that divided by `divisor` gives these; null where there is none.
SizeAttr findDividend(SizeAttr quotient, SizeAttr remainder, SizeAttr divisor);

/// The value of a coordinate in a body, of the values of dimensions that it
/// uses, in numbers that do not wrap around: kernels take no sizes with which
/// they would (see forEachDividend).
mlir::Value
emitCoordinate(mlir::ImplicitLocOpBuilder &b, SizeAttr coordinate,
               llvm::function_ref<mlir::Value(unsigned dimension)> valueOf);

/// A heddle.generic that reads `value` at `at`, in dimensions of these extents;
/// null where no map can say so. Of another element type it is a cast, and
/// where that is all of it, `value`.
mlir::Value buildView(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      const Sizes &over, const Sizes &at, mlir::Type type);

/// Whether what `producer` reads of a cache has been changed by the time that
/// `op` is computed.
bool readsOldCache(GenericOp producer, mlir::Operation *op);

/// All matrices that those of an op with kChoiceAttr are chosen from; null of
/// anything else.
mlir::OpOperand *choiceOf(mlir::Value matrices);

/// Whether the kernel of what reads `op` computes it where it is read: a view
/// or a cast that attention alone reads, for queries, keys or values, and whose
/// channels lie side by side; elements that are appended to a cache, if no
/// cache is read for them; and matrices that are chosen, if contractions alone
/// read them, as columns.
bool isOperandView(GenericOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_VIEWS_H
