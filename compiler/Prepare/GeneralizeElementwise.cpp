// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// math.exp %x : tensor<?x64xf32>
//   -> heddle.generic over [n, 64] ins(%x) { math.exp on f32 }

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {
#define GEN_PASS_DEF_GENERALIZEELEMENTWISE
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Whether a kernel of another kind than heddle.generic computes `value`.
static bool isOfLayer(Value value) {
  Operation *producer = value.getDefiningOp();
  return producer && !isa<GenericOp, WeightRefOp, arith::ConstantOp>(producer);
}

// Ops that later stages fuse into kernels of other kinds as they are: sums of
// counts, and what is computed of the results of layers.
static bool staysAsItIs(Operation *op) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return llvm::none_of(op->getOperands(), [](Value operand) {
      return operand.getDefiningOp<GenericOp>();
    });
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::NegFOp>(op) &&
         llvm::any_of(op->getOperands(), isOfLayer) &&
         llvm::none_of(op->getOperands(), [](Value operand) {
           return isa_and_nonnull<arith::ConstantOp, WeightRefOp, GenericOp>(
               operand.getDefiningOp());
         });
}

// The number that every element of `value` is, if it is a constant.
static TypedAttr splatOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                           : SplatElementsAttr();
  return elements ? elements.getSplatValue<TypedAttr>() : TypedAttr();
}

static void generalize(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  Sizes over = sizesOf(result);
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (!splatOf(operand) && !llvm::is_contained(inputs, operand))
      inputs.push_back(operand);
  AffineMap identity = b.getMultiDimIdentityMap(over.size());
  auto generic = GenericOp::create(
      b, loc, result.getType(), inputs, ValueRange(),
      b.getArrayAttr(SmallVector<Attribute>(over.begin(), over.end())),
      b.getArrayAttr({}),
      b.getAffineMapArrayAttr(SmallVector<AffineMap>(inputs.size(), identity)),
      b.getArrayAttr({}), b.getArrayAttr({}));
  Block *body = &generic.getBody().emplaceBlock();
  b.setInsertionPointToEnd(body);
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(getElementTypeOrSelf(input), loc));
  for (Value operand : op->getOperands())
    if (TypedAttr splat = splatOf(operand))
      mapping.map(operand, arith::ConstantOp::create(b, loc, splat));
  Operation *scalar = b.clone(*op, mapping);
  scalar->getResult(0).setType(getElementTypeOrSelf(result));
  YieldOp::create(b, loc, scalar->getResults());
  result.replaceAllUsesWith(generic.getResult(0));
  op->erase();
}

namespace {
struct GeneralizeElementwise
    : heddle::impl::GeneralizeElementwiseBase<GeneralizeElementwise> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (OpTrait::hasElementwiseMappableTraits(op) &&
          op->getNumResults() == 1 && op->getNumOperands() > 0 &&
          isa<RankedTensorType>(op->getResult(0).getType()))
        ops.push_back(op);
    });
    // Producers first: what reads a heddle.generic becomes one, too.
    for (Operation *op : ops)
      if (!staysAsItIs(op))
        generalize(op);
    // Constants have gone into bodies.
    getOperation()->walk([](arith::ConstantOp constant) {
      if (constant->use_empty())
        constant.erase();
    });
  }
};
} // namespace
