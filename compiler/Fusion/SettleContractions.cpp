// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #heddle.contraction<.. i32 sums of 32>  ->  #heddle.contraction<..>
// where the layout of the columns allows no sums of integers, and so of pairs

#include "compiler/Fusion/Contraction.h"
#include "compiler/Fusion/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_SETTLECONTRACTIONS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct SettleContractions
    : heddle::impl::SettleContractionsBase<SettleContractions> {
  using SettleContractionsBase::SettleContractionsBase;

  void runOnOperation() override {
    getOperation()->walk([&](GenericOp op) {
      if (auto contraction = Contraction::of(op))
        settle(op, *contraction);
    });
  }

private:
  void settle(GenericOp op, const Contraction &contraction) {
    bool addsIntegers = contraction.addsIntegers(op);
    bool addsPairs = contraction.addsPairs(op);
    const char *lost = contraction.terms > 0 && !addsIntegers ? "integers"
                       : contraction.pairs && !addsPairs      ? "pairs of bf16"
                                                              : nullptr;
    if (!lost)
      return;
    auto known = op->getAttrOfType<ContractionAttr>(kContractionAttr);
    op->setAttr(kContractionAttr,
                ContractionAttr::get(
                    op.getContext(), known.getRows(), known.getColumns(),
                    addsIntegers ? known.getTerms() : 0, addsPairs));
    if (remarks)
      op.emitRemark("a sum of products of ")
          << lost << " that is made in f32, as its columns do not lie in "
          << "panels with whole groups of them";
  }
};
} // namespace
