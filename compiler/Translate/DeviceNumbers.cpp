// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/DeviceNumbers.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

static bool isHalf(Halide::Type type) {
  return type.is_float() && type.bits() == 16;
}

static Halide::Type bitsOf(Halide::Type type) {
  return isHalf(type) ? Halide::UInt(16, type.lanes()) : type;
}

Halide::Type DeviceNumbers::stored(Halide::Type type) {
  return type.is_bool() ? Halide::UInt(8, type.lanes()) : bitsOf(type);
}

//===-- Memory ------------------------------------------------------------===//

Expr DeviceNumbers::visit(const Load *op) {
  Expr value =
      Load::make(stored(op->type), op->name, mutate(op->index), op->image,
                 Parameter(), mutate(op->predicate), op->alignment);
  return op->type.is_bool() ? NE::make(value, make_zero(value.type())) : value;
}

Stmt DeviceNumbers::visit(const Allocate *op) {
  return Allocate::make(op->name, stored(op->type), op->memory_type,
                        op->extents, op->condition, mutate(op->body));
}

Stmt DeviceNumbers::visit(const Store *op) {
  Expr value = mutate(op->value);
  if (value.type().is_bool())
    value = Select::make(value, make_one(stored(value.type())),
                         make_zero(stored(value.type())));
  return Store::make(op->name, value, mutate(op->index), Parameter(),
                     mutate(op->predicate), op->alignment);
}

//===-- Numbers of 16 bits ------------------------------------------------===//

Expr DeviceNumbers::visit(const Variable *op) {
  return isHalf(op->type) ? Variable::make(bitsOf(op->type), op->name)
                          : Expr(op);
}

Expr DeviceNumbers::visit(const FloatImm *op) {
  if (!isHalf(op->type))
    return op;
  uint16_t bits = op->type.is_bfloat() ? Halide::bfloat16_t(op->value).to_bits()
                                       : Halide::float16_t(op->value).to_bits();
  return make_const(Halide::UInt(16), bits);
}

Expr DeviceNumbers::visit(const Cast *op) {
  Expr value = mutate(op->value);
  Halide::Type from = op->value.type(), to = op->type;
  if (isHalf(from))
    value = toFloat(value, from);
  if (!isHalf(to))
    return cast(to, value);
  return fromFloat(cast(Halide::Float(32, to.lanes()), value), to);
}

Expr DeviceNumbers::visit(const Call *op) {
  if (op->is_intrinsic(Call::reinterpret)) {
    Expr value = mutate(op->args[0]);
    Halide::Type type = bitsOf(op->type);
    return value.type() == type ? value : reinterpret(type, value);
  }
  // Its type follows from what is in it.
  if (op->is_intrinsic(Call::strict_float) && isHalf(op->type))
    return mutate(op->args[0]);
  return IRMutator::visit(op);
}

Expr DeviceNumbers::toFloat(const Expr &bits, Halide::Type half) {
  return convertedBy(
      half.is_bfloat() ? bfloat16_to_float32 : float16_to_float32, bits);
}

Expr DeviceNumbers::fromFloat(const Expr &number, Halide::Type half) {
  return convertedBy(
      half.is_bfloat() ? float32_to_bfloat16 : float32_to_float16, number);
}

// What Halide makes of a value, as this makes it.
Expr DeviceNumbers::convertedBy(Expr (*convert)(Expr), const Expr &value) {
  std::string name = unique_name("number");
  return Let::make(name, value,
                   mutate(convert(Variable::make(value.type(), name))));
}
