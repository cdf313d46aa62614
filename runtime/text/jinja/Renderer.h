// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates a template's tree.

#ifndef HEDDLE_TEXT_JINJA_RENDERER_H
#define HEDDLE_TEXT_JINJA_RENDERER_H

#include "runtime/text/jinja/Arguments.h"
#include "runtime/text/jinja/Tree.h"

namespace heddle::text::jinja {

/// Names of a block. Macros keep the scope that they are defined in.
struct Scope {
  std::map<std::string, Value, std::less<>> names;
  std::shared_ptr<Scope> parent;
};
using ScopePtr = std::shared_ptr<Scope>;

/// One rendering.
class Renderer {
public:
  /// How a statement ended: as usual, or by break or continue.
  enum class Flow { On, Break, Continue };

  Renderer(Context &context, const Dictionary &variables);

  Flow render(const Nodes &nodes);
  std::string take() { return std::move(output); }

  Value evaluate(const Expression &expression);

  /// The text that `body` writes while `scope` has its names.
  template <typename Body> std::string textOf(ScopePtr inner, Body body);
  void assign(const Target &target, const Value &value);
  /// A loop's text, for each element of `iterable`, `depth` loops deep.
  Flow renderLoop(const Node &node, const Value &iterable,
                  const ScopePtr &outer, int depth);
  /// Whether the condition of a loop takes an element, which becomes a tuple
  /// where the loop assigns to several names.
  bool isTaken(const Node &loop, const ScopePtr &outer, Value &element);

  Context &context;

private:
  /// A scope until the end of a block.
  class Inside;
  /// A level of evaluation, which takes some of the stack.
  struct Level {
    Level(Context &context, int line);
    ~Level() { --context.depth; }
    Context &context;
  };

  void write(const std::string &text);
  Flow render(const Node &node);
  Flow renderIf(const Node &node);
  Flow renderSet(const Node &node);
  Flow renderWith(const Node &node);
  Flow renderScope(const Nodes &body);
  Flow renderFilterBlock(const Node &node);
  void renderCallBlock(const Node &node);
  Value makeMacro(const Node &node);
  /// The text of a block, and how it ended.
  Value captured(const Nodes &body, Flow &flow);

  Value lookUp(const std::string &name);
  /// What was assigned to a target.
  Value valueOf(const Target &target);
  Value evaluateKind(const Expression &e);
  Value evaluateElements(const Expression &e);
  Value evaluateDictionary(const Expression &e);
  Value evaluateBinary(const Expression &e);
  Value evaluateComparison(const Expression &e);
  Value evaluateJoin(const Expression &e);
  Value evaluateSlice(const Expression &e);
  Value evaluateCall(const Expression &e, const Value *caller = nullptr);
  Value evaluateFilter(const Expression &e, const Value *blockText);
  Value evaluateTest(const Expression &e);
  Arguments argumentsOf(const Expression &e);

  ScopePtr scope;
  std::map<std::string, Value, std::less<>> functions; ///< that were asked for
  std::string output;
};

class Renderer::Inside {
public:
  Inside(Renderer &renderer, ScopePtr inner)
      : renderer(renderer),
        outer(std::exchange(renderer.scope, std::move(inner))) {}
  ~Inside() { renderer.scope = outer; }

private:
  Renderer &renderer;
  ScopePtr outer;
};

template <typename Body>
std::string Renderer::textOf(ScopePtr inner, Body body) {
  Inside inside(*this, std::move(inner));
  std::string before = std::exchange(output, "");
  body();
  return std::exchange(output, std::move(before));
}

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_RENDERER_H
