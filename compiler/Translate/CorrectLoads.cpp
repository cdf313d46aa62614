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
    Parameter memory = output == buffers.end() ? op->param : output->second;
    Halide::Expr index = mutate(op->index);
    if (const Ramp *ramp = strided(index)) {
      index = withoutOffset(*ramp);
      if (!memory.defined())
        memory = buffers.begin()->second;
    }
    Halide::Expr load = Load::make(op->type, op->name, index, op->image, memory,
                                   mutate(op->predicate), op->alignment);
    return load.type().is_float() ? Halide::strict_float(load) : load;
  }

  /// The ramp of `index` where Halide may read whole vectors and drop what is
  /// between elements.
  static const Ramp *strided(const Halide::Expr &index) {
    const Ramp *ramp = index.as<Ramp>();
    const int64_t *stride = ramp ? as_const_int(ramp->stride) : nullptr;
    return stride && *stride > 1 ? ramp : nullptr;
  }

  /// Of a sum with a constant on its right, Halide takes the rest for a
  /// multiple of the stride, and begins to read there.
  static Halide::Expr withoutOffset(const Ramp &ramp) {
    const Add *sum = ramp.base.as<Add>();
    return Ramp::make(sum ? Add::make(sum->b, sum->a) : ramp.base, ramp.stride,
                      ramp.lanes);
  }

  std::map<std::string, Parameter> buffers;
};
} // namespace

void heddle::correctLoads(Halide::Pipeline &pipeline,
                          const std::vector<Halide::Func> &outputs) {
  pipeline.add_custom_lowering_pass(new CorrectLoads(outputs));
}
