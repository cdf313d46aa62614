// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// math.exp %x : tensor<?x64xf32>
//   -> heddle.generic over [n, 64] ins(%x) { math.exp on f32 }

#include "compiler/Prepare/Passes.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {
#define GEN_PASS_DEF_GENERALIZEELEMENTWISE
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The number that every element of `value` is, if it is a constant.
static TypedAttr splatOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                           : SplatElementsAttr();
  return elements ? elements.getSplatValue<TypedAttr>() : TypedAttr();
}

// A heddle.generic of the elements of `inputs`, whose body is empty; `b` is set
// to its end.
static GenericOp createGeneric(OpBuilder &b, Value result, ValueRange inputs) {
  Location loc = result.getLoc();
  Sizes over = sizesOf(result);
  AffineMap identity = b.getMultiDimIdentityMap(over.size());
  auto generic = GenericOp::create(
      b, loc, result.getType(), inputs, ValueRange(),
      toArray(b.getContext(), over), b.getArrayAttr({}),
      b.getAffineMapArrayAttr(SmallVector<AffineMap>(inputs.size(), identity)),
      b.getArrayAttr({}), b.getArrayAttr({}));
  b.setInsertionPointToEnd(&generic.getBody().emplaceBlock());
  return generic;
}

static void generalize(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (!splatOf(operand) && !llvm::is_contained(inputs, operand))
      inputs.push_back(operand);
  GenericOp generic = createGeneric(b, result, inputs);
  generic->setAttr(kOriginAttr, b.getStringAttr(op->getName().stripDialect()));
  Block *body = b.getBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(
                           scalarTypeOf(getElementTypeOrSelf(input)), loc));
  for (Value operand : op->getOperands())
    if (TypedAttr splat = splatOf(operand))
      mapping.map(operand, arith::ConstantOp::create(b, loc, scalarOf(splat)));
  Operation *scalar = b.clone(*op, mapping);
  scalar->getResult(0).setType(scalarTypeOf(getElementTypeOrSelf(result)));
  YieldOp::create(b, loc, scalar->getResults());
  result.replaceAllUsesWith(generic.getResult(0));
  op->erase();
}

// What a layer reads, a loop carries or a function returns is in memory, as are
// tables.
static void storeConstant(arith::ConstantOp constant) {
  TypedAttr splat = splatOf(constant);
  auto isInMemory = [](OpOperand &use) {
    auto generic = dyn_cast<GenericOp>(use.getOwner());
    return !generic || use.getOperandNumber() >= generic.getInputs().size();
  };
  if (!splat || llvm::none_of(constant->getUses(), isInMemory))
    return;
  OpBuilder b(constant->getContext());
  b.setInsertionPointAfter(constant);
  GenericOp generic = createGeneric(b, constant, {});
  Value number =
      arith::ConstantOp::create(b, constant.getLoc(), scalarOf(splat));
  YieldOp::create(b, constant.getLoc(), number);
  constant.getResult().replaceUsesWithIf(generic.getResult(0), isInMemory);
}

namespace {
struct GeneralizeElementwise
    : heddle::impl::GeneralizeElementwiseBase<GeneralizeElementwise> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    SmallVector<arith::ConstantOp> constants;
    getOperation()->walk([&](Operation *op) {
      // Bodies of weights are computed as they are.
      if (isa_and_nonnull<WeightOp>(op->getParentOp()))
        return;
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        constants.push_back(constant);
      if (OpTrait::hasElementwiseMappableTraits(op) &&
          op->getNumResults() == 1 && op->getNumOperands() > 0 &&
          isa<RankedTensorType>(op->getResult(0).getType()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      generalize(op);
    // Other constants have gone into bodies.
    for (arith::ConstantOp constant : constants) {
      storeConstant(constant);
      if (constant->use_empty())
        constant.erase();
    }
  }
};
} // namespace
