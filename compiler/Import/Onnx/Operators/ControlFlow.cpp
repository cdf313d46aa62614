// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose attributes are graphs that run or do not, once or more often.

#include "compiler/Import/Onnx/Operators.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

static std::optional<int64_t> knownScalar(Node &node, GraphValue &value) {
  const KnownIntegers *known = node.known(value);
  return known && known->elements.size() == 1
             ? known->elements.front().asNumber()
             : std::nullopt;
}

//===-- If ----------------------------------------------------------------===//

static bool areEqual(const KnownIntegers *a, const KnownIntegers *b) {
  return a && b && a->type == b->type && a->shape == b->shape &&
         a->elements == b->elements;
}

// Both branches are computed: they change nothing else.
static GraphValue choose(Node &node, Value condition, GraphValue &then,
                         GraphValue &otherwise) {
  if (areEqual(node.known(then), node.known(otherwise)))
    return then;
  Value a = node.asTensor(then), b = node.asTensor(otherwise);
  if (node.failed() || a == b)
    return {a};
  if (elementOf(a) != elementOf(b) || sizesOf(a) != sizesOf(b)) {
    auto say = [](Value value) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvm::interleave(
          sizesOf(value), stream, [&](SizeAttr size) { stream << size.str(); },
          "x");
      stream << "x" << elementOf(value);
      return text;
    };
    node.fail("expected a condition that follows from sizes and constants, or "
              "branches with results of one type, found " +
              say(a) + " and " + say(b));
    return {};
  }
  return {node.make<WhereOp>(elementOf(a), condition, a, b)};
}

static void translateIf(Node &node) {
  const GraphProto *then = node.graphAttribute("then_branch"),
                   *otherwise = node.graphAttribute("else_branch");
  if (!then || !otherwise)
    return node.fail("expected graphs 'then_branch' and 'else_branch'");
  GraphValue condition = node.value(0);
  if (node.failed())
    return;
  if (auto truth = knownScalar(node, condition)) {
    SmallVector<GraphValue> results =
        node.translateBody(*truth ? *then : *otherwise, {});
    for (auto [index, result] : llvm::enumerate(results))
      node.setResult(result, index);
    return;
  }
  SmallVector<GraphValue> a = node.translateBody(*then, {}),
                          b = node.translateBody(*otherwise, {});
  if (!node.failed() && a.size() != b.size())
    return node.fail("expected branches with as many results as each other");
  Value truth = node.asTensor(condition);
  truth = node.failed() ? Value() : node.reshaped(truth, {});
  for (size_t index = 0; index < a.size() && !node.failed(); ++index)
    if (node.hasResult(index))
      node.setResult(choose(node, truth, a[index], b[index]), index);
}

//===-- Loop --------------------------------------------------------------===//

namespace {
/// A loop whose turns are counted now: each is translated by itself.
class Loop {
public:
  explicit Loop(Node &node) : node(node) {}

  void translate() {
    body = node.graphAttribute("body");
    if (!body)
      return node.fail("expected a graph 'body'");
    readInputs();
    if (node.failed())
      return;
    stacked.resize(std::max<int64_t>(node.resultCount() - values.size(), 0));
    for (int64_t turn = 0; !node.failed() && isOn && turn < count; ++turn)
      translateTurn(turn);
    if (!node.failed())
      setResults();
  }

private:
  // More turns than this would be code that nobody wants.
  static constexpr int64_t kMostTurns = 1024;

  void readInputs() {
    count = kMostTurns + 1;
    if (node.hasInput(0)) {
      GraphValue trips = node.value(0);
      auto number = knownScalar(node, trips);
      if (!number || *number > kMostTurns)
        return node.fail("expected a number of turns that is known, and at "
                         "most " +
                         Twine(kMostTurns) + ", found " +
                         (number ? std::to_string(*number) : "another"));
      count = *number;
    }
    if (node.hasInput(1)) {
      GraphValue condition = node.value(1);
      setCondition(condition);
    }
    for (int64_t index = 2; index < node.inputCount(); ++index)
      values.push_back(node.value(index));
  }

  void setCondition(GraphValue &condition) {
    auto truth = knownScalar(node, condition);
    if (!truth)
      node.fail("expected a condition that follows from sizes and constants, "
                "found what does not");
    isOn = truth.value_or(0) != 0;
  }

  // The body takes the number of the turn, the condition and values, and gives
  // a condition, values, and what all turns give side by side.
  void translateTurn(int64_t turn) {
    if (turn == kMostTurns)
      return node.fail("expected at most " + Twine(kMostTurns) +
                       " turns, found more");
    auto scalar = [&](int64_t number, Type type) {
      return GraphValue{Value(), KnownIntegers{{}, {node.size(number)}, type}};
    };
    SmallVector<GraphValue> inputs{scalar(turn, node.b.getI64Type()),
                                   scalar(1, node.b.getI1Type())};
    inputs.append(values);
    SmallVector<GraphValue> results = node.translateBody(*body, inputs);
    if (node.failed())
      return;
    if (results.size() != 1 + values.size() + stacked.size())
      return node.fail("graph '" + body->name + "': expected " +
                       Twine(1 + values.size() + stacked.size()) +
                       " outputs, found " + Twine(results.size()));
    setCondition(results.front());
    std::copy_n(results.begin() + 1, values.size(), values.begin());
    for (auto [index, parts] : llvm::enumerate(stacked)) {
      Value part = node.asTensor(results[1 + values.size() + index]);
      if (!node.failed())
        parts.push_back(
            node.make<ExpandOp>(elementOf(part), part, ArrayRef<int64_t>{0}));
    }
  }

  void setResults() {
    for (auto [index, value] : llvm::enumerate(values))
      node.setResult(value, index);
    for (auto [index, parts] : llvm::enumerate(stacked)) {
      if (parts.empty())
        return node.fail("expected at least one turn, whose outputs are "
                         "stacked, found none");
      node.setResult(node.make<ConcatOp>(elementOf(parts.front()), parts,
                                         node.b.getI64IntegerAttr(0)),
                     values.size() + index);
    }
  }

  Node &node;
  const GraphProto *body = nullptr;
  int64_t count = 0;
  bool isOn = true;
  SmallVector<GraphValue> values;
  SmallVector<SmallVector<Value>> stacked;
};
} // namespace

static void translateLoop(Node &node) { Loop(node).translate(); }

llvm::ArrayRef<Operator> onnx::controlFlowOperators() {
  static constexpr Operator operators[] = {
      {"", "If", translateIf},
      {"", "Loop", translateLoop},
  };
  return operators;
}
