// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/AbiStructs.h"

#include "dialect/Heddle/ElementTypes.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

AbiStructs::AbiStructs(MLIRContext *c)
    : pointer(LLVM::LLVMPointerType::get(c)) {
  auto integer = [&](unsigned bits) { return IntegerType::get(c, bits); };
  Type i8 = integer(8), i16 = integer(16), i32 = integer(32), i64 = integer(64);
  auto structOf = [&](ArrayRef<Type> fields) {
    return LLVM::LLVMStructType::getLiteral(c, fields);
  };
  frame = structOf(
      {pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer});
  context = structOf(
      {pointer, pointer, pointer, pointer, pointer, pointer, i64, pointer});
  event = structOf({pointer, pointer, i32, i32, i32, pointer});
  buffer = structOf(
      {i64, pointer, pointer, i64, i8, i8, i16, i32, pointer, pointer});
  dimension = structOf({i32, i32, i32, i32});
}

uint8_t AbiStructs::codeOf(Type type) { return findElementType(type)->code; }

LLVM::LLVMStructType AbiStructs::room(int64_t count) const {
  auto array = [](Type type, int64_t count) {
    return LLVM::LLVMArrayType::get(type, count);
  };
  return LLVM::LLVMStructType::getLiteral(
      pointer.getContext(), {event, array(pointer, count), array(buffer, count),
                             array(dimension, count * HEDDLE_MAX_RANK),
                             IntegerType::get(pointer.getContext(), 64)});
}
