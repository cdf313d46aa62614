// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Macros, and what call blocks give them as "caller".

#ifndef HEDDLE_TEXT_JINJA_MACRO_H
#define HEDDLE_TEXT_JINJA_MACRO_H

#include "runtime/text/jinja/Renderer.h"

namespace heddle::text::jinja {

class Macro : public Object {
public:
  /// `node` has the signature and the body, and must outlive this.
  Macro(Renderer &renderer, const Node &node, ScopePtr outer)
      : renderer(renderer), node(node), outer(std::move(outer)) {}

  std::string name() const override;
  bool isCallable() const override { return true; }
  Value attribute(Context &context, const std::string &name) override;
  Value call(Context &context, const Arguments &arguments) override;
  std::string toText(Context &context) override;
  void clear() override { outer = nullptr; }

private:
  ScopePtr bind(Context &context, const Arguments &arguments) const;

  Renderer &renderer;
  const Node &node;
  ScopePtr outer;
};

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_MACRO_H
