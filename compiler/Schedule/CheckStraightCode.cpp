// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much straight code a schedule asks for: the steps of loops that are
// unrolled or that become vectors, times each other.

#include "compiler/Schedule/Passes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using heddle::halide::BoundExtentOp;
using heddle::halide::BoundOp;
using heddle::halide::ScheduleOp;
using heddle::halide::SpecializeOp;
using heddle::halide::TileOp;
using heddle::halide::UnrollOp;
using heddle::halide::VectorizeOp;

namespace {

/// The loops of one stage, as far as their numbers of steps are known.
struct Loops {
  llvm::StringMap<int64_t> steps;
  int64_t elements = 1; ///< of straight code
};

class StraightCode {
public:
  explicit StraightCode(ScheduleOp schedule) {
    schedule.walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<BoundOp, BoundExtentOp>(
          [&](auto op) {
            promised[op.getFunc()][op.getVar()] = op.getExtent();
          });
    });
  }

  // The stages of a specialization begin as they are at its place.
  LogicalResult check(Block &directives) {
    for (Operation &directive : directives) {
      if (failed(visit(&directive)))
        return failure();
      if (auto specialize = dyn_cast<SpecializeOp>(directive)) {
        StraightCode inside = *this;
        if (failed(inside.check(specialize.getBody().front())))
          return failure();
      }
    }
    return success();
  }

private:
  Loops &loopsOf(StringRef func, std::optional<uint64_t> update) {
    std::string key = func.str();
    if (update)
      key += " " + std::to_string(*update);
    auto [found, isNew] = stages.try_emplace(key);
    // What is promised of a func's dimensions holds in each stage.
    if (isNew)
      found->second.steps = promised[func];
    return found->second;
  }

  LogicalResult visit(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](halide::SplitOp op) {
          loopsOf(op.getFunc(), op.getUpdate()).steps[op.getInner()] =
              op.getFactor();
          return success();
        })
        .Case([&](TileOp op) {
          Loops &loops = loopsOf(op.getFunc(), op.getUpdate());
          for (auto [inner, factor] :
               llvm::zip_equal(op.getInners().getAsValueRange<StringAttr>(),
                               op.getFactors()))
            loops.steps[inner] = factor;
          return success();
        })
        .Case<VectorizeOp, UnrollOp>([&](auto op) { return multiply(op); })
        .Default([](Operation *) { return success(); });
  }

  template <typename Op> LogicalResult multiply(Op op) {
    Loops &loops = loopsOf(op.getFunc(), op.getUpdate());
    auto known = loops.steps.find(op.getVar());
    int64_t all = known == loops.steps.end() ? 0 : known->second;
    int64_t steps = op.getFactor() ? int64_t(*op.getFactor()) : all;
    // Of a loop whose steps are not known Halide says so itself.
    if (steps == 0)
      return success();
    // What is left of the loop are vectors, or steps of several elements.
    if (all)
      loops.steps[op.getVar()] = llvm::divideCeil(all, steps);
    if (steps <= kMostStraightElements / loops.elements) {
      loops.elements *= steps;
      return success();
    }
    return op.emitError("expected at most ")
           << kMostStraightElements
           << " elements in the straight code of a stage, "
           << "found " << loops.elements << " times " << steps << " in @"
           << op.getFunc();
  }

  llvm::StringMap<Loops> stages;
  llvm::StringMap<llvm::StringMap<int64_t>> promised;
};

} // namespace

LogicalResult heddle::checkStraightCode(ScheduleOp schedule) {
  return StraightCode(schedule).check(schedule.getBody().front());
}
