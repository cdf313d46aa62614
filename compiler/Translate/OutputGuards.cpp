// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/OutputGuards.h"

#include "compiler/Lowering/Names.h"
#include "compiler/Translate/ScalarTranslation.h"

using namespace mlir;
using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

void OutputGuards::find(halide::PipelineOp pipeline) {
  mlir::Block &body = pipeline.getBody().front();
  llvm::StringMap<halide::FuncOp> funcs;
  for (auto func : body.getOps<halide::FuncOp>()) {
    funcs[func.getSymName()] = func;
    // What is made of the sums of few rows is marked as well, and no part.
    auto part = func->getAttrOfType<StringAttr>(kProductPartAttr);
    if (part && part.getValue() != kOfFewRows)
      parts.insert(func.getSymName());
  }
  bool isKnown = !parts.empty();
  isChecked = pipeline->hasAttr(kCheckedAttr);
  if (isChecked)
    pipeline.walk([&](halide::ComputeAtOp op) {
      isKnown &= parts.contains(op.getFunc());
    });
  if (!isKnown)
    return;
  llvm::StringSet<> outputs;
  for (auto output : body.getOps<halide::OutputOp>())
    outputs.insert(output.getFunc());
  pipeline.walk([&](halide::SplitOp op) {
    if (op.getTail() != halide::Tail::GuardWithIf || op.getUpdate() ||
        !outputs.contains(op.getFunc()))
      return;
    auto vars = funcs.lookup(op.getFunc()).getVars();
    if (llvm::is_contained(vars.getAsValueRange<StringAttr>(), op.getOld()))
      guarded[op.getFunc()].insert(op.getOld());
  });
}

bool OutputGuards::has(StringRef func, StringRef var) const {
  auto found = guarded.find(func);
  return found != guarded.end() && found->second.contains(var);
}

std::map<std::string, Expr>
OutputGuards::promises(StringRef name, const std::vector<Halide::Var> &vars,
                       const std::vector<Expr> &ends) const {
  std::map<std::string, Expr> promised;
  for (auto [var, end] : llvm::zip_equal(vars, ends))
    if (isChecked && has(name, var.name()))
      promised[var.name()] = Halide::unsafe_promise_clamped(var, 0, end - 1);
  return promised;
}

Halide::Tuple OutputGuards::guard(StringRef name, const Halide::Func &func,
                                  const std::vector<Halide::Var> &vars,
                                  const std::vector<Expr> &ends,
                                  const Halide::Tuple &elements) {
  std::vector<Expr> stored = elements.as_vector();
  for (auto [dimension, var] : llvm::enumerate(vars)) {
    if (!has(name, var.name()))
      continue;
    dimensions["Output buffer " + func.name()].insert(dimension);
    Expr end = ends[dimension];
    for (Expr &element : stored)
      element = Halide::select(hidden(var) < end, element,
                               Halide::undef(element.type()));
  }
  return Halide::Tuple(stored);
}

Stmt OutputGuards::withoutEnd(const Stmt &assertion) const {
  auto *bounds = assertion.as<AssertStmt>();
  auto *message = bounds->message.as<Call>();
  if (!message || message->name != "halide_error_access_out_of_bounds")
    return assertion;
  // Of what, along which dimension, the first and the last that are accessed,
  // and those that there are.
  auto found = dimensions.find(message->args[0].as<StringImm>()->value);
  if (found == dimensions.end() ||
      !found->second.contains(*as_const_int(message->args[1])))
    return assertion;
  return AssertStmt::make(message->args[4] <= message->args[2],
                          bounds->message);
}
