// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %o = heddle.attention %q, %k, %v
//   -> %u, %m, %s = heddle.attention %q, %k, %v
//          results(unnormalized, maximum, sum) splits(16)
//      %n = maximum of %m over the splits
//      %o = sums of e^(%m - %n) %u, and of e^(%m - %n) %s, and their quotient
//
// as in "Flash-Decoding" (Dao, Haziza, Massa, Sizov, 2023). A task of attention
// has all queries that share keys, so that decoding has one for each head of
// keys: far fewer than a device runs at a time.

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Target/MachineModel.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

namespace heddle {
#define GEN_PASS_DEF_SPLITKEYS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// A power of two, or 1 where there are tasks enough, where one is not enough
// for all queries, or where there is something for each key.
static int64_t chooseSplits(AttentionOp op, const DeviceModel &device) {
  ScoreSpace space = op.getScoreSpace();
  std::optional<int64_t> rows = op.getRowCount();
  if (op.getNormalize() != Normalization::Softmax ||
      op.getWantedResults() != SmallVector{AttentionResult::Output} || !rows ||
      *rows > device.attentionRows)
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
/// What the parts of an attention's keys are merged with.
class SplitMerger {
public:
  SplitMerger(AttentionOp split, OpBuilder &b)
      : split(split), b(b), loc(split.getLoc()), f32(b.getF32Type()),
        channels(sizesOf(split.findResult(AttentionResult::Unnormalized))),
        rows(sizesOf(split.findResult(AttentionResult::Maximum))) {
    splits = {channels.front()};
    channels.erase(channels.begin());
    rows.erase(rows.begin());
  }

  Value run() {
    Value largest = emitMaximum();
    auto [output, sum] = emitSums(largest);
    GenericBuilder g(b, loc, channels);
    g.input(output);
    g.input(sum);
    g.result(f32);
    return g.build([](GenericBody &body) {
      Element sum = body.input(1), zero = sum.constant(0);
      return select(sum == zero, zero, body.input(0) / sum);
    });
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
  Value emitMaximum() {
    GenericBuilder g(b, loc, rows, splits);
    SmallVector<AffineExpr> at{g.dim(rows.size())};
    llvm::append_range(at, g.dims(0, rows.size()));
    g.input(split.findResult(AttentionResult::Maximum), at);
    g.result(f32, lowestOf(f32));
    return g.build([](GenericBody &body) {
      return maximum(body.accumulator(0), body.input(0));
    });
  }

  // Of the weighted values, and of the weights, for each channel.
  std::pair<Value, Value> emitSums(Value largest) {
    unsigned rank = channels.size();
    GenericBuilder g(b, loc, channels, splits);
    HeadLayout layout = split.getLayoutOfOutput();
    SmallVector<AffineExpr> row{g.dim(layout.batches[0]), g.dim(*layout.head),
                                g.dim(layout.length)};
    auto ofSplit = [&](ArrayRef<AffineExpr> at) {
      SmallVector<AffineExpr> all{g.dim(rank)};
      llvm::append_range(all, at);
      return all;
    };
    g.input(split.findResult(AttentionResult::Unnormalized),
            ofSplit(g.dims(0, rank)));
    g.input(split.findResult(AttentionResult::Maximum), ofSplit(row));
    g.input(split.findResult(AttentionResult::Sum), ofSplit(row));
    g.input(largest, row);
    g.result(f32, 0.0);
    g.result(f32, 0.0);
    SmallVector<Value> sums = g.buildAll([](GenericBody &body) {
      Element own = body.input(1), zero = own.constant(0);
      // Of a split that keeps no key.
      Element isNone =
          own == own.constant(-std::numeric_limits<double>::infinity());
      Element factor =
          select(isNone, zero, apply<math::ExpOp>(own - body.input(3)));
      return SmallVector<Element>{body.accumulator(0) + factor * body.input(0),
                                  body.accumulator(1) + factor * body.input(2)};
    });
    return {sums[0], sums[1]};
  }

  AttentionOp split;
  OpBuilder &b;
  Location loc;
  Type f32;
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
