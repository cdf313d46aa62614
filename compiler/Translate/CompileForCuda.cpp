// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/DeviceNumbers.h"
#include "compiler/Translate/MapThreads.h"
#include "compiler/Translate/MemoryFile.h"
#include "compiler/Translate/OffloadKernels.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// The statement of one thread. What only a device has is a call of a function
/// that CodeGen/CudaCode.cpp knows.
class OfOneThread : public DeviceNumbers {
  using DeviceNumbers::visit;

  static Expr call(Halide::Type type, const char *function,
                   const std::vector<Expr> &arguments) {
    return Call::make(type, function, arguments, Call::PureExtern);
  }

  Stmt visit(const For *op) override {
    const char *number = op->name == kBlockVariable    ? "heddle_block"
                         : op->name == kThreadVariable ? "heddle_thread"
                                                       : nullptr;
    if (!number)
      return DeviceNumbers::visit(op);
    return LetStmt::make(op->name, call(Halide::Int(32), number, {}),
                         mutate(op->body));
  }

  Expr visit(const Call *op) override {
    if (op->is_intrinsic(Call::gpu_thread_barrier))
      return Call::make(op->type, "heddle_barrier", {}, Call::Extern);
    return DeviceNumbers::visit(op);
  }

  Stmt visit(const Allocate *op) override {
    if (op->name == kSharedMemory)
      return LetStmt::make(op->name,
                           call(Halide::type_of<void *>(), "heddle_shared", {}),
                           mutate(op->body));
    return Allocate::make(op->name, stored(op->type), Halide::MemoryType::Stack,
                          op->extents, op->condition, mutate(op->body));
  }

  Stmt visit(const Free *op) override {
    return op->name == kSharedMemory ? Evaluate::make(0) : Stmt(op);
  }

  Expr toFloat(const Expr &bits, Halide::Type half) override {
    if (half.is_bfloat())
      return DeviceNumbers::toFloat(bits, half);
    // Halide promises of other calls that they give numbers, and LLVM then
    // drops comparisons of NaN.
    return Halide::strict_float(
        call(Halide::Float(32), "heddle_f16_to_f32", {bits}));
  }

  Expr fromFloat(const Expr &number, Halide::Type half) override {
    return call(Halide::UInt(16),
                half.is_bfloat() ? "heddle_f32_to_bf16" : "heddle_f32_to_f16",
                {number});
  }
};

} // namespace

llvm::ErrorOr<std::string>
heddle::compileForCuda(const OffloadedKernel &kernel) {
  using Halide::Target;
  // The code generator is that of a CPU; what it may assume is not.
  Target target(Target::Linux, Target::X86, 64,
                {Target::NoRuntime, Target::NoBoundsQuery, Target::NoAsserts,
                 Target::LargeBuffers, Target::DisableLLVMLoopOpt});
  std::vector<LoweredArgument> arguments;
  for (const DeviceArgument &argument : kernel.arguments)
    arguments.emplace_back(argument.name, Halide::Argument::InputScalar,
                           argument.is_buffer
                               ? Halide::type_of<void *>()
                               : DeviceNumbers::stored(argument.type),
                           /*dimensions=*/0, Halide::ArgumentEstimates{});
  Halide::Module module(kernel.name, target);
  module.append(LoweredFunc(kernel.name, arguments,
                            OfOneThread().mutate(kernel.statement),
                            Halide::LinkageType::External));
  MemoryFile file;
  if (file.error())
    return file.error();
  module.compile({{Halide::OutputFileType::bitcode, file.path()}});
  auto written = file.read();
  if (!written)
    return written.getError();
  return (*written)->getBuffer().str();
}
