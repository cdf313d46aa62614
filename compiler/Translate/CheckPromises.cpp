// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/CheckPromises.h"

#include <sstream>

using namespace Halide::Internal;

namespace {
class PromiseVisitor : public IRVisitor {
public:
  std::string unproven;

private:
  using IRVisitor::visit;

  void visit(const AssertStmt *op) override {
    const Call *error = op->message.as<Call>();
    if (!unproven.empty() || !error ||
        error->name != "halide_error_explicit_bounds_too_small")
      return;
    std::ostringstream text;
    text << op->condition << " for " << op->message;
    unproven = text.str();
  }
};
} // namespace

std::string heddle::unprovenPromise(const Halide::Module &module) {
  PromiseVisitor visitor;
  for (const LoweredFunc &function : module.functions())
    function.body.accept(&visitor);
  return visitor.unproven;
}
