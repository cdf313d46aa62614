// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/LiftBarriers.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

class FindBarrier : public IRVisitor {
public:
  bool isFound = false;

private:
  using IRVisitor::visit;
  void visit(const Call *op) override {
    isFound |= op->is_intrinsic(Call::gpu_thread_barrier);
    IRVisitor::visit(op);
  }
};

/// Whether a value can be computed where nothing says that it may: it reads no
/// memory, and divides by no number that is not known.
class IsHarmless : public IRVisitor {
public:
  static bool is(const Expr &value) {
    IsHarmless visitor;
    value.accept(&visitor);
    return visitor.isHarmless;
  }

private:
  using IRVisitor::visit;
  void visit(const Load *op) override { isHarmless = false; }
  void visit(const Div *op) override { divide(op); }
  void visit(const Mod *op) override { divide(op); }

  template <typename Op> void divide(const Op *op) {
    isHarmless &= is_const(op->b);
    IRVisitor::visit(op);
  }

  bool isHarmless = true;
};

class LiftBarriers {
public:
  static Stmt outOf(const Expr &condition, const Stmt &body) {
    std::string name = unique_name("is");
    LiftBarriers lift{Variable::make(Halide::Bool(), name)};
    Stmt lifted = lift.guard(body);
    return lift.isPossible ? LetStmt::make(name, condition, lifted) : Stmt();
  }

private:
  explicit LiftBarriers(Expr condition) : condition(std::move(condition)) {}

  Stmt guard(const Stmt &s) {
    if (!hasBarrier(s))
      return IfThenElse::make(condition, s);
    if (auto *block = s.as<Block>())
      return Block::make(guard(block->first), guard(block->rest));
    if (s.as<Evaluate>())
      return s;
    if (auto *memory = s.as<Allocate>())
      return Allocate::make(memory->name, memory->type, memory->memory_type,
                            memory->extents, memory->condition,
                            guard(memory->body));
    if (auto *let = s.as<LetStmt>()) {
      isPossible &= IsHarmless::is(let->value);
      return LetStmt::make(let->name, let->value, guard(let->body));
    }
    if (auto *loop = s.as<For>()) {
      isPossible &= IsHarmless::is(loop->min) && IsHarmless::is(loop->extent);
      return For::make(loop->name, loop->min,
                       select(condition, loop->extent, 0), loop->for_type,
                       loop->device_api, loop->body);
    }
    isPossible = false;
    return s;
  }

  Expr condition;
  bool isPossible = true;
};

} // namespace

Stmt heddle::makeBarrier() {
  Expr fence = IntImm::make(Halide::Int(32),
                            CodeGen_GPU_Dev::MemoryFenceType::Device |
                                CodeGen_GPU_Dev::MemoryFenceType::Shared);
  return Evaluate::make(Call::make(Halide::Int(32), Call::gpu_thread_barrier,
                                   {fence}, Call::Intrinsic));
}

bool heddle::hasBarrier(const Stmt &statement) {
  FindBarrier visitor;
  statement.accept(&visitor);
  return visitor.isFound;
}

Stmt heddle::liftBarriers(const Expr &condition, const Stmt &body) {
  return LiftBarriers::outOf(condition, body);
}
