// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/LibraryFunctions.h"
#include "compiler/Translate/DeviceNumbers.h"
#include "compiler/Translate/OffloadKernels.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// What OpenCL C has no name for, or another meaning. Without extensions it has
/// no bf16 and f16, and kernels take no pointers to bool.
class ToOpenCl : public DeviceNumbers {
  using DeviceNumbers::visit;

  // Halide prints constants of 64 bits as the nearest ones of 32.
  Expr visit(const FloatImm *op) override {
    if (op->type.bits() < 64)
      return DeviceNumbers::visit(op);
    Expr bits =
        make_const(Halide::UInt(64), llvm::bit_cast<uint64_t>(op->value));
    return reinterpret(op->type, bits);
  }

  // Of remainders Halide prints a mask that it computes with 32 bits.
  Expr visit(const Mod *op) override {
    int bits = 0;
    if (op->type.bits() <= 32 || !is_const_power_of_two_integer(op->b, &bits))
      return DeviceNumbers::visit(op);
    Expr mask = make_const(op->type, (int64_t(1) << bits) - 1);
    return Call::make(op->type, Call::bitwise_and, {mutate(op->a), mask},
                      Call::PureIntrinsic);
  }

  Expr visit(const Call *op) override {
    // OpenCL's round takes ties away from 0.
    if (op->name == "round_f32" || op->name == "round_f64")
      return Call::make(op->type, "rint", {mutate(op->args[0])},
                        Call::PureExtern);
    llvm::StringRef function = op->name;
    if (function.consume_front(kLibraryPrefix))
      return Call::make(op->type, function.str(), mutate(op->args),
                        Call::PureExtern);
    if (op->is_intrinsic(Call::popcount))
      return bits("popcount", mutate(op->args[0]));
    if (op->is_intrinsic(Call::count_leading_zeros))
      return bits("clz", mutate(op->args[0]));
    if (op->is_intrinsic(Call::count_trailing_zeros))
      return trailingZeros(mutate(op->args[0]));
    return DeviceNumbers::visit(op);
  }

  //===-- Bits ------------------------------------------------------------===//

  static Expr bits(const char *function, const Expr &value) {
    return Call::make(value.type(), function, {value}, Call::PureExtern);
  }

  // Before version 2.0 there is no ctz. The zeros are the ones of what is below
  // the lowest one.
  static Expr trailingZeros(const Expr &value) {
    Halide::Type type = value.type().with_code(halide_type_uint);
    Expr number = reinterpret(type, value);
    return reinterpret(value.type(),
                       bits("popcount", ~number & (number - make_one(type))));
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

namespace {
/// Whether a kernel computes with numbers of 64 bits, which not all devices do.
class FindDoubles : public IRVisitor {
public:
  bool isFound = false;

private:
  using IRVisitor::visit;
  // What has such a type has it from one of these.
  template <typename Node> void look(const Node *op) {
    isFound |= op->type.is_float() && op->type.bits() == 64;
    IRVisitor::visit(op);
  }
  void visit(const Cast *op) override { look(op); }
  void visit(const FloatImm *op) override { look(op); }
  void visit(const Load *op) override { look(op); }
  void visit(const Call *op) override { look(op); } // reinterpret is one
};
} // namespace

static std::unique_ptr<CodeGen_GPU_Dev> beginProgram(bool hasDoubles) {
  Halide::Target target(Halide::Target::Linux, Halide::Target::X86, 64,
                        {Halide::Target::OpenCL});
  if (hasDoubles)
    target.set_feature(Halide::Target::CLDoubles);
  auto printer = new_CodeGen_OpenCL_Dev(target);
  printer->init_module();
  return printer;
}

static std::string textOf(CodeGen_GPU_Dev &printer) {
  return printer.compile_to_src().data(); // it ends with a zero
}

OpenClText heddle::printOpenCl(const OffloadedKernel &kernel) {
  OffloadedKernel printed = kernel;
  printed.statement = ToOpenCl().mutate(kernel.statement);
  for (DeviceArgument &argument : printed.arguments)
    if (argument.is_buffer)
      argument.type = DeviceNumbers::stored(argument.type);
  FindDoubles doubles;
  printed.statement.accept(&doubles);
  auto printer = beginProgram(doubles.isFound);
  size_t begin = textOf(*printer).size();
  printer->add_kernel(printed.statement, printed.name, printed.arguments);
  return {textOf(*printer).substr(begin), doubles.isFound};
}

std::string heddle::joinOpenCl(llvm::ArrayRef<OpenClText> kernels) {
  std::string program = textOf(*beginProgram(llvm::any_of(
      kernels, [](const OpenClText &kernel) { return kernel.hasDoubles; })));
  for (const OpenClText &kernel : kernels)
    program += kernel.text;
  return program;
}
