// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: what verifiers of several files share.

#ifndef HEDDLE_DIALECT_HEDDLE_VERIFICATION_H
#define HEDDLE_DIALECT_HEDDLE_VERIFICATION_H

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/ScoreSpace.h"
#include "dialect/Heddle/SizeRange.h"
#include "dialect/Heddle/Sizes.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// Checks that nothing reads `layer` of the value `cache` after its owner,
/// which changes that layer in place, or appends to the value.
mlir::LogicalResult verifyLastUse(mlir::OpOperand &cache, int64_t layer);

/// Checks `heddle.contraction`.
mlir::LogicalResult verifyContraction(mlir::Operation *op,
                                      mlir::Attribute attribute);

/// Checks `heddle.target` and `heddle.configuration`.
mlir::LogicalResult verifyConfiguration(mlir::Operation *op,
                                        mlir::NamedAttribute attribute);

/// Reports that `found`, the size that `what` tells of, is not `expected`.
mlir::LogicalResult expectSize(mlir::Operation *op, llvm::StringRef what,
                               SizeAttr expected, SizeAttr found);

/// Reports that `size` is neither 1 nor `target` in any call of the function
/// around `op`.
mlir::LogicalResult expectBroadcast(mlir::Operation *op, SizeAttr size,
                                    SizeAttr target);
/// Reports a size that is not broadcast to its target; `sizes` belong to the
/// last of `targets`.
mlir::LogicalResult expectBroadcasts(mlir::Operation *op,
                                     llvm::ArrayRef<SizeAttr> sizes,
                                     llvm::ArrayRef<SizeAttr> targets);

/// A range that holds all values of `size`, by the symbols that the function
/// around `op` declares.
SizeRange rangeIn(mlir::Operation *op, SizeAttr size);

/// Whether `size` is 0 or more in all calls of the function around `op`, which
/// declares what sizes may be (`heddle.symbols`).
bool isNeverNegativeIn(mlir::Operation *op, SizeAttr size);
/// Whether it is 1 or more.
bool isPositiveIn(mlir::Operation *op, SizeAttr size);
/// What an error says of a size that is not: what to do about it, if its value
/// is not known.
llvm::StringRef howToDeclare(SizeAttr size);

/// What `results` of an op of attention asks for; `output` where it is null.
llvm::SmallVector<AttentionResult> wantedOf(mlir::ArrayAttr results);

/// The type that attention of a query is computed in: f64 or f32.
mlir::FloatType computedTypeOf(mlir::Value query);

/// Checks that `kvHeads` divide `heads`.
mlir::LogicalResult verifyHeads(mlir::Operation *op, int64_t heads,
                                int64_t kvHeads);
/// Checks the factor of attention's scores.
mlir::LogicalResult verifyScale(mlir::Operation *op, double scale);
/// Checks that `mask`, if it is not null, fits the scores that `op` has.
mlir::LogicalResult checkMask(mlir::Operation *op, mlir::Value mask,
                              const ScoreSpace &space);

/// Checks the region `name` of an op of attention: the first `own` of its
/// arguments, and what it yields, are of `type`, or else f32, and of `rank`
/// dimensions, and the others are as the operands.
mlir::LogicalResult verifyRegion(mlir::Operation *op, llvm::StringRef name,
                                 mlir::Region &region,
                                 mlir::ValueRange operands, unsigned own,
                                 int64_t rank, mlir::Type type = {});

/// Gives the arguments of such a region the types of `own` and of the operands;
/// an error where the region says other sizes.
mlir::LogicalResult setArgumentTypes(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Region &region,
                                     llvm::ArrayRef<mlir::Type> own,
                                     mlir::ValueRange operands);

/// Checks that attention to a ring keeps no key that the ring does not hold.
mlir::LogicalResult checkRing(AttentionOp op);

/// Checks that `axis` is one of `rank` dimensions.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);
/// Checks that `axes` are dimensions, of `rank`, in ascending order.
mlir::LogicalResult verifyAxes(mlir::Operation *op,
                               llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The sizes that operands of `op` are broadcast to (heddle.broadcast_tensors).
/// Reports those that are not in any call.
mlir::FailureOr<Sizes> broadcastSizes(mlir::Operation *op,
                                      llvm::ArrayRef<Sizes> operands);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_VERIFICATION_H
