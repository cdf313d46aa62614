// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/KernelBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

static Value emitActivation(KernelBuilder &k, OpBuilder &b, ActivationKind kind,
                            Value x) {
  Location loc = k.loc();
  switch (kind) {
  case ActivationKind::Relu:
    return arith::MaximumFOp::create(b, loc, x, k.constantF(b, 0));
  case ActivationKind::Silu: {
    // x / (1 + 2^(-x log2(e)))
    Value scaled =
        arith::MulFOp::create(b, loc, x, k.constantF(b, -llvm::numbers::log2e));
    Value one = k.constantF(b, 1.0);
    Value denominator =
        arith::AddFOp::create(b, loc, one, emitExp2(k, b, scaled));
    return arith::DivFOp::create(b, loc, x, denominator);
  }
  }
  llvm_unreachable("all activations are covered");
}

// Those that the reference evaluator knows, and that mean the same on scalars
// in Halide.
static bool isElementwise(Operation *op) {
  return isa<ActivationOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::DivFOp, arith::MaximumFOp, arith::MinimumFOp, arith::NegFOp,
             arith::AddIOp, arith::SubIOp, arith::MulIOp>(op);
}

// f(c, m) = op(operands(c, m)): `arith` and `math` ops on tensors are the same
// ops on the scalars of a func's body.
LogicalResult heddle::lowerElementwise(KernelBuilder &k, Operation *op) {
  if (!isElementwise(op))
    return op->emitOpError("cannot be compiled; expected an op of heddle, or "
                           "arith.addf, subf, mulf, divf, maximumf, minimumf, "
                           "negf, addi, subi or muli");
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  Field first = k.field(op->getOperand(0));
  bool hasChannels = !first.channels.empty();
  SmallVector<StringRef> vars = {"m"};
  if (hasChannels)
    vars.insert(vars.begin(), "c");
  halide::FuncOp func = k.func(
      op->getName().stripDialect(), vars, type,
      [&](OpBuilder &b, ValueRange v) -> Value {
        SmallVector<Value> operands;
        for (Value operand : op->getOperands())
          operands.push_back(k.read(b, k.field(operand),
                                    hasChannels ? v[0] : Value(), v.back()));
        if (auto activation = dyn_cast<ActivationOp>(op))
          return emitActivation(k, b, activation.getKind(), operands[0]);
        OperationState state(k.loc(), op->getName(), operands, type,
                             op->getAttrs());
        // A difference of equal numbers is 0, but not of NaN or infinities; and
        // integers, of any size as the caller's are, wrap around.
        state.addAttribute(halide::kStrictAttr, b.getUnitAttr());
        return b.create(state)->getResult(0);
      });
  SmallVector<int64_t> channels;
  if (hasChannels)
    channels = {
        cast<RankedTensorType>(op->getResult(0).getType()).getShape().back()};
  k.setField(op->getResult(0), {func.getSymName().str(), type, channels});
  return success();
}
