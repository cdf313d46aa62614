// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ins(%x : tensor<8x7xf32>) maps [(e) -> (e floordiv 7, e mod 7)]
//   -> ins(%x : tensor<56xf32>) maps [(e) -> (e)]

#include "compiler/Fusion/JoinDimensions.h"

#include "compiler/Fusion/FusionPlan.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"

using namespace mlir;
using namespace heddle;

// The number that both coordinates of a pair of dimensions are parts of; null
// if there is none.
static SizeAttr joinPair(const Sizes &at, const Sizes &sizes, unsigned dim) {
  SizeAttr size = sizes[dim + 1];
  if ((sizes[dim] * size).asNumber().value_or(0) > kLargestCount)
    return {};
  return findDividend(at[dim], at[dim + 1], size);
}

static bool isWeight(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return fusionRole(value.getDefiningOp()) == FusionRole::Constant;
  auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
  return kernel && kernel.getArgAttr(argument.getArgNumber(), kWeightAttr);
}

Sizes heddle::joinCoordinates(const Sizes &at, Value value) {
  if (isWeight(value))
    return at;
  Sizes joined, sizes = sizesOf(value);
  for (size_t dim = 0; dim < at.size(); ++dim) {
    SizeAttr whole =
        dim + 1 < at.size() ? joinPair(at, sizes, dim) : SizeAttr();
    joined.push_back(whole ? whole : at[dim]);
    if (whole)
      ++dim;
  }
  return joined;
}

// Makes the dimensions `dim` and `dim + 1` one, if all read them so.
static bool joinArgument(BlockArgument argument, unsigned dim) {
  Sizes sizes = sizesOf(argument);
  SmallVector<std::pair<OpOperand *, Sizes>> reads;
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<GenericOp>(use.getOwner());
    unsigned input = use.getOperandNumber();
    if (!op || input >= op.getInputs().size())
      return false;
    Sizes at = op.getCoordinates(input);
    at[dim] = joinPair(at, sizes, dim);
    if (!at[dim])
      return false;
    at.erase(at.begin() + dim + 1);
    reads.push_back({&use, at});
  }
  if (reads.empty())
    return false;
  sizes[dim] = sizes[dim] * sizes[dim + 1];
  sizes.erase(sizes.begin() + dim + 1);
  argument.setType(tensorOf(sizes, getElementTypeOrSelf(argument)));
  for (auto &[use, at] : reads)
    setCoordinates(cast<GenericOp>(use->getOwner()), use->getOperandNumber(),
                   at);
  return true;
}

void heddle::joinDimensions(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || isWeight(argument))
      continue;
    for (unsigned dim = type.getRank(); dim-- > 1;)
      joinArgument(argument, dim - 1);
  }
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
}
