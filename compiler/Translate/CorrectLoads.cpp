// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/CorrectLoads.h"

#include <map>

using namespace Halide::Internal;

namespace {
class CorrectLoads : public IRMutator {
public:
  explicit CorrectLoads(const std::vector<Halide::Func> &outputs) {
    for (Halide::Func output : outputs)
      buffers[output.name()] = output.output_buffer().parameter();
  }

private:
  using IRMutator::visit;

  Halide::Expr visit(const Load *op) override {
    auto output = buffers.find(op->name);
    Halide::Expr load =
        Load::make(op->type, op->name, mutate(op->index), op->image,
                   output == buffers.end() ? op->param : output->second,
                   mutate(op->predicate), op->alignment);
    return load.type().is_float() ? Halide::strict_float(load) : load;
  }

  std::map<std::string, Parameter> buffers;
};
} // namespace

void heddle::correctLoads(Halide::Pipeline &pipeline,
                          const std::vector<Halide::Func> &outputs) {
  pipeline.add_custom_lowering_pass(new CorrectLoads(outputs));
}
