// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %d, dequantize(%c, %t)      (%c of i8 or i4, %d of i8)
//   -> linear(%d, dequantize(%c + 2^(bits - 1), %t))
//      - linear(2^(bits - 1) * sums of groups of %d, %t)

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/GroupSums.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Target/MachineModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

namespace heddle {
#define GEN_PASS_DEF_REMOVESIGNS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Inputs of 8 bits.
static DequantizeOp inputOf(LinearOp op) {
  auto input = op.getInput().getDefiningOp<DequantizeOp>();
  bool isOfBytes =
      input && getElementTypeOrSelf(input.getCodes()).isSignlessInteger(8) &&
      input.getAxis() + 1 == sizesOf(input.getCodes()).size();
  return isOfBytes && input.getParts().size() == 1 ? input : DequantizeOp();
}

// Integers with a sign and a scale for each group of inputs, of weights alone.
static DequantizeOp matrixOf(LinearOp op) {
  auto matrix = op.getWeight().getDefiningOp<DequantizeOp>();
  if (!matrix || matrix.getAxis() != 1 || matrix.getParts().size() != 1 ||
      !followsFromWeights(matrix))
    return {};
  Type codes = getElementTypeOrSelf(matrix.getCodes());
  bool hasSign =
      !codes.isUnsignedInteger() && codes.getIntOrFloatBitWidth() <= 8;
  return hasSign ? matrix : DequantizeOp();
}

namespace {
struct RemoveSigns : heddle::impl::RemoveSignsBase<RemoveSigns> {
  using RemoveSignsBase::RemoveSignsBase;

  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    if (machine->byteTerms == 1)
      return;
    SmallVector<LinearOp> layers;
    getOperation()->walk([&](LinearOp op) { layers.push_back(op); });
    for (LinearOp op : layers) {
      DequantizeOp input = inputOf(op), matrix = matrixOf(op);
      if (!input || !matrix)
        continue;
      bool isHalf = isHalfByte(getElementTypeOrSelf(matrix.getCodes()));
      int64_t terms = std::gcd(groupSizeOf(input), groupSizeOf(matrix));
      if (terms % (machine->byteTerms * (isHalf ? 2 : 1)) == 0)
        removeSigns(op, matrix);
    }
  }

private:
  static void removeSigns(LinearOp op, DequantizeOp matrix) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(matrix.getCodes().getType());
    unsigned bits = type.getElementTypeBitWidth();
    Value codes = OffsetBinaryOp::create(
        b, loc,
        type.clone(
            IntegerType::get(b.getContext(), bits, IntegerType::Unsigned)),
        matrix.getCodes());
    Value decoded = DequantizeOp::create(b, loc, codes, matrix.getScales(),
                                         matrix.getAxis());
    Value y = LinearOp::create(b, loc, op.getInput(), decoded, op.getBias());
    Value sums = sumsOfGroups(b, op.getInput(), groupSizeOf(matrix));
    sums = buildElementwise(b, loc, sizesOf(sums), sums, b.getF32Type(),
                            [&](GenericBody &body) {
                              Element sum = body.input(0);
                              return sum * sum.constant(1 << (bits - 1));
                            });
    Value offsets = LinearOp::create(b, loc, sums, matrix.getScales(),
                                     /*bias=*/Value());
    op.replaceAllUsesWith(
        arith::SubFOp::create(b, loc, y, offsets).getResult());
    op.erase();
    if (matrix->use_empty())
      matrix.erase();
  }
};
} // namespace
