// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in attributes of nodes, and functions of the model: their nodes are
// translated where the node stands that has them or calls them.

#include "compiler/Import/Onnx/GraphTranslator.h"
#include "compiler/Import/Onnx/NodeOrder.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

//===-- graphs ------------------------------------------------------------===//

SmallVector<GraphValue>
GraphTranslator::translateBody(const GraphProto &graph,
                               ArrayRef<GraphValue> inputs, bool isIsolated) {
  OpBuilder::InsertionGuard guard(constants);
  if (isIsolated)
    constants.setInsertionPointToStart(b.getInsertionBlock());
  scopes.push_back({{}, isIsolated, std::nullopt});
  for (const TensorProto &initializer : graph.initializer) {
    auto tensor = readTensor(initializer, std::nullopt, file.path,
                             file.path + ": tensor '" + initializer.name + "'");
    if (!tensor) {
      fail(llvm::toString(tensor.takeError()));
      break;
    }
    define(initializer.name).stored = keep(std::move(*tensor));
  }
  if (graph.input.size() != inputs.size())
    fail("graph '" + graph.name + "': expected " + Twine(inputs.size()) +
         " inputs, found " + Twine(graph.input.size()));
  else
    for (auto [input, value] : llvm::zip_equal(graph.input, inputs))
      define(input.name) = value;
  if (!firstError)
    translateNodes(graph.node, outputNames(graph));
  SmallVector<GraphValue> results;
  for (StringRef output : outputNames(graph)) {
    GraphValue *found = firstError ? nullptr : lookup(output);
    if (!found) {
      fail("graph '" + graph.name + "': output '" + output +
           "': expected the result of a node, found no such value");
      break;
    }
    if (isIsolated)
      tensorOf(*found, output);
    results.push_back(*found);
  }
  scopes.pop_back();
  return results;
}

//===-- functions ---------------------------------------------------------===//

const FunctionProto *
GraphTranslator::findFunction(const NodeProto &node) const {
  for (const FunctionProto &function : file.model.functions)
    if (function.name == node.opType && function.domain == node.domain &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

// Attributes by their names in a function: those of the call, and for others
// what the function has in their place.
void GraphTranslator::addAttributes(Call &call, const NodeProto &node) {
  const FunctionProto &function = *call.function;
  for (const AttributeProto &attribute : function.attributeProto)
    call.attributes[attribute.name] = &attribute;
  for (const AttributeProto &attribute : node.attribute) {
    if (!llvm::is_contained(function.attribute, attribute.name) &&
        !call.attributes.contains(attribute.name))
      return fail(describe(node) + ": attribute '" + attribute.name +
                  "': expected only attributes of the function, found this "
                  "one");
    // One that the call has from a call around it may not have been given.
    if (const AttributeProto *given = resolve(attribute))
      call.attributes[attribute.name] = given;
  }
}

const AttributeProto *
GraphTranslator::resolve(const AttributeProto &attribute) const {
  if (attribute.refAttrName.empty())
    return &attribute;
  const Call *call = currentCall();
  return call ? call->attributes.lookup(attribute.refAttrName) : nullptr;
}

void GraphTranslator::translateCall(const NodeProto &node,
                                    const FunctionProto &function) {
  constexpr size_t deepest = 100;
  if (scopes.size() > deepest)
    return fail(describe(node) +
                ": expected functions that do not call "
                "themselves, found more than " +
                Twine(deepest) + " calls in each other");
  if (node.input.size() > function.input.size() ||
      node.output.size() > function.output.size())
    return fail(describe(node) + ": expected at most " +
                Twine(function.input.size()) + " inputs and " +
                Twine(function.output.size()) + " outputs, found " +
                Twine(node.input.size()) + " and " + Twine(node.output.size()));
  Call call{&function, {}, describe(node)};
  addAttributes(call, node);
  Scope body{{}, /*isIsolated=*/false, std::move(call)};
  // Inputs that are not given have no name in the call, and no value.
  for (auto [name, given] : llvm::zip(function.input, node.input))
    if (const GraphValue *value = given.empty() ? nullptr : lookup(given))
      body.values[name] = *value;
  if (firstError)
    return;
  scopes.push_back(std::move(body));
  translateNodes(function.node, function.output);
  SmallVector<GraphValue> results;
  for (auto [name, result] : llvm::zip(function.output, node.output)) {
    GraphValue *found = firstError ? nullptr : lookup(name);
    if (!found)
      fail("output '" + name +
           "': expected the result of a node, found no such value");
    else
      results.push_back(*found);
  }
  scopes.pop_back();
  if (!firstError)
    for (auto [name, result] : llvm::zip_equal(node.output, results))
      if (!name.empty())
        define(name) = result;
}
