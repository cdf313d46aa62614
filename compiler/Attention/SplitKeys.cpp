// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %o = heddle.attention %q, %k, %v
//   -> %u, %m, %s = heddle.attention %q, %k, %v
//          results(unnormalized, maximum, sum) splits(16)
//      %n = maximum of %m over the splits
//      %t = sum of e^(%m - %n) %s over them
//      %o = sum of e^(%m - %n) / %t times %u
//
// as in "Flash-Decoding" (Dao, Haziza, Massa, Sizov, 2023). A task of attention
// has all queries that share keys, so that decoding has one for each head of
// keys: far fewer than a device runs at a time.

#include "compiler/Attention/Passes.h"
#include "compiler/Prepare/MergedParts.h"
#include "compiler/Target/MachineModel.h"
#include "runtime/heddle_abi.h"

namespace heddle {
#define GEN_PASS_DEF_SPLITKEYS
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// A power of two, or 1 where there are tasks enough or splits already, where
// one task is not enough for all queries, or where more than the output is
// given. What goes on with the output may take its heads for one row, of which
// a block shares what is merged.
static int64_t chooseSplits(AttentionOp op, const DeviceModel &device) {
  ScoreSpace space = op.getScoreSpace();
  std::optional<int64_t> rows = op.getRowCount();
  int64_t rowBytes =
      int64_t(op.getHeads()) * op.getValueDim() * int64_t(sizeof(float));
  bool isPossible =
      !op.getSplits() && rows && *rows <= device.attentionRows &&
      op.getNormalize() == Normalization::Softmax &&
      op.getWantedResults() == SmallVector{AttentionResult::Output} &&
      rowBytes < device.sharedBytes;
  if (!isPossible)
    return 1;
  // Of a number of sequences that is not known, one.
  int64_t tasks = space[0].asNumber().value_or(1) * op.getKvHeads();
  int64_t most = device.attentionSplits;
  if (std::optional<int64_t> keys = space[3].asNumber())
    most = std::min(most, *keys / (device.attentionChunkBlocks *
                                   int64_t(HEDDLE_CACHE_BLOCK)));
  int64_t splits = 1;
  while (2 * splits <= most && splits * tasks < device.attentionTasks)
    splits *= 2;
  return splits;
}

namespace {
/// What the parts of an attention's keys are merged with, row by row: a query
/// of a head. Weights have the sum in them before they multiply anything, so
/// that one reduction is all that is merged, whichever kernel goes on with it;
/// and they are made where they are read, as tiles of a product have kernels of
/// their own.
class SplitMerger {
public:
  SplitMerger(AttentionOp split, OpBuilder &b)
      : split(split), b(b), loc(split.getLoc()), f32(b.getF32Type()),
        maxima(split.findResult(AttentionResult::Maximum)),
        channels(sizesOf(split.findResult(AttentionResult::Unnormalized))),
        rows(sizesOf(maxima)) {
    splits = {channels.front()};
    channels.erase(channels.begin());
    rows.erase(rows.begin());
  }

  Value run() {
    Value largest = emitMaximum();
    return emitOutput(largest, emitInverse(emitSum(largest)));
  }

  // The heads of `output` beside each other, in as many dimensions as `type`.
  Value joinHeads(Value output, RankedTensorType type) {
    if (output.getType() == type)
      return output;
    GenericBuilder g(b, loc, sizesOf(type));
    int64_t dim = split.getValueDim();
    g.input(output,
            {g.dim(0), g.dim(1), g.dim(2).floorDiv(dim), g.dim(2) % dim});
    g.result(f32);
    return g.build([](GenericBody &body) { return body.input(0); });
  }

private:
  // Of `rank` dimensions and the splits, where [splits, rows...] is read for
  // the row `row`.
  static SmallVector<AffineExpr> ofSplit(GenericBuilder &g, unsigned rank,
                                         ArrayRef<AffineExpr> row) {
    SmallVector<AffineExpr> at{g.dim(rank)};
    llvm::append_range(at, row);
    return at;
  }

  Value emitMaximum() {
    GenericBuilder g(b, loc, rows, splits);
    g.input(maxima, ofSplit(g, rows.size(), g.dims(0, rows.size())));
    g.result(f32, lowestOf(f32));
    return g.build([](GenericBody &body) {
      return maximum(body.accumulator(0), body.input(0));
    });
  }

  Value emitSum(Value largest) {
    GenericBuilder g(b, loc, rows, splits);
    SmallVector<AffineExpr> row = g.dims(0, rows.size());
    SmallVector<AffineExpr> at = ofSplit(g, rows.size(), row);
    g.input(split.findResult(AttentionResult::Sum), at);
    g.input(maxima, at);
    g.input(largest, row);
    g.result(f32, 0.0);
    return g.build([](GenericBody &body) {
      return body.accumulator(0) +
             factorOfPart(body.input(1), body.input(2)) * body.input(0);
    });
  }

  Value emitInverse(Value sum) {
    GenericBuilder g(b, loc, rows);
    g.input(sum);
    g.result(f32);
    return g.build([](GenericBody &body) {
      Element sum = body.input(0), zero = sum.constant(0);
      return select(sum == zero, zero, sum.constant(1) / sum);
    });
  }

  Value emitOutput(Value largest, Value inverse) {
    unsigned rank = channels.size();
    GenericBuilder g(b, loc, channels, splits);
    HeadLayout layout = split.getLayoutOfOutput();
    SmallVector<AffineExpr> row{g.dim(layout.batches[0]), g.dim(*layout.head),
                                g.dim(layout.length)};
    g.input(split.findResult(AttentionResult::Unnormalized),
            ofSplit(g, rank, g.dims(0, rank)));
    g.input(maxima, ofSplit(g, rank, row));
    g.input(largest, row);
    g.input(inverse, row);
    g.result(f32, 0.0);
    return g.build([](GenericBody &body) {
      Element weight =
          factorOfPart(body.input(1), body.input(2)) * body.input(3);
      return body.accumulator(0) + weight * body.input(0);
    });
  }

  AttentionOp split;
  OpBuilder &b;
  Location loc;
  Type f32;
  Value maxima;
  Sizes channels, rows, splits;
};

struct SplitKeys : heddle::impl::SplitKeysBase<SplitKeys> {
  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    if (!machine->device)
      return;
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops)
      if (int64_t splits = chooseSplits(op, *machine->device); splits > 1)
        splitKeys(op, splits);
  }

private:
  static void splitKeys(AttentionOp op, int64_t splits) {
    OpBuilder b(op);
    MLIRContext *context = b.getContext();
    auto toAttribute = [&](AttentionResult result) -> Attribute {
      return AttentionResultAttr::get(context, result);
    };
    auto toDim = [&](AttentionDim dim) -> Attribute {
      return AttentionDimAttr::get(context, dim);
    };
    op.setWantedAttr(b.getArrayAttr({toAttribute(AttentionResult::Unnormalized),
                                     toAttribute(AttentionResult::Maximum),
                                     toAttribute(AttentionResult::Sum)}));
    op.setSplits(splits);
    // So that the heads are merged side by side.
    if (!op.getLayoutOfOutput().head)
      op.setOutputLayoutAttr(b.getArrayAttr(
          {toDim(AttentionDim::Batch), toDim(AttentionDim::Length),
           toDim(AttentionDim::Head), toDim(AttentionDim::Channel)}));
    OperationState state(op.getLoc(), AttentionOp::getOperationName());
    SmallVector<Sizes> sizes;
    LogicalResult fits = op.inferSizes(sizes);
    assert(succeeded(fits) && "the sizes are those of the op");
    (void)fits;
    state.addOperands(op->getOperands());
    state.addAttributes(op->getAttrs());
    for (const Sizes &size : sizes)
      state.addTypes(tensorOf(size, b.getF32Type()));
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    auto split = cast<AttentionOp>(b.create(state));
    SplitMerger merger(split, b);
    Value merged = op.getResult(0);
    merged.replaceAllUsesWith(merger.joinHeads(
        merger.run(), cast<RankedTensorType>(merged.getType())));
    op.erase();
  }
};
} // namespace
