// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/ThreadParts.h"

#include <tuple>

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// An index of 64 bits with 32, which Halide knows more of.
class Narrow : public IRMutator {
  using IRMutator::visit;

  Expr visit(const Cast *op) override {
    return op->type == Halide::Int(64) && op->value.type() == Halide::Int(32)
               ? op->value
               : IRMutator::visit(op);
  }

  Expr visit(const IntImm *op) override {
    return op->type == Halide::Int(64)
               ? IntImm::make(Halide::Int(32), op->value)
               : Expr(op);
  }
};

} // namespace

MappingError ThreadPart::refuse(const std::string &name,
                                const std::string &why) {
  return {"'" + name +
          "' is in registers, of which each thread has a part, and " + why};
}

Expr ThreadPart::place(const std::string &name, const Expr &at,
                       const LoopNest &nest) {
  Expr index = Narrow().mutate(at);
  std::vector<int64_t> ownSteps, ownStrides;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const std::string &loop = nest.loops[i]->name;
    Expr next = Variable::make(Halide::Int(32), loop) + 1;
    Expr difference = simplify(substitute(loop, next, index) - index);
    const int64_t *stride = as_const_int(difference);
    const int64_t *extent = as_const_int(nest.extents[i]);
    if (!stride || !extent)
      throw refuse(name, "its elements do not lie evenly apart");
    ownSteps.push_back(*extent);
    ownStrides.push_back(*stride);
    // The place is that of the first thread.
    index = substitute(loop, nest.mins[i], index);
  }
  if (steps.empty())
    std::tie(steps, strides) = {ownSteps, ownStrides};
  if (std::tie(steps, strides) != std::tie(ownSteps, ownStrides))
    throw refuse(name, "not all loops over threads give a thread the same one");
  Expr place = simplify(index);
  const int64_t *known = as_const_int(place);
  if (known && last)
    last = std::max(*last, *known);
  else
    last.reset();
  return place;
}

std::vector<Expr> ThreadPart::sizeOf(const std::vector<Expr> &extents) const {
  return last ? std::vector<Expr>{Expr(int32_t(*last + 1))} : extents;
}
