// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %d, dequantize(%c, %t)      (%c of i8 or i4, %d of i8)
//   -> linear(%d, dequantize(%c + 2^(bits - 1), %t))
//      - linear(2^(bits - 1) * sums of groups of %d, %t)
// and the same of heddle.expert_linear

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/GroupSums.h"
#include "compiler/Prepare/LinearLayers.h"
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
static DequantizeOp inputOf(LinearLayer layer) {
  auto input = layer.input().get().getDefiningOp<DequantizeOp>();
  bool isOfBytes =
      input && getElementTypeOrSelf(input.getCodes()).isSignlessInteger(8) &&
      input.getAxis() + 1 == sizesOf(input.getCodes()).size();
  return isOfBytes && input.getParts().size() == 1 ? input : DequantizeOp();
}

// Integers with a sign and a scale for each group of inputs, of weights alone.
static DequantizeOp matrixOf(LinearLayer layer) {
  auto matrix = layer.weight().get().getDefiningOp<DequantizeOp>();
  if (!matrix || int64_t(matrix.getAxis()) != layer.axis() ||
      matrix.getParts().size() != 1 || !followsFromWeights(matrix))
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
    for (LinearLayer layer : linearLayersOf(getOperation())) {
      DequantizeOp input = inputOf(layer), matrix = matrixOf(layer);
      if (input && matrix && isOfBytes(layer, input, matrix, *machine) &&
          !hasOtherReaders(matrix))
        removeSigns(layer, matrix);
    }
  }

private:
  // Whether sums of bytes are what the layer becomes: of whole places, which
  // i32 holds, for as many outputs as a register tile has.
  static bool isOfBytes(LinearLayer layer, DequantizeOp input,
                        DequantizeOp matrix, const MachineModel &machine) {
    bool areHalves = isHalfByte(getElementTypeOrSelf(matrix.getCodes()));
    int64_t place = machine.byteTerms * (areHalves ? 2 : 1);
    int64_t terms = std::gcd(groupSizeOf(input), groupSizeOf(matrix));
    return terms % place == 0 && terms <= mostTerms(8) &&
           layer.outputs() >= kFewestTileColumns;
  }

  // Whether something else reads the integers, such as a table of embeddings:
  // they are stored once.
  static bool hasOtherReaders(DequantizeOp matrix) {
    auto isLayer = [](OpOperand &use) {
      std::optional<LinearLayer> layer = LinearLayer::of(use.getOwner());
      return layer && &use == &layer->weight();
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

  static void removeSigns(LinearLayer layer, DequantizeOp matrix) {
    OpBuilder b(layer.operator->());
    Location loc = layer->getLoc();
    auto type = cast<RankedTensorType>(matrix.getCodes().getType());
    unsigned bits = type.getElementTypeBitWidth();
    Value codes = OffsetBinaryOp::create(
        b, loc,
        type.clone(
            IntegerType::get(b.getContext(), bits, IntegerType::Unsigned)),
        matrix.getCodes());
    Value decoded = DequantizeOp::create(b, loc, codes, matrix.getScales(),
                                         matrix.getAxis());
    // Before the product, whose kernel computes it, too.
    Value x = layer.input().get();
    Value sums = scaledSums(b, x, groupSizeOf(matrix), 1 << (bits - 1));
    Value offsets = layer.build(b, sums, matrix.getScales(), /*hasBias=*/false);
    Value y = layer.build(b, x, decoded, /*hasBias=*/true);
    Value difference = arith::SubFOp::create(b, loc, y, offsets);
    layer->replaceAllUsesWith(ValueRange(difference));
    layer->erase();
    if (matrix->use_empty())
      matrix.erase();
  }
};
} // namespace
