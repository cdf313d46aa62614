// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/OutputGuards.h"

#include "compiler/Lowering/Names.h"
#include "compiler/Translate/ScalarTranslation.h"

using namespace mlir;
using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

static bool isProductPart(halide::FuncOp func) {
  return func->hasAttr(kProductPartAttr);
}

void OutputGuards::find(halide::PipelineOp pipeline) {
  mlir::Block &body = pipeline.getBody().front();
  llvm::StringMap<halide::FuncOp> funcs;
  for (auto func : body.getOps<halide::FuncOp>())
    funcs[func.getSymName()] = func;
  bool areParts = llvm::any_of(body.getOps<halide::FuncOp>(), isProductPart);
  if (pipeline->hasAttr(kCheckedAttr))
    pipeline.walk([&](halide::ComputeAtOp op) {
      halide::FuncOp func = funcs.lookup(op.getFunc());
      areParts &= func && isProductPart(func);
    });
  if (!areParts)
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

namespace {
/// Inputs that are read where a variable is below its end. Halide cannot see
/// this, as the guard is hidden from it.
class ReadBelow : public IRMutator {
public:
  ReadBelow(const std::string &var, const Expr &end) : var(var), end(end) {}

private:
  using IRMutator::visit;

  Expr visit(const Call *op) override {
    if (op->call_type != Call::Image)
      return IRMutator::visit(op);
    std::vector<Expr> coordinates;
    for (const Expr &coordinate : op->args)
      coordinates.push_back(substitute(
          var, Halide::unsafe_promise_clamped(Halide::Var(var), 0, end - 1),
          coordinate));
    return Call::make(op->type, op->name, coordinates, op->call_type, op->func,
                      op->value_index, op->image, op->param);
  }

  std::string var;
  Expr end;
};
} // namespace

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
      element = Halide::select(hidden(var) < end,
                               ReadBelow(var.name(), end).mutate(element),
                               Halide::undef(element.type()));
  }
  return Halide::Tuple(stored);
}

bool OutputGuards::see(const AssertStmt *assertion) const {
  auto *message = assertion->message.as<Call>();
  if (!message || message->name != "halide_error_access_out_of_bounds")
    return false;
  auto *buffer = message->args[0].as<StringImm>();
  const int64_t *dimension = as_const_int(message->args[1]);
  auto found = dimensions.find(buffer->value);
  return found != dimensions.end() && found->second.contains(*dimension);
}
