// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Jinja.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Work.h"

#include <map>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

/// One rendering.
class Renderer {
public:
  Renderer(const std::string &where, const Json &variables) : where(where) {
    scopes.emplace_back();
    for (const auto &[name, value] : variables.items())
      scopes.back()[name] = at(1, [&, &value = value] { return Value(value); });
  }

  void render(const Nodes &nodes) {
    for (const auto &node : nodes)
      render(*node);
  }

  std::string take() { return std::move(output); }

private:
  static constexpr size_t kMostWork = size_t(256) << 20;

  using Scope = std::map<std::string, Value, std::less<>>;

  [[noreturn]] void fail(int line, const std::string &message) const {
    throw Failure(where + ": line " + std::to_string(line) + ": " + message);
  }

  // Templates come with models, which may come from anywhere.
  void count(int line) {
    if (++steps > 1'000'000)
      fail(line, "the template takes more than a million steps");
    if (output.size() > kMostBytes)
      fail(line, "the text has more than 16 MiB");
  }

  // Bytes that are looked at or made: they limit time and memory.
  void addWork(int line, size_t bytes) {
    work += bytes;
    if (work > kMostWork)
      fail(line, "the template works on more than 256 MiB");
  }

  // What a function or an operator refuses is told with its line.
  template <typename Body> Value at(int line, const Body &body) {
    Value value;
    try {
      value = body();
    } catch (const Refusal &refusal) {
      fail(line, refusal.message);
    }
    addWork(line, value.takeBytes());
    return value;
  }

  //===-- statements ------------------------------------------------------===//

  void render(const Node &node) {
    count(node.line);
    switch (node.kind) {
    case Node::Text:
      output += node.text;
      return;
    case Node::Output:
      output += at(node.line, [&] {
                  return Value(evaluate(*node.expression).toText());
                }).data();
      return;
    case Node::If:
      for (const Node::Branch &branch : node.branches)
        if (!branch.condition || evaluate(*branch.condition).isTrue())
          return render(branch.body);
      return;
    case Node::For:
      return renderLoop(node);
    case Node::Set:
      return renderSet(node);
    }
  }

  void assign(int line, const std::string &target, Value value) {
    size_t dot = target.find('.');
    if (dot == std::string::npos) {
      scopes.back()[target] = std::move(value);
      return;
    }
    at(line, [&] {
      Value object = lookUp(target.substr(0, dot));
      if (!object.isNamespace())
        throw Refusal{"'" + target.substr(0, dot) + "' is no namespace"};
      object.setAttribute(target.substr(dot + 1), std::move(value));
      return Value();
    });
  }

  void renderSet(const Node &node) {
    Value value;
    if (node.expression) {
      value = evaluate(*node.expression);
    } else {
      std::string before = std::exchange(output, "");
      scopes.emplace_back();
      render(node.body);
      scopes.pop_back();
      value = at(node.line, [&] {
        return Value(Json(std::exchange(output, std::move(before))));
      });
    }
    unpack(node, value);
  }

  // One target takes the whole value, several an element each.
  void unpack(const Node &node, const Value &value) {
    if (node.targets.size() == 1)
      return assign(node.line, node.targets[0], value);
    std::vector<Value> elements = elementsOf(node.line, value);
    if (elements.size() != node.targets.size())
      fail(node.line, "expected " + std::to_string(node.targets.size()) +
                          " elements, found " +
                          std::to_string(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i)
      assign(node.line, node.targets[i], elements[i]);
  }

  std::vector<Value> elementsOf(int line, const Value &value) {
    addWork(line, workOfElements(value));
    std::vector<Value> elements;
    at(line, [&] {
      elements = value.elements();
      return Value();
    });
    return elements;
  }

  void renderLoop(const Node &node) {
    std::vector<Value> all = elementsOf(node.line, evaluate(*node.expression));
    std::vector<Value> kept;
    scopes.emplace_back();
    for (const Value &element : all) {
      count(node.line);
      unpack(node, element);
      if (!node.condition || evaluate(*node.condition).isTrue())
        kept.push_back(element);
    }
    for (size_t i = 0; i < kept.size(); ++i) {
      scopes.back().clear();
      unpack(node, kept[i]);
      scopes.back()["loop"] = loopOf(kept, i);
      render(node.body);
    }
    scopes.pop_back();
    if (kept.empty())
      render(node.otherwise);
  }

  static Value loopOf(const std::vector<Value> &elements, size_t index) {
    int64_t count = int64_t(elements.size()), i = int64_t(index);
    Value loop = Value::makeNamespace();
    loop.setAttribute("index", Value(Json(i + 1)));
    loop.setAttribute("index0", Value(Json(i)));
    loop.setAttribute("revindex", Value(Json(count - i)));
    loop.setAttribute("revindex0", Value(Json(count - i - 1)));
    loop.setAttribute("first", Value(Json(i == 0)));
    loop.setAttribute("last", Value(Json(i + 1 == count)));
    loop.setAttribute("length", Value(Json(count)));
    if (i > 0)
      loop.setAttribute("previtem", elements[index - 1]);
    if (i + 1 < count)
      loop.setAttribute("nextitem", elements[index + 1]);
    return loop;
  }

  //===-- expressions -----------------------------------------------------===//

  Value lookUp(const std::string &name) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto found = scope->find(name); found != scope->end())
        return found->second;
    return isFunction(name) ? Value::makeFunction() : Value();
  }

  Value evaluate(const Expression &e) {
    count(e.line);
    switch (e.kind) {
    case Expression::Literal:
      return at(e.line, [&] { return Value(e.value); });
    case Expression::Name:
      return at(e.line, [&] { return lookUp(e.text); });
    case Expression::List:
      return at(e.line, [&] {
        ListBuilder list;
        for (const ExpressionPtr &part : e.parts)
          list.add(evaluate(*part));
        return list.take();
      });
    case Expression::Dictionary:
      return evaluateDictionary(e);
    case Expression::Attribute: {
      Value object = evaluate(*e.parts[0]);
      return at(e.line, [&] { return object.attribute(e.text); });
    }
    case Expression::Subscript: {
      Value object = evaluate(*e.parts[0]), index = evaluate(*e.parts[1]);
      addWork(e.line, workOfSubscript(object));
      return at(e.line, [&] { return object.element(index); });
    }
    case Expression::Slice:
      return evaluateSlice(e);
    case Expression::Call:
      return evaluateCall(e);
    case Expression::Filter: {
      Value operand = evaluate(*e.parts[0]);
      Arguments arguments = argumentsOf(e);
      return at(e.line, [&] {
        addWork(e.line, workOfFilter(e.text, operand, arguments));
        return applyFilter(e.text, operand, arguments);
      });
    }
    case Expression::Test: {
      Value operand = evaluate(*e.parts[0]);
      Arguments arguments = argumentsOf(e);
      return at(e.line, [&] {
        addWork(e.line, workOfTest(operand, arguments));
        return Value(Json(applyTest(e.text, operand, arguments)));
      });
    }
    case Expression::Unary: {
      Value operand = evaluate(*e.parts[0]);
      return at(e.line, [&] { return applyUnary(e.text, operand); });
    }
    case Expression::Binary:
      return evaluateBinary(e);
    case Expression::Choice:
      if (evaluate(*e.parts[1]).isTrue())
        return evaluate(*e.parts[0]);
      return e.parts[2] ? evaluate(*e.parts[2]) : Value();
    }
    return Value();
  }

  // The values are a list first, which is bounded while it grows.
  Value evaluateDictionary(const Expression &e) {
    return at(e.line, [&] {
      ListBuilder values;
      for (const ExpressionPtr &part : e.parts)
        values.add(evaluate(*part));
      Value list = values.take();
      Json object = Json::object();
      for (size_t i = 0; i < e.parts.size(); i += 2) {
        const Json &key = list.data()[i];
        if (!key.is_string())
          throw Refusal{"keys are strings, found " + describe(key)};
        object[key.get<std::string>()] = list.data()[i + 1];
      }
      return Value(std::move(object));
    });
  }

  Value evaluateBinary(const Expression &e) {
    Value left = evaluate(*e.parts[0]);
    // They decide without the right one where they can, and give an operand.
    if (e.text == "and")
      return left.isTrue() ? evaluate(*e.parts[1]) : left;
    if (e.text == "or")
      return left.isTrue() ? left : evaluate(*e.parts[1]);
    Value right = evaluate(*e.parts[1]);
    return at(e.line, [&] {
      addWork(e.line, workOfBinary(e.text, left, right));
      return applyBinary(e.text, left, right);
    });
  }

  Value evaluateSlice(const Expression &e) {
    Value object = evaluate(*e.parts[0]);
    std::optional<int64_t> bounds[3];
    for (int i = 0; i < 3; ++i)
      if (e.parts[i + 1]) {
        Json bound = evaluate(*e.parts[i + 1]).data();
        if (!bound.is_number_integer())
          fail(e.line, "a slice has integers, found " + describe(bound));
        bounds[i] = bound.get<int64_t>();
      }
    addWork(e.line, workOfSlice(object));
    return at(e.line,
              [&] { return object.slice(bounds[0], bounds[1], bounds[2]); });
  }

  Arguments argumentsOf(const Expression &e) {
    Arguments arguments;
    for (size_t i = 1; i < e.parts.size(); ++i) {
      std::string name = i - 1 < e.names.size() ? e.names[i - 1] : "";
      if (name.empty())
        arguments.values.push_back(evaluate(*e.parts[i]));
      else
        arguments.named.emplace_back(name, evaluate(*e.parts[i]));
    }
    return arguments;
  }

  Value evaluateCall(const Expression &e) {
    const Expression &callee = *e.parts[0];
    Arguments arguments = argumentsOf(e);
    if (callee.kind == Expression::Attribute) {
      Value object = evaluate(*callee.parts[0]);
      addWork(e.line, workOfMethod(object, arguments));
      return at(e.line,
                [&] { return callMethod(callee.text, object, arguments); });
    }
    if (callee.kind != Expression::Name)
      fail(e.line, "only functions and methods can be called");
    return at(e.line, [&] { return callFunction(callee.text, arguments); });
  }

  const std::string &where;
  std::vector<Scope> scopes;
  std::string output;
  size_t steps = 0;
  size_t work = 0; ///< bytes
};

} // namespace

/// Line ends are newlines, as Jinja makes them.
static std::string withNewlines(std::string_view source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i)
    if (source[i] != '\r')
      text += source[i];
    else if (i + 1 == source.size() || source[i + 1] != '\n')
      text += '\n';
  return text;
}

Jinja::Jinja(std::string_view source, std::string givenWhere)
    : where(std::move(givenWhere)) {
  if (auto position = firstInvalid(source))
    throw Failure(where + ": expected UTF-8, found another byte at offset " +
                  std::to_string(*position));
  nodes = parse(withNewlines(source), where);
}

std::string Jinja::render(const Json &variables) const {
  Renderer renderer(where, variables);
  renderer.render(nodes);
  return renderer.take();
}
