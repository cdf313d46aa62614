// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops, and the object "loop" that their bodies see.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Functions.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Renderer.h"

#include <deque>
#include <optional>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

/// Elements come when they are asked for: a condition may use what the body
/// has changed.
class Loop : public Object {
public:
  Loop(Renderer &renderer, const Node &node, const Value &iterable,
       ScopePtr outer, int depth)
      : renderer(renderer), node(node), iterable(iterable),
        outer(std::move(outer)), cursor(renderer.context, iterable),
        depth(depth) {}

  /// False at the end.
  bool advance(Value &element) {
    if (!after)
      after = pull();
    if (!*after)
      return false;
    before = std::exchange(current, **after);
    after.reset();
    ++index;
    element = current;
    return true;
  }

  std::string name() const override { return "a loop"; }
  bool isCallable() const override { return true; }
  Value attribute(Context &context, const std::string &name) override;
  Value call(Context &context, const Arguments &arguments) override;
  std::string toText(Context &) override {
    return "<LoopContext " + std::to_string(index + 1) + "/" +
           std::to_string(length()) + ">";
  }
  void clear() override {
    iterable = before = current = Value();
    after.reset();
    waiting.clear();
    changed.reset();
    outer = nullptr;
  }

private:
  // The next element; nothing at the end.
  std::optional<Value> pull() {
    if (!waiting.empty()) {
      Value element = waiting.front();
      waiting.pop_front();
      return element;
    }
    for (Value element; cursor.next(element);)
      if (renderer.isTaken(node, outer, element))
        return element;
    return std::nullopt;
  }

  const std::optional<Value> &peek() {
    if (!after)
      after = pull();
    return *after;
  }

  int64_t length() {
    if (count)
      return *count;
    bool hasLength = !node.condition && !iterable.isIterator();
    if (hasLength) {
      count = sizeOf(renderer.context, iterable);
      return *count;
    }
    std::deque<Value> rest;
    while (std::optional<Value> element = pull()) {
      renderer.context.addWork(sizeof(Value));
      rest.push_back(*element);
    }
    waiting = std::move(rest);
    count = int64_t(waiting.size()) + index + 1 + (after && *after);
    return *count;
  }

  Renderer &renderer;
  const Node &node;
  Value iterable;
  ScopePtr outer;
  Cursor cursor;
  int depth;
  int64_t index = -1;
  Value before, current;
  /// The next element, if it was asked for; inside, nothing at the end.
  std::optional<std::optional<Value>> after;
  std::deque<Value> waiting; ///< elements that length() has counted
  std::optional<int64_t> count;
  std::optional<Value> changed; ///< what changed() was given last

  friend class LoopMethod;
};

/// loop.cycle and loop.changed
class LoopMethod : public Object {
public:
  LoopMethod(Loop &loop, std::string title)
      : loop(loop), title(std::move(title)) {}
  std::string name() const override { return "the function '" + title + "'"; }
  bool isCallable() const override { return true; }
  Value call(Context &context, const Arguments &arguments) override {
    const std::vector<Value> &values = arguments.values;
    if (!arguments.named.empty() || (title == "cycle" && values.empty()))
      throw Refusal{"'" + title + "' takes other arguments"};
    if (title == "cycle")
      return values[size_t(loop.index) % values.size()];
    Value given = Value::tuple(values);
    if (loop.changed && areEqual(context, *loop.changed, given))
      return Value(false);
    loop.changed = given;
    return Value(true);
  }

private:
  Loop &loop; // lives as long as the rendering, as all objects do
  std::string title;
};

} // namespace

Value Loop::attribute(Context &context, const std::string &name) {
  if (name == "index")
    return Value(index + 1);
  if (name == "index0")
    return Value(index);
  if (name == "first")
    return Value(index == 0);
  if (name == "last")
    return Value(!peek());
  if (name == "previtem")
    return before;
  if (name == "nextitem")
    return peek().value_or(Value());
  if (name == "length")
    return Value(length());
  if (name == "revindex")
    return Value(length() - index);
  if (name == "revindex0")
    return Value(length() - index - 1);
  if (name == "depth")
    return Value(int64_t(depth + 1));
  if (name == "depth0")
    return Value(int64_t(depth));
  if (name == "cycle" || name == "changed")
    return Value(context.make<LoopMethod>(*this, name));
  return Value();
}

Value Loop::call(Context &context, const Arguments &arguments) {
  static const std::string who = "loop";
  Parameters given(who, arguments, {"iterable"}, 1);
  if (!node.isRecursive)
    throw Refusal{"'loop' is called, but its loop is not recursive"};
  int line = context.line;
  std::string text = renderer.textOf(
      outer, [&] { renderer.renderLoop(node, given.at(0), outer, depth + 1); });
  context.line = line;
  return Value(std::move(text));
}

Value Renderer::valueOf(const Target &target) {
  if (!target.isTuple)
    return lookUp(target.name);
  std::vector<Value> elements;
  for (const Target &element : target.elements)
    elements.push_back(valueOf(element));
  return Value::tuple(std::move(elements));
}

bool Renderer::isTaken(const Node &loop, const ScopePtr &outer,
                       Value &element) {
  if (!loop.condition)
    return true;
  Inside inside(*this, std::make_shared<Scope>(Scope{{}, outer}));
  assign(loop.targets[0], element);
  bool isTrue = evaluate(*loop.condition).isTrue();
  element = valueOf(loop.targets[0]);
  return isTrue;
}

Renderer::Flow Renderer::renderLoop(const Node &node, const Value &iterable,
                                    const ScopePtr &outer, int depth) {
  auto loop = context.make<Loop>(*this, node, iterable, outer, depth);
  bool isComplete = false;
  for (Value element; loop->advance(element);) {
    context.step();
    Inside inside(*this, std::make_shared<Scope>(Scope{{}, outer}));
    scope->names["loop"] = Value(std::shared_ptr<Object>(loop));
    assign(node.targets[0], element);
    Flow flow = render(node.body);
    if (flow == Flow::Break)
      break;
    isComplete |= flow == Flow::On;
  }
  // As Jinja has it: also where no element came to the body's end.
  if (!isComplete && !node.otherwise.empty()) {
    Inside inside(*this, std::make_shared<Scope>(Scope{{}, outer}));
    return render(node.otherwise);
  }
  return Flow::On;
}
