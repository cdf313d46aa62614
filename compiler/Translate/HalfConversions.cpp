// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/HalfConversions.h"

#include "compiler/Lowering/LibraryFunctions.h"
#include "compiler/Translate/ScalarTranslation.h"

using namespace Halide::Internal;

static bool isHalf(Halide::Type type) {
  return type.is_float() && !type.is_bfloat() && type.bits() == 16;
}

static bool isBFloat(Halide::Type type) {
  return type.is_bfloat() && type.bits() == 16;
}

static bool isSingle(Halide::Type type) {
  return type.is_float() && type.bits() == 32;
}

static Halide::Expr call(Halide::Type type, llvm::StringRef name,
                         const Halide::Expr &value) {
  return Call::make(type, name.str(), {value}, Call::PureExtern);
}

namespace {
class HalfConversions : public IRMutator {
public:
  HalfConversions(bool halves, bool bfloats)
      : halves(halves), bfloats(bfloats) {}

private:
  using IRMutator::visit;

  Halide::Expr visit(const Cast *op) override {
    Halide::Type from = op->value.type(), to = op->type;
    auto bits = Halide::UInt(16, to.lanes());
    // Of a float that a function returns, Halide promises that it is no NaN.
    if (halves && isHalf(from) && isSingle(to))
      return Halide::strict_float(
          call(to, heddle::kWidenHalf,
               Halide::reinterpret(bits, mutate(op->value))));
    if (halves && isSingle(from) && isHalf(to))
      return Halide::reinterpret(
          to, call(bits, heddle::kNarrowHalf, mutate(op->value)));
    if (isSingle(from) && isBFloat(to)) {
      Halide::Expr value = mutate(op->value);
      if (!bfloats) {
        std::string name = unique_name("narrow");
        return Let::make(
            name, value,
            heddle::narrow(Variable::make(value.type(), name), to));
      }
      return Halide::reinterpret(to, call(bits, heddle::kNarrowBFloat, value));
    }
    return IRMutator::visit(op);
  }

  bool halves, bfloats;
};
} // namespace

void heddle::callHalfConversions(Halide::Pipeline &pipeline, bool halves,
                                 bool bfloats) {
  pipeline.add_custom_lowering_pass(new HalfConversions(halves, bfloats));
}
