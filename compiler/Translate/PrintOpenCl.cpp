// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/OffloadKernels.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// What OpenCL C has no name for, or another meaning. Without extensions it has
/// no bf16 and f16, of which only bits are left here: they are loaded, stored
/// and converted, and computed with in f32. And kernels take no pointers to
/// bool.
class ToOpenCl : public IRMutator {
public:
  static Halide::Type stored(Halide::Type type) {
    return type.is_bool() ? Halide::UInt(8, type.lanes()) : bitsOf(type);
  }

private:
  using IRMutator::visit;

  static bool isHalf(Halide::Type type) {
    return type.is_float() && type.bits() == 16;
  }
  static Halide::Type bitsOf(Halide::Type type) {
    return isHalf(type) ? Halide::UInt(16, type.lanes()) : type;
  }

  //===-- Memory ----------------------------------------------------------===//

  Expr visit(const Load *op) override {
    Expr value =
        Load::make(stored(op->type), op->name, mutate(op->index), op->image,
                   Parameter(), mutate(op->predicate), op->alignment);
    return op->type.is_bool() ? NE::make(value, make_zero(value.type()))
                              : value;
  }

  Stmt visit(const Allocate *op) override {
    return Allocate::make(op->name, stored(op->type), op->memory_type,
                          op->extents, op->condition, mutate(op->body));
  }

  Stmt visit(const Store *op) override {
    Expr value = mutate(op->value);
    if (value.type().is_bool())
      value = Select::make(value, make_one(stored(value.type())),
                           make_zero(stored(value.type())));
    return Store::make(op->name, value, mutate(op->index), Parameter(),
                       mutate(op->predicate), op->alignment);
  }

  // Of remainders Halide prints a mask that it computes with 32 bits.
  Expr visit(const Mod *op) override {
    int bits = 0;
    if (op->type.bits() <= 32 || !is_const_power_of_two_integer(op->b, &bits))
      return IRMutator::visit(op);
    Expr mask = make_const(op->type, (int64_t(1) << bits) - 1);
    return Call::make(op->type, Call::bitwise_and, {mutate(op->a), mask},
                      Call::PureIntrinsic);
  }

  //===-- Numbers of 16 bits ----------------------------------------------===//

  Expr visit(const Variable *op) override {
    return isHalf(op->type) ? Variable::make(bitsOf(op->type), op->name)
                            : Expr(op);
  }

  Expr visit(const FloatImm *op) override {
    if (!isHalf(op->type))
      return op;
    uint16_t bits = op->type.is_bfloat()
                        ? Halide::bfloat16_t(op->value).to_bits()
                        : Halide::float16_t(op->value).to_bits();
    return make_const(Halide::UInt(16), bits);
  }

  Expr visit(const Cast *op) override {
    Expr value = mutate(op->value);
    Halide::Type from = op->value.type(), to = op->type;
    if (isHalf(from))
      value = converted(value, from.is_bfloat() ? bfloat16_to_float32
                                                : float16_to_float32);
    if (!isHalf(to))
      return cast(to, value);
    return converted(cast(Halide::Float(32, to.lanes()), value),
                     to.is_bfloat() ? float32_to_bfloat16 : float32_to_float16);
  }

  // What Halide makes of a value, as this makes it.
  Expr converted(const Expr &value, Expr (*convert)(Expr)) {
    std::string name = unique_name("number");
    return Let::make(name, value,
                     mutate(convert(Variable::make(value.type(), name))));
  }

  Expr visit(const Call *op) override {
    if (op->is_intrinsic(Call::reinterpret)) {
      Expr value = mutate(op->args[0]);
      Halide::Type type = bitsOf(op->type);
      return value.type() == type ? value : reinterpret(type, value);
    }
    // Its type follows from what is in it.
    if (op->is_intrinsic(Call::strict_float) && isHalf(op->type))
      return mutate(op->args[0]);
    // OpenCL's round takes ties away from 0.
    if (op->name == "round_f32")
      return Call::make(op->type, "rint", {mutate(op->args[0])},
                        Call::PureExtern);
    return IRMutator::visit(op);
  }

  //===-- Extrema ---------------------------------------------------------===//

  // OpenCL's are undefined of NaN; arith.maximumf is NaN then.
  static Expr extremum(const Expr &a, const Expr &b, const Expr &isFirst) {
    Expr isNaN =
        Call::make(Halide::Bool(), "is_nan_f32", {a}, Call::PureExtern);
    return Select::make(Or::make(isNaN, isFirst), a, b);
  }

  Expr visit(const Max *op) override {
    Expr a = mutate(op->a), b = mutate(op->b);
    return a.type().is_float() ? extremum(a, b, LT::make(b, a))
                               : Max::make(a, b);
  }

  Expr visit(const Min *op) override {
    Expr a = mutate(op->a), b = mutate(op->b);
    return a.type().is_float() ? extremum(a, b, LT::make(a, b))
                               : Min::make(a, b);
  }
};

} // namespace

std::string heddle::printOpenCl(const OffloadedKernel &kernel) {
  OffloadedKernel printed = kernel;
  printed.statement = ToOpenCl().mutate(kernel.statement);
  for (DeviceArgument &argument : printed.arguments)
    if (argument.is_buffer)
      argument.type = ToOpenCl::stored(argument.type);
  auto printer = new_CodeGen_OpenCL_Dev(
      Halide::Target(Halide::Target::Linux, Halide::Target::X86, 64,
                     {Halide::Target::OpenCL}));
  printer->init_module();
  printer->add_kernel(printed.statement, printed.name, printed.arguments);
  std::vector<char> text = printer->compile_to_src();
  return std::string(text.data()); // it ends with a zero
}
