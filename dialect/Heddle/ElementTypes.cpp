// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/ElementTypes.h"

#include "dialect/Heddle/HeddleDialect.h"

using namespace mlir;
using namespace heddle;

template <typename Float> static Type floatType(MLIRContext *context) {
  return Float::get(context);
}

template <unsigned width,
          IntegerType::SignednessSemantics sign = IntegerType::Signless>
static Type integerType(MLIRContext *context) {
  return IntegerType::get(context, width, sign);
}

ArrayRef<ElementType> heddle::elementTypes() {
  constexpr auto kUnsigned = IntegerType::Unsigned;
  static constexpr ElementType types[] = {
      {floatType<Float32Type>, HEDDLE_TYPE_F32, 2, 32, "F32", "float"},
      {floatType<Float64Type>, HEDDLE_TYPE_F64, 2, 64, "F64", "double"},
      {floatType<BFloat16Type>, HEDDLE_TYPE_BF16, 4, 16, "BF16", "uint16_t"},
      {floatType<Float16Type>, HEDDLE_TYPE_F16, 2, 16, "F16", "uint16_t"},
      {floatType<Float8E4M3FNType>, HEDDLE_TYPE_F8E4M3, 5, 8, "F8_E4M3",
       "uint8_t"},
      {floatType<Float8E5M2Type>, HEDDLE_TYPE_F8E5M2, 2, 8, "F8_E5M2",
       "uint8_t"},
      {integerType<8>, HEDDLE_TYPE_I8, 0, 8, "I8", "int8_t"},
      {integerType<16>, HEDDLE_TYPE_I16, 0, 16, "I16", "int16_t"},
      {integerType<32>, HEDDLE_TYPE_I32, 0, 32, "I32", "int32_t"},
      {integerType<64>, HEDDLE_TYPE_I64, 0, 64, "I64", "int64_t"},
      {integerType<8, kUnsigned>, HEDDLE_TYPE_U8, 1, 8, "U8", "uint8_t"},
      {integerType<16, kUnsigned>, HEDDLE_TYPE_U16, 1, 16, "U16", "uint16_t"},
      {integerType<32, kUnsigned>, HEDDLE_TYPE_U32, 1, 32, "U32", "uint32_t"},
      {integerType<64, kUnsigned>, HEDDLE_TYPE_U64, 1, 64, "U64", "uint64_t"},
      {integerType<1>, HEDDLE_TYPE_I1, 1, 1, "BOOL", "uint8_t"},
      // Each in a byte of its own, where nothing packs them.
      {integerType<4>, HEDDLE_TYPE_I8, 0, 8, "I8", "int8_t"},
      {integerType<4, kUnsigned>, HEDDLE_TYPE_U8, 1, 8, "U8", "uint8_t"},
  };
  return types;
}

const ElementType *heddle::findElementType(Type type) {
  for (const ElementType &known : elementTypes())
    if (known.get(type.getContext()) == type)
      return &known;
  return nullptr;
}

const ElementType *heddle::findElementType(heddle_type type) {
  for (const ElementType &known : elementTypes())
    if (known.type == type)
      return &known;
  return nullptr;
}

TypedAttr heddle::scalarOf(TypedAttr element) {
  auto integer = dyn_cast<IntegerAttr>(element);
  if (!integer)
    return element;
  return IntegerAttr::get(scalarTypeOf(integer.getType()), integer.getValue());
}
