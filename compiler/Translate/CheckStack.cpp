// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/CheckStack.h"

#include <algorithm>

using namespace Halide::Internal;

namespace {
class StackVisitor : public IRVisitor {
public:
  int64_t most = 0;

private:
  using IRVisitor::visit;

  void visit(const Allocate *op) override {
    int64_t bytes = isOnStack(op) ? bytesOf(op) : 0;
    taken += bytes;
    most = std::max(most, taken);
    IRVisitor::visit(op);
    taken -= bytes;
  }

  static bool isOnStack(const Allocate *op) {
    return op->memory_type == Halide::MemoryType::Stack ||
           op->memory_type == Halide::MemoryType::Register;
  }

  static int64_t bytesOf(const Allocate *op) {
    // So much that sums of it do not overflow.
    constexpr int64_t unknown = int64_t(1) << 48;
    int64_t bytes = op->type.bytes();
    for (const Halide::Expr &extent : op->extents) {
      const int64_t *number = as_const_int(extent);
      if (!number || *number > unknown / std::max<int64_t>(bytes, 1))
        return unknown;
      bytes *= std::max<int64_t>(*number, 0);
    }
    return bytes;
  }

  int64_t taken = 0;
};
} // namespace

int64_t heddle::stackBytes(const Halide::Module &module) {
  StackVisitor visitor;
  for (const LoweredFunc &function : module.functions())
    function.body.accept(&visitor);
  return visitor.most;
}
