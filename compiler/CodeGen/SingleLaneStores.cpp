// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/SingleLaneStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// The lane that a constant mask has, if it has one alone.
static std::optional<unsigned> onlyLane(const Constant &mask, unsigned lanes) {
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Constant *bit = mask.getAggregateElement(lane);
    if (bit && bit->isNullValue())
      continue;
    if (!bit || only)
      return std::nullopt;
    only = lane;
  }
  return only;
}

static void expand(IntrinsicInst &store) {
  Value *vector = store.getArgOperand(0), *pointer = store.getArgOperand(1);
  auto *mask = dyn_cast<Constant>(store.getArgOperand(2));
  auto *type = dyn_cast<FixedVectorType>(vector->getType());
  std::optional<unsigned> lane =
      mask && type ? onlyLane(*mask, type->getNumElements()) : std::nullopt;
  if (!lane)
    return;
  IRBuilder<> b(&store);
  Type *element = type->getElementType();
  uint64_t offset =
      *lane * store.getDataLayout().getTypeStoreSize(element).getFixedValue();
  b.CreateAlignedStore(
      b.CreateExtractElement(vector, *lane),
      b.CreateConstInBoundsGEP1_64(element, pointer, *lane),
      commonAlignment(store.getParamAlign(1).valueOrOne(), offset));
  store.eraseFromParent();
}

void heddle::expandSingleLaneStores(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == Intrinsic::masked_store)
          expand(*call);
}
