// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/PrefetchStreams.h"

#include "compiler/CodeGen/Optimize.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace heddle;

namespace {
/// A load, and its bytes from the stream's first load.
struct Reading {
  LoadInst *load;
  int64_t offset;
};

/// Loads at constant distances, which all advance by `step` bytes a turn.
struct Stream {
  const SCEV *start;
  int64_t step;
  SmallVector<Reading> readings;
};

/// The vectors that a loop reads.
class Streams {
public:
  Streams(const MachineModel &machine, ScalarEvolution &evolution)
      : machine(machine), evolution(evolution) {}

  void add(LoadInst &load, const Loop &loop);
  void prefetch();

private:
  int64_t aheadOf(const Stream &stream) const;

  const MachineModel &machine;
  ScalarEvolution &evolution;
  SmallVector<Stream> streams;
};
} // namespace

void Streams::add(LoadInst &load, const Loop &loop) {
  auto *address =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
  if (!address || address->getLoop() != &loop || !address->isAffine())
    return;
  auto *constant =
      dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution));
  int64_t step = constant ? constant->getAPInt().getSExtValue() : 0;
  if (step < machine.lineBytes)
    return; // each line would be asked for several times
  for (Stream &stream : streams) {
    std::optional<APInt> offset =
        evolution.computeConstantDifference(address->getStart(), stream.start);
    if (offset && stream.step == step) {
      stream.readings.push_back({&load, offset->getSExtValue()});
      return;
    }
  }
  streams.push_back({address->getStart(), step, {{&load, 0}}});
}

// Loops of few rows read panels in several places at once. Where these are
// near, all are passed: what is between them is under way.
int64_t Streams::aheadOf(const Stream &stream) const {
  int64_t first = stream.readings.front().offset, distance = 0, places = 1;
  for (auto [left, right] : zip(stream.readings, drop_begin(stream.readings)))
    if (right.offset - left.offset >= stream.step) {
      ++places;
      if (!distance)
        distance = right.offset - first;
    }
  bool isNear = places > 1 && distance <= 2 * machine.bytesAhead;
  return alignTo(isNear ? places * distance : machine.bytesAhead, stream.step);
}

void Streams::prefetch() {
  for (Stream &stream : streams) {
    sort(stream.readings, [](const Reading &left, const Reading &right) {
      return left.offset < right.offset;
    });
    int64_t ahead = aheadOf(stream), next = stream.readings.front().offset;
    for (auto [load, offset] : stream.readings) {
      int64_t end =
          offset + load->getDataLayout().getTypeStoreSize(load->getType());
      IRBuilder<> b(load);
      for (next = std::max(next, offset); next < end; next += machine.lineBytes)
        b.CreateIntrinsic(b.getVoidTy(), Intrinsic::prefetch,
                          {b.CreatePtrAdd(load->getPointerOperand(),
                                          b.getInt64(next + ahead - offset)),
                           /*is written=*/b.getInt32(0),
                           /*locality=*/b.getInt32(3),
                           /*is data=*/b.getInt32(1)});
    }
  }
}

// Whether a number is copied into all lanes of a vector.
static bool isCopyOfLane(const Instruction &instruction) {
  auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
  return shuffle &&
         all_of(shuffle->getShuffleMask(), [](int lane) { return lane == 0; });
}

// Whether the loop adds up vectors, and multiplies with numbers that change
// every turn: copies of others in all lanes are made before the loop.
static bool hasSumOfProducts(const Loop &loop) {
  bool hasSum = any_of(loop.getHeader()->phis(), [](const PHINode &phi) {
    return phi.getType()->isVectorTy();
  });
  return hasSum && any_of(loop.blocks(), [](const BasicBlock *block) {
           return any_of(*block, isCopyOfLane);
         });
}

namespace {
struct PrefetchStreamsPass : PassInfoMixin<PrefetchStreamsPass> {
  explicit PrefetchStreamsPass(const MachineModel &machine)
      : machine(machine) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      if (!hasSumOfProducts(*loop))
        continue;
      Streams streams(machine, evolution);
      for (BasicBlock *block : loop->blocks())
        for (Instruction &instruction : *block)
          if (auto *load = dyn_cast<LoadInst>(&instruction))
            if (load->getType()->isVectorTy() &&
                loops.getLoopFor(block) == loop)
              streams.add(*load, *loop);
      streams.prefetch();
    }
    return PreservedAnalyses::none();
  }

  const MachineModel &machine;
};
} // namespace

void heddle::prefetchStreams(Module &module, TargetMachine &target,
                             const MachineModel &machine) {
  runPasses(module, target, [&](PassBuilder &) {
    ModulePassManager passes;
    passes.addPass(
        createModuleToFunctionPassAdaptor(PrefetchStreamsPass(machine)));
    return passes;
  });
}
