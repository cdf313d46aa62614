// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/StrictLoads.h"

using namespace Halide::Internal;

namespace {
class StrictLoads : public IRMutator {
  using IRMutator::visit;

  Halide::Expr visit(const Load *op) override {
    Halide::Expr load = IRMutator::visit(op);
    return load.type().is_float() ? Halide::strict_float(load) : load;
  }
};
} // namespace

void heddle::readStrictly(Halide::Pipeline &pipeline) {
  pipeline.add_custom_lowering_pass(new StrictLoads);
}
