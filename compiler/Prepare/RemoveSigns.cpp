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
#include "dialect/Heddle/SumOfProducts.h"

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
      if (input && matrix && isOfBytes(input, matrix, *machine) &&
          !hasOtherReaders(matrix))
        removeSigns(op, matrix);
    }
  }

private:
  // Whether sums of bytes are what the layer becomes: of whole places, which
  // i32 holds, for as many outputs as a register tile has.
  static bool isOfBytes(DequantizeOp input, DequantizeOp matrix,
                        const MachineModel &machine) {
    auto codes = cast<RankedTensorType>(matrix.getCodes().getType());
    int64_t place =
        machine.byteTerms * (isHalfByte(codes.getElementType()) ? 2 : 1);
    int64_t terms = std::gcd(groupSizeOf(input), groupSizeOf(matrix));
    return terms % place == 0 && terms <= mostTerms(8) &&
           codes.getDimSize(0) >= kFewestTileColumns;
  }

  // Whether something else reads the integers, such as a table of embeddings:
  // they are stored once.
  static bool hasOtherReaders(DequantizeOp matrix) {
    auto isLayer = [](OpOperand &use) {
      auto layer = dyn_cast<LinearOp>(use.getOwner());
      return layer && use.getOperandNumber() == 1;
    };
    return !llvm::all_of(matrix.getCodes().getUsers(), [&](Operation *reader) {
      return isa<OffsetBinaryOp>(reader) || // of another layer
             (isa<DequantizeOp>(reader) &&
              llvm::all_of(reader->getUses(), isLayer));
    });
  }

  // The sums of groups of inputs, times `factor`: one op, as sums of products
  // that are multiplied could be those of attention.
  static Value scaledSums(OpBuilder &b, Value x, int64_t group, int factor) {
    Sizes groups = groupsOf(sizesOf(x), group);
    unsigned rank = groups.size();
    GenericBuilder sums(b, x.getLoc(), groups,
                        {SizeAttr::number(b.getContext(), group)});
    SmallVector<AffineExpr> at = sums.dims(0, rank);
    at.back() = at.back() * group + sums.dim(rank);
    sums.input(x, at);
    sums.result(b.getF32Type(), 0.0);
    return sums.build([&](GenericBody &body) {
      Element term = body.input(0);
      return body.accumulator(0) + term * term.constant(factor);
    });
  }

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
    Value sums =
        scaledSums(b, op.getInput(), groupSizeOf(matrix), 1 << (bits - 1));
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
