// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/LoopNest.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

LoopNest LoopNest::of(const For *outermost) {
  LoopNest nest;
  std::vector<Stmt> sinceLast;
  auto outside = [&](Expr bound) {
    for (auto part = nest.between.rbegin(); part != nest.between.rend(); ++part)
      if (auto *let = part->as<LetStmt>())
        bound = substitute(let->name, let->value, bound);
    for (const For *loop : nest.loops)
      if (expr_uses_var(bound, loop->name))
        throw MappingError{"the bounds of '" + loop->name +
                           "' and of a loop inside of it depend on each other"};
    return simplify(bound);
  };
  auto add = [&](const For *loop) {
    nest.between.insert(nest.between.end(), sinceLast.begin(), sinceLast.end());
    sinceLast.clear();
    nest.mins.push_back(outside(loop->min));
    nest.extents.push_back(outside(loop->extent));
    nest.loops.push_back(loop);
  };
  add(outermost);
  for (Stmt body = outermost->body;;) {
    if (auto *let = body.as<LetStmt>()) {
      sinceLast.push_back(body);
      body = let->body;
      continue;
    }
    if (auto *branch = body.as<IfThenElse>();
        branch && !branch->else_case.defined()) {
      sinceLast.push_back(body);
      body = branch->then_case;
      continue;
    }
    auto *loop = body.as<For>();
    if (!loop || loop->for_type != outermost->for_type)
      return nest;
    add(loop);
    body = loop->body;
  }
}

bool LoopNest::hasLoop(const std::string &name) const {
  return std::any_of(loops.begin(), loops.end(),
                     [&](const For *loop) { return loop->name == name; });
}

Stmt LoopNest::body() const {
  Stmt body = loops.back()->body;
  for (auto part = between.rbegin(); part != between.rend(); ++part) {
    if (auto *let = part->as<LetStmt>())
      body = LetStmt::make(let->name, let->value, body);
    else
      body = IfThenElse::make(part->as<IfThenElse>()->condition, body);
  }
  return body;
}

std::pair<Expr, Stmt> LoopNest::asOne(const Expr &number) const {
  Stmt all = body();
  Expr rest = number, steps = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    Expr at = i == 0 ? rest : rest % extents[i];
    all = LetStmt::make(loops[i]->name, simplify(at + mins[i]), all);
    steps = simplify(steps * extents[i]);
    rest = rest / extents[i];
  }
  return {steps, all};
}
