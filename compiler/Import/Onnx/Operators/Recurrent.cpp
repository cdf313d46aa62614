// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers: a loop over the tokens around a cell, for each direction.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

namespace {
/// A layer of one kind of cell. Its gates stand in another order in the file
/// than in the cell.
class RecurrentLayer {
public:
  RecurrentLayer(Node &node, ArrayRef<int64_t> gates)
      : node(node), gates(gates), isLstm(gates.size() == 4) {}

  void translate() {
    readAttributes();
    tokens = node.input(0);
    if (node.failed())
      return;
    if (Node::rankOf(tokens) != 3)
      return node.fail("expected an input of 3 dimensions, found " +
                       Twine(Node::rankOf(tokens)));
    if (batchFirst)
      tokens = node.transposed(tokens, {1, 0, 2});
    auto inputs = node.failed() ? std::nullopt : sizesOf(tokens)[2].asNumber();
    if (!inputs || hidden <= 0)
      return node.fail("expected a known number of inputs and an attribute "
                       "'hidden_size'");
    channels = *inputs;
    SmallVector<Value> all, last, cells;
    for (int64_t direction = 0; direction < directions; ++direction) {
      bool isReverse = mode == "reverse" || direction == 1;
      SmallVector<Value> results = run(direction, isReverse);
      if (node.failed())
        return;
      all.push_back(expanded(results[0], 1));
      last.push_back(expanded(results[1], 0));
      if (isLstm)
        cells.push_back(expanded(results[2], 0));
    }
    node.setResult(placed(joined(all, 1), {2, 0, 1, 3}));
    node.setResult(placed(joined(last, 0), {1, 0, 2}), 1);
    if (isLstm)
      node.setResult(placed(joined(cells, 0), {1, 0, 2}), 2);
  }

private:
  void readAttributes() {
    hidden = node.integer("hidden_size", 0);
    batchFirst = node.integer("layout", 0) != 0;
    mode = node.string("direction", "forward");
    directions = mode == "bidirectional" ? 2 : 1;
    resetBefore = !isLstm && node.integer("linear_before_reset", 0) == 0;
    if (mode != "forward" && mode != "reverse" && directions == 1)
      node.fail("attribute 'direction': expected forward, reverse or "
                "bidirectional, found " +
                mode);
    if (node.hasAttribute("clip"))
      node.fail("attribute 'clip': expected none");
    if (isLstm && node.integer("input_forget", 0) != 0)
      node.fail("attribute 'input_forget': expected 0");
    static constexpr StringLiteral ofGru[] = {"Sigmoid", "Tanh"},
                                   ofLstm[] = {"Sigmoid", "Tanh", "Tanh"};
    ArrayRef<StringLiteral> usual = isLstm ? ArrayRef(ofLstm) : ArrayRef(ofGru);
    for (auto [index, name] : llvm::enumerate(node.stringList("activations")))
      if (name != usual[index % usual.size()])
        node.fail("attribute 'activations': expected Sigmoid and Tanh, found " +
                  name);
    if (node.hasInput(4))
      node.fail("expected no input 4 (sequence_lens)");
  }

  Value expanded(Value x, int64_t axis) {
    return node.make<ExpandOp>(elementOf(x), x, ArrayRef<int64_t>(axis));
  }

  Value joined(ArrayRef<Value> parts, int64_t axis) {
    if (node.failed() || parts.size() == 1)
      return parts.front();
    return node.make<ConcatOp>(elementOf(parts.front()), ValueRange(parts),
                               node.b.getI64IntegerAttr(axis));
  }

  // Results in the order of dimensions that the layout says.
  Value placed(Value x, ArrayRef<int64_t> ofBatchFirst) {
    return batchFirst ? node.transposed(x, ofBatchFirst) : x;
  }

  // Part `index` of so many along the second dimension, of one direction.
  Value part(Value x, int64_t direction, int64_t index, int64_t size) {
    if (node.failed())
      return {};
    Sizes sizes = sizesOf(x), offsets(sizes.size(), node.size(0));
    offsets[0] = node.size(direction);
    offsets[1] = node.size(index * size);
    sizes[0] = node.size(1);
    sizes[1] = node.size(size);
    Value slice = node.make<SliceOp>(elementOf(x), x, node.array(offsets),
                                     node.array(sizes),
                                     SmallVector<int64_t>(sizes.size(), 1));
    return node.failed() ? Value()
                         : node.reshaped(slice, ArrayRef(sizes).drop_front());
  }

  // The gates as the cell has them, `first` being the number of the first part.
  Value gatesOf(Value x, int64_t direction, ArrayRef<int64_t> order,
                int64_t first = 0) {
    SmallVector<Value> parts;
    for (int64_t gate : order)
      parts.push_back(part(x, direction, first + gate, hidden));
    return joined(parts, 0);
  }

  Value initial(int64_t input, int64_t direction) {
    SizeAttr batch = sizesOf(tokens)[1];
    Type type = elementOf(tokens);
    if (!node.hasInput(input))
      return node.broadcastTo(node.constant(0, type),
                              {batch, node.size(hidden)});
    Value all = node.input(input);
    if (batchFirst && !node.failed())
      all = node.transposed(all, {1, 0, 2});
    if (node.failed())
      return {};
    Sizes sizes = sizesOf(all), offsets(3, node.size(0));
    offsets[0] = node.size(direction);
    sizes[0] = node.size(1);
    return node.reshaped(node.make<SliceOp>(type, all, node.array(offsets),
                                            node.array(sizes),
                                            ArrayRef<int64_t>{1, 1, 1}),
                         {batch, node.size(hidden)});
  }

  struct Weights {
    Value input, hidden, inputBias, hiddenBias, peepholes;
  };

  Weights weightsOf(int64_t direction) {
    Weights w;
    Value input = node.input(1), recurrent = node.input(2);
    w.input = gatesOf(input, direction, gates);
    w.hidden = gatesOf(recurrent, direction, gates);
    if (node.hasInput(3)) {
      Value biases = node.input(3);
      w.inputBias = gatesOf(biases, direction, gates);
      w.hiddenBias = gatesOf(biases, direction, gates, gates.size());
    }
    if (isLstm && node.hasInput(7))
      w.peepholes = gatesOf(node.input(7), direction, {0, 2, 1});
    return w;
  }

  SmallVector<Value> step(Value token, ValueRange state, const Weights &w) {
    if (!isLstm) {
      auto cell =
          GRUCellOp::create(node.b, node.loc, token, state[0], w.input,
                            w.hidden, w.inputBias, w.hiddenBias, resetBefore);
      node.resolve(cell);
      return {cell};
    }
    auto cell =
        LSTMCellOp::create(node.b, node.loc, token, state[0], state[1], w.input,
                           w.hidden, w.inputBias, w.hiddenBias, w.peepholes);
    node.resolve(cell);
    return SmallVector<Value>(cell->getResults());
  }

  // All hidden states [length, batch, hidden], and the last state.
  SmallVector<Value> run(int64_t direction, bool isReverse) {
    Weights w = weightsOf(direction);
    Sizes sizes = sizesOf(tokens);
    Type type = elementOf(tokens);
    SmallVector<Value> carried = {node.broadcastTo(
        node.constant(0, type), {sizes[0], sizes[1], node.size(hidden)})};
    carried.push_back(initial(5, direction));
    if (isLstm)
      carried.push_back(initial(6, direction));
    if (node.failed())
      return {};
    OpBuilder &b = node.b;
    auto index = [&](SizeAttr size) -> Value {
      return SizeOp::create(b, node.loc, b.getIndexType(), size);
    };
    Value zero = arith::ConstantIndexOp::create(b, node.loc, 0);
    Value one = arith::ConstantIndexOp::create(b, node.loc, 1);
    Value length = index(sizes[0]), batch = index(sizes[1]);
    auto loop =
        scf::ForOp::create(b, node.loc, zero, length, one, ValueRange(carried));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value place = loop.getInductionVar();
    if (isReverse)
      place = arith::SubIOp::create(
          b, node.loc, arith::SubIOp::create(b, node.loc, length, one), place);
    Sizes ofToken = {node.size(1), sizes[1], sizes[2]};
    OpFoldResult sequences = batch;
    if (auto number = sizes[1].asNumber())
      sequences = b.getIndexAttr(*number);
    SmallVector<OpFoldResult> offsets = {place, b.getIndexAttr(0),
                                         b.getIndexAttr(0)},
                              extents = {b.getIndexAttr(1), sequences,
                                         b.getIndexAttr(channels)},
                              strides(3, b.getIndexAttr(1));
    Value token =
        tensor::ExtractSliceOp::create(b, node.loc, tensorOf(ofToken, type),
                                       tokens, offsets, extents, strides);
    token = node.make<SqueezeOp>(type, token, ArrayRef<int64_t>{0});
    if (node.failed())
      return {};
    SmallVector<Value> next =
        step(token, loop.getRegionIterArgs().drop_front(), w);
    if (node.failed())
      return {};
    Value written = InsertOp::create(b, node.loc, expanded(next[0], 0),
                                     loop.getRegionIterArg(0), place,
                                     /*axis=*/0);
    next.insert(next.begin(), written);
    scf::YieldOp::create(b, node.loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  Node &node;
  ArrayRef<int64_t> gates;
  bool isLstm, batchFirst = false, resetBefore = false;
  int64_t hidden = 0, channels = 0, directions = 1;
  std::string mode;
  Value tokens; ///< [length, batch, inputs]
};
} // namespace

// z, r, h of the file as r, z, n.
static void translateGRU(Node &node) {
  static constexpr int64_t order[] = {1, 0, 2};
  RecurrentLayer(node, order).translate();
}

// i, o, f, c of the file as i, f, g, o.
static void translateLSTM(Node &node) {
  static constexpr int64_t order[] = {0, 2, 3, 1};
  RecurrentLayer(node, order).translate();
}

llvm::ArrayRef<Operator> onnx::recurrentOperators() {
  static constexpr Operator operators[] = {
      {"", "GRU", translateGRU},
      {"", "LSTM", translateLSTM},
  };
  return operators;
}
