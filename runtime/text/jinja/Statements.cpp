// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements.

#include "runtime/text/jinja/Renderer.h"

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Functions.h"
#include "runtime/text/jinja/Macro.h"
#include "runtime/text/jinja/Printing.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

Renderer::Level::Level(Context &context, int line) : context(context) {
  context.line = line;
  context.step();
  if (++context.depth > kMostDepth)
    throw Refusal{"the template is nested too deeply in itself"};
}

Renderer::Renderer(Context &context, const Dictionary &variables)
    : context(context), scope(std::make_shared<Scope>()) {
  for (const auto &[name, value] : variables.entries)
    scope->names[name.text()] = value;
  // Names that a template sets at its top hide them.
  scope = std::make_shared<Scope>(Scope{{}, scope});
}

void Renderer::write(const std::string &text) {
  context.addWork(text.size());
  if (output.size() + text.size() > kMostBytes)
    throw Refusal{"the text has more than 16 MiB"};
  output += text;
}

static ScopePtr scopeIn(const ScopePtr &outer) {
  return std::make_shared<Scope>(Scope{{}, outer});
}

Renderer::Flow Renderer::render(const Nodes &nodes) {
  for (const auto &node : nodes)
    if (Flow flow = render(*node); flow != Flow::On)
      return flow;
  return Flow::On;
}

Renderer::Flow Renderer::render(const Node &node) {
  Level level(context, node.line);
  switch (node.kind) {
  case Node::Text:
    write(node.text);
    break;
  case Node::Output: {
    Value value = evaluate(*node.expression);
    context.line = node.line;
    write(textOfAny(context, value));
    break;
  }
  case Node::If:
    return renderIf(node);
  case Node::For:
    return renderLoop(node, evaluate(*node.expression), scope, 0);
  case Node::Set:
    return renderSet(node);
  case Node::Macro:
    scope->names[node.text] = makeMacro(node);
    break;
  case Node::CallBlock:
    renderCallBlock(node);
    break;
  case Node::FilterBlock:
    return renderFilterBlock(node);
  case Node::With:
    return renderWith(node);
  case Node::Scope:
    return renderScope(node.body);
  case Node::Break:
    return Flow::Break;
  case Node::Continue:
    return Flow::Continue;
  }
  return Flow::On;
}

Renderer::Flow Renderer::renderIf(const Node &node) {
  for (const Node::Branch &branch : node.branches)
    if (!branch.condition || evaluate(*branch.condition).isTrue())
      return render(branch.body);
  return Flow::On;
}

// One target takes the whole value, several an element each.
void Renderer::assign(const Target &target, const Value &value) {
  if (!target.attribute.empty())
    return setAttribute(context, lookUp(target.name), target.attribute, value);
  if (!target.isTuple) {
    scope->names[target.name] = value;
    return;
  }
  std::vector<Value> elements = elementsOf(context, value);
  if (elements.size() != target.elements.size())
    throw Refusal{"expected " + std::to_string(target.elements.size()) +
                  " elements, found " + std::to_string(elements.size())};
  for (size_t i = 0; i < elements.size(); ++i)
    assign(target.elements[i], elements[i]);
}

Value Renderer::captured(const Nodes &body, Flow &flow) {
  return Value(textOf(scopeIn(scope), [&] { flow = render(body); }));
}

Renderer::Flow Renderer::renderSet(const Node &node) {
  if (node.expression) {
    assign(node.targets[0], evaluate(*node.expression));
    return Flow::On;
  }
  Flow flow;
  Value text = captured(node.body, flow);
  if (flow != Flow::On)
    return flow;
  if (node.filter)
    text = evaluateFilter(*node.filter, &text);
  assign(node.targets[0], text);
  return flow;
}

Renderer::Flow Renderer::renderFilterBlock(const Node &node) {
  Flow flow;
  Value text = captured(node.body, flow);
  // A loop that ends inside leaves nothing of the block.
  if (flow != Flow::On)
    return flow;
  Value result = evaluateFilter(*node.filter, &text);
  if (!result.isText())
    throw Refusal{"a filter block makes a text, found " + describe(result)};
  write(result.text());
  return flow;
}

Renderer::Flow Renderer::renderWith(const Node &node) {
  std::vector<Value> values;
  for (const ExpressionPtr &value : node.values)
    values.push_back(evaluate(*value));
  Inside inside(*this, scopeIn(scope));
  for (size_t i = 0; i < values.size(); ++i)
    assign(node.targets[i], values[i]);
  return render(node.body);
}

Renderer::Flow Renderer::renderScope(const Nodes &body) {
  Inside inside(*this, scopeIn(scope));
  return render(body);
}

Value Renderer::makeMacro(const Node &node) {
  return Value(context.make<Macro>(*this, node, scope));
}

void Renderer::renderCallBlock(const Node &node) {
  Value caller = makeMacro(node);
  Value result = evaluateCall(*node.expression, &caller);
  write(textOfAny(context, result));
}
