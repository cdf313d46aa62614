// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: a short way to write ops of the llvm dialect that
// work on the structs of runtime/heddle_abi.h.

#ifndef HEDDLE_COMPILER_HOST_ABICODE_H
#define HEDDLE_COMPILER_HOST_ABICODE_H

#include "compiler/Host/AbiStructs.h"

#include "mlir/Transforms/DialectConversion.h"

namespace heddle {

/// Each member writes its op where the builder is.
class AbiCode {
public:
  AbiCode(mlir::ConversionPatternRewriter &builder, mlir::Location loc)
      : b(builder), loc(loc), abi(builder.getContext()) {}

  mlir::Value number(unsigned bits, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getIntegerType(bits),
                                          value);
  }
  mlir::Value null() { return mlir::LLVM::ZeroOp::create(b, loc, abi.pointer); }
  mlir::Value text(llvm::StringRef symbol) {
    return mlir::LLVM::AddressOfOp::create(b, loc, abi.pointer, symbol);
  }
  mlir::Value field(mlir::Type type, mlir::Value base, unsigned index) {
    return mlir::LLVM::GEPOp::create(
        b, loc, abi.pointer, type, base,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{0, int32_t(index)});
  }
  mlir::Value element(mlir::Type type, mlir::Value base, int64_t index) {
    return mlir::LLVM::GEPOp::create(
        b, loc, abi.pointer, type, base,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{int32_t(index)});
  }
  mlir::Value load(mlir::Type type, mlir::Value address) {
    return mlir::LLVM::LoadOp::create(b, loc, type, address);
  }
  mlir::Value loadPointer(mlir::Type type, mlir::Value base, unsigned index) {
    return load(abi.pointer, field(type, base, index));
  }
  void store(mlir::Type type, mlir::Value base, unsigned index,
             mlir::Value value) {
    mlir::LLVM::StoreOp::create(b, loc, value, field(type, base, index));
  }
  mlir::Value truncate(mlir::Value value) {
    return mlir::LLVM::TruncOp::create(b, loc, b.getI32Type(), value);
  }
  /// if (status != 0) return status;
  void returnFailure(mlir::Value status) {
    mlir::Value failed = mlir::LLVM::ICmpOp::create(
        b, loc, mlir::LLVM::ICmpPredicate::ne, status, number(32, 0));
    mlir::Block *before = b.getInsertionBlock();
    mlir::Block *next = b.splitBlock(before, b.getInsertionPoint());
    mlir::Block *exit = b.createBlock(next);
    mlir::LLVM::ReturnOp::create(b, loc, status);
    b.setInsertionPointToEnd(before);
    mlir::LLVM::CondBrOp::create(b, loc, failed, exit, next);
    b.setInsertionPointToStart(next);
  }

  mlir::ConversionPatternRewriter &b;
  mlir::Location loc;
  AbiStructs abi;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_ABICODE_H
