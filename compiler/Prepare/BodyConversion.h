// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region of an op of linalg or tensor as the body of a heddle.generic:
// numbers from outside are made again inside, indices become integers, and
// tensor.extract becomes heddle.read. So do numbers that only control flow
// knows, of a heddle.from_number.

#ifndef HEDDLE_COMPILER_PREPARE_BODYCONVERSION_H
#define HEDDLE_COMPILER_PREPARE_BODYCONVERSION_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {

/// The tensors of which `body`, or one of the numbers that it takes, reads
/// elements: the tables of its heddle.generic. Those of numbers that only
/// control flow knows are created, with `b`.
llvm::SetVector<mlir::Value> tablesOf(mlir::Block &body, mlir::OpBuilder &b,
                                      mlir::ValueRange numbers = {});
/// The same of numbers alone.
llvm::SetVector<mlir::Value> tablesOf(mlir::ValueRange numbers,
                                      mlir::OpBuilder &b);

class BodyConversion {
public:
  /// Of the region of `op`; `b` stands in the block of `generic`, which has its
  /// arguments already.
  BodyConversion(mlir::Operation *op, GenericOp generic,
                 mlir::ArrayRef<mlir::Value> tables, mlir::OpBuilder &b)
      : op(op), generic(generic), tables(tables), b(b) {}

  /// Says what `from`, an argument of the region, is in the body.
  void map(mlir::Value from, mlir::Value to) { mapping.map(from, to); }
  /// Says that it is the coordinate along `dimension`.
  void mapIndex(mlir::Value from, unsigned dimension);
  /// A number from outside of the region. Reports one that cannot be made here.
  mlir::FailureOr<mlir::Value> bring(mlir::Value number);

  /// Converts the ops of `body`. What linalg.index calls dimension d is
  /// `dimensions[d]`.
  mlir::LogicalResult convert(mlir::Block &body,
                              llvm::ArrayRef<unsigned> dimensions);
  /// What the terminator of `body` hands on.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> yielded(mlir::Block &body);

private:
  mlir::LogicalResult make(mlir::Value number);
  mlir::Value readNumber(mlir::Value number);
  mlir::LogicalResult convert(mlir::Operation &inner);
  mlir::LogicalResult convertExtract(mlir::tensor::ExtractOp extract);
  void convertSize(mlir::Operation &inner, SizeAttr size);
  void convertConstant(mlir::arith::ConstantIndexOp constant);
  void convertCast(mlir::Operation &cast);
  mlir::Operation *compute(mlir::Operation &inner, mlir::Type type);
  void findCoordinates(mlir::Block &body);
  bool computeIn32(mlir::Operation &inner);

  mlir::Operation *op;
  GenericOp generic;
  mlir::ArrayRef<mlir::Value> tables;
  mlir::OpBuilder &b;
  mlir::IRMapping mapping; ///< an index is an i32 or an i64
  llvm::DenseSet<mlir::Operation *> coordinates;
  static constexpr unsigned kDeepest = 1000;
  unsigned depth = 0; ///< of what is being made for something else
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_BODYCONVERSION_H
