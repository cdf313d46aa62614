// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/NodeOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace heddle::onnx;
using llvm::StringRef;

std::string heddle::onnx::describe(const NodeProto &node) {
  if (!node.name.empty())
    return ("node '" + node.name + "' (" + node.opType + ")").str();
  StringRef output = node.output.empty() ? "" : node.output.front();
  return ("node of output '" + output + "' (" + node.opType + ")").str();
}

std::vector<StringRef> heddle::onnx::outputNames(const GraphProto &graph) {
  std::vector<StringRef> names;
  for (const ValueInfoProto &output : graph.output)
    names.push_back(output.name);
  return names;
}

// What a graph reads, also of graphs around it.
static void addReads(const GraphProto &graph, std::vector<StringRef> &reads) {
  llvm::StringSet<> own;
  for (const ValueInfoProto &input : graph.input)
    own.insert(input.name);
  for (const TensorProto &initializer : graph.initializer)
    own.insert(initializer.name);
  for (const NodeProto &node : graph.node)
    for (StringRef output : node.output)
      own.insert(output);
  std::vector<StringRef> all = outputNames(graph);
  for (const NodeProto &node : graph.node) {
    all.insert(all.end(), node.input.begin(), node.input.end());
    for (const AttributeProto &attribute : node.attribute)
      if (attribute.g)
        addReads(*attribute.g, all);
  }
  for (StringRef name : all)
    if (!own.contains(name))
      reads.push_back(name);
}

namespace {
class Order {
public:
  Order(llvm::ArrayRef<NodeProto> all, llvm::ArrayRef<StringRef> outputs,
        llvm::function_ref<bool(StringRef)> isGiven)
      : isGiven(isGiven) {
    for (const NodeProto &node : all)
      for (StringRef output : node.output)
        if (!output.empty() && !makers.try_emplace(output, &node).second)
          fail(node, "expected outputs that no other node has, found '" +
                         output + "'");
    for (StringRef output : outputs)
      if (const NodeProto *maker = makers.lookup(output))
        add(maker);
  }

  std::vector<const NodeProto *> nodes;
  std::string error;

private:
  void fail(const NodeProto &node, const llvm::Twine &message) {
    if (error.empty())
      error = (describe(node) + ": " + message).str();
  }

  /// A node, and the values that it needs: its inputs, then what graphs in its
  /// attributes read.
  struct Step {
    const NodeProto *node;
    std::vector<StringRef> reads;
    size_t next = 0;
  };

  // Without recursion, as graphs are deep.
  void add(const NodeProto *root) {
    std::vector<Step> path;
    auto enter = [&](const NodeProto *node) {
      auto [state, isNew] = isDone.try_emplace(node, false);
      if (!isNew && !state->second)
        fail(*node, "expected inputs that do not depend on its own outputs");
      if (!isNew)
        return;
      path.push_back({node, node->input});
      for (const AttributeProto &attribute : node->attribute)
        if (attribute.g)
          addReads(*attribute.g, path.back().reads);
    };
    enter(root);
    while (!path.empty() && error.empty()) {
      Step &step = path.back();
      if (step.next == step.reads.size()) {
        isDone[step.node] = true;
        nodes.push_back(step.node);
        path.pop_back();
        continue;
      }
      StringRef name = step.reads[step.next++];
      if (name.empty() || isGiven(name))
        continue;
      if (const NodeProto *maker = makers.lookup(name))
        enter(maker);
      else
        fail(*step.node, "expected inputs of the graph, initializers and "
                         "outputs of other nodes, found '" +
                             name + "'");
    }
  }

  llvm::function_ref<bool(StringRef)> isGiven;
  llvm::StringMap<const NodeProto *> makers;
  llvm::DenseMap<const NodeProto *, bool> isDone;
};
} // namespace

llvm::Expected<std::vector<const NodeProto *>>
heddle::onnx::orderNodes(llvm::ArrayRef<NodeProto> nodes,
                         llvm::ArrayRef<StringRef> outputs,
                         llvm::function_ref<bool(StringRef)> isGiven) {
  Order order(nodes, outputs, isGiven);
  if (!order.error.empty())
    return llvm::createStringError(order.error);
  return std::move(order.nodes);
}
