// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/SumOfProducts.h"

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace heddle;

bool heddle::isDecoding(Operation *op) {
  return isa<CastOpInterface, arith::MulFOp, arith::SubFOp, arith::SubIOp>(op);
}

// Adds the inputs that decoding makes `value` of; false where something else
// has a part in it.
static bool collectInputs(GenericOp op, Value value,
                          SmallVectorImpl<unsigned> &inputs) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    if (number >= op.getInputs().size())
      return false;
    if (!llvm::is_contained(inputs, number))
      inputs.push_back(number);
    return true;
  }
  Operation *maker = value.getDefiningOp();
  return isDecoding(maker) &&
         llvm::all_of(maker->getOperands(), [&](Value operand) {
           return collectInputs(op, operand, inputs);
         });
}

std::optional<SumOfProducts> SumOfProducts::of(GenericOp op,
                                               std::string &reason) {
  if (!op.hasReduction() || op.getNumResults() != 1)
    return std::nullopt;
  auto combiner = op.getCombiner(0);
  if (!combiner || !isa<arith::AddFOp, arith::AddIOp>(combiner->op))
    return std::nullopt;
  Operation *product = combiner->term.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  SumOfProducts sum;
  for (auto [factor, operand] :
       llvm::zip_equal(sum.factors, product->getOperands())) {
    factor.value = operand;
    if (!collectInputs(op, operand, factor.inputs)) {
      reason = "a factor is computed by more than casts, products and "
               "differences of inputs";
      return std::nullopt;
    }
    llvm::sort(factor.inputs);
  }
  const Factor &left = sum.factors[0], &right = sum.factors[1];
  if (left.inputs == right.inputs) // a sum of squares
    return std::nullopt;
  if (llvm::any_of(left.inputs, [&](unsigned input) {
        return llvm::is_contained(right.inputs, input);
      }))
    reason = "both factors are made of one input";
  else if (!op.getTables().empty())
    reason = "there is a table";
  else
    return sum;
  return std::nullopt;
}

LogicalResult heddle::verifyContraction(Operation *op, Attribute attribute) {
  auto contraction = dyn_cast<ContractionAttr>(attribute);
  auto generic = dyn_cast<GenericOp>(op);
  if (!contraction || !generic)
    return op->emitOpError("expected ")
           << kContractionAttr
           << " to be a #heddle.contraction of a heddle.generic, found "
           << attribute;
  // C1, C2
  std::string reason;
  auto sum = SumOfProducts::of(generic, reason);
  if (!sum)
    return op->emitOpError("expected a sum of products")
           << (reason.empty() ? "" : ", but ") << reason;
  // C3
  auto sorted = [](ArrayRef<unsigned> inputs) {
    SmallVector<unsigned, 2> result(inputs);
    llvm::sort(result);
    return result;
  };
  auto rows = sorted(contraction.getRows());
  auto columns = sorted(contraction.getColumns());
  const auto &[left, right] = sum->factors;
  if ((rows == left.inputs && columns == right.inputs) ||
      (rows == right.inputs && columns == left.inputs))
    return success();
  return op->emitOpError("expected rows and columns to be the inputs of one "
                         "factor each, found ")
         << attribute;
}
