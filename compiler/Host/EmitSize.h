// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes as code: ops of arith over the symbols of an entry point.

#ifndef HEDDLE_COMPILER_HOST_EMITSIZE_H
#define HEDDLE_COMPILER_HOST_EMITSIZE_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Emits sizes where a builder stands, each once.
class SizeEmitter {
public:
  /// `symbols` are index values, or i64 ones where overflow is checked: then
  /// `fits()` says whether all sizes so far have a value of 64 bits.
  SizeEmitter(mlir::OpBuilder builder, mlir::Location loc,
              llvm::StringMap<mlir::Value> symbols, bool checksOverflow)
      : b(builder), loc(loc), symbols(std::move(symbols)),
        checksOverflow(checksOverflow) {}

  /// The value of `size`, of the type of the symbols.
  mlir::Value emit(SizeAttr size);

  /// An i1; all is well where nothing can overflow.
  mlir::Value fits();

private:
  mlir::Value number(int64_t value);
  mlir::Value emitNew(SizeAttr size);
  mlir::Value emitFunction(SizeAttr size);
  mlir::Value divide(SizeAttr quotient);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  void demand(mlir::Value condition);

  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::StringMap<mlir::Value> symbols;
  bool checksOverflow;
  mlir::Value allFit;
  llvm::DenseMap<SizeAttr, mlir::Value> emitted;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_EMITSIZE_H
