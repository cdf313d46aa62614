// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/ThreadParts.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// An index of 64 bits with 32, which Halide knows more of.
class Narrow : public IRMutator {
public:
  using IRMutator::mutate;

  Expr mutate(const Expr &index) override {
    bool isOperator = index.as<Add>() || index.as<Sub>() || index.as<Mul>() ||
                      index.as<Cast>() || index.as<IntImm>();
    if (index.type() == Halide::Int(64) && !isOperator)
      return Cast::make(Halide::Int(32), index);
    return IRMutator::mutate(index);
  }

private:
  using IRMutator::visit;

  Expr visit(const Cast *op) override {
    if (op->type != Halide::Int(64))
      return op;
    return Halide::cast(Halide::Int(32), op->value);
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
  std::vector<Loop> ownLoops;
  for (size_t i = nest.loops.size(); i-- > 0;) {
    const std::string &loop = nest.loops[i]->name;
    Expr next = Variable::make(Halide::Int(32), loop) + 1;
    Expr difference = simplify(substitute(loop, next, index) - index);
    const int64_t *stride = as_const_int(difference);
    const int64_t *steps = as_const_int(nest.extents[i]);
    if (!stride || !steps)
      throw refuse(name, "its elements do not lie evenly apart");
    if (*steps > 1)
      ownLoops.push_back({*steps, *stride});
    // The place is that of the first thread.
    index = substitute(loop, nest.mins[i], index);
  }
  if (areOfFirst(loops, ownLoops))
    loops = ownLoops;
  else if (!areOfFirst(ownLoops, loops))
    throw refuse(name, "not all loops over threads give a thread the same one");
  Expr place = simplify(index);
  const int64_t *known = as_const_int(place);
  if (!known)
    throw refuse(name, "loops over the elements of one are not unrolled");
  if (*known < 0)
    throw refuse(name, "the first thread's begins before the func does");
  places.insert(*known);
  return place;
}

// Threads are numbered from the innermost loop on, so that fewer steps of the
// outermost loop, or none, are those of the first threads.
bool ThreadPart::areOfFirst(const std::vector<Loop> &some,
                            const std::vector<Loop> &all) {
  if (some.size() > all.size())
    return false;
  for (size_t i = 0; i < some.size(); ++i) {
    bool isOutermost = i + 1 == some.size();
    if (some[i].stride != all[i].stride || some[i].steps > all[i].steps ||
        (some[i].steps < all[i].steps && !isOutermost))
      return false;
  }
  return true;
}

std::vector<Expr> ThreadPart::sizeOf(const std::string &name,
                                     const std::vector<Expr> &extents) const {
  // How far apart the elements of two threads are.
  std::set<int64_t> distances = {0};
  for (const Loop &loop : loops) {
    std::set<int64_t> nearer = distances;
    for (int64_t step = 1; step < loop.steps && loop.stride; ++step)
      for (int64_t distance : nearer)
        distances.insert(
            {distance + step * loop.stride, distance - step * loop.stride});
  }
  for (int64_t one : places)
    for (int64_t other : places)
      if (one != other && distances.count(other - one))
        throw refuse(name, "a thread reads or writes what another one has");
  return places.empty() ? extents
                        : std::vector{Expr(int32_t(*places.rbegin() + 1))};
}
