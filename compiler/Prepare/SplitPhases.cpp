// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @forward(ids: [batch, length]) attributes {heddle.decoder = "length"}
//   -> func @prefill(ids: [batch, length]), func @decode(ids: [batch, 1])

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace heddle {
#define GEN_PASS_DEF_SPLITPHASES
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The symbol that is 1 in decode: the one declared, or else that of the tokens
// that caches are appended.
static FailureOr<std::string> findStep(func::FuncOp decoder) {
  if (auto declared = decoder->getAttrOfType<StringAttr>(kDecoderAttr))
    return declared.str();
  SizeAttr step;
  for (auto append : decoder.getOps<CacheAppendOp>()) {
    SizeAttr tokens = sizesOf(append.getKey())[1];
    if (tokens.getKind() != SizeKind::Symbol || (step && step != tokens)) {
      step = {};
      break;
    }
    step = tokens;
  }
  if (step)
    return step.str();
  return decoder.emitError("expected ")
         << kDecoderAttr
         << " to name the size that is 1 when decoding, as no single size "
            "counts the tokens of heddle.cache.append";
}

static LogicalResult setToOne(func::FuncOp decode, StringRef step) {
  MLIRContext *context = decode.getContext();
  auto one = SizeAttr::number(context, 1);
  bool isFound = false;
  auto substitute = [&](SizeAttr size) {
    return size ? size.substitute([&](StringRef name) {
      isFound |= name == step;
      return name == step ? one : SizeAttr();
    })
                : SizeAttr();
  };
  auto setType = [&](BlockArgument argument) {
    Sizes sizes = sizesOf(argument);
    for (SizeAttr &size : sizes)
      size = substitute(size);
    argument.setType(withSizes(argument.getType(), sizes));
  };
  for (BlockArgument argument : decode.getArguments()) {
    setType(argument);
    unsigned index = argument.getArgNumber();
    if (auto values = decode.getArgAttrOfType<ValuesAttr>(index, kValuesAttr))
      decode.setArgAttr(index, kValuesAttr,
                        ValuesAttr::get(context, values.getMinimum(),
                                        substitute(values.getMaximum()),
                                        values.getLengths(),
                                        substitute(values.getSize())));
  }
  if (auto symbols = decode->getAttrOfType<ArrayAttr>(kSymbolsAttr)) {
    SmallVector<Attribute> others;
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      if (symbol.getName() != step)
        others.push_back(symbol);
    decode->setAttr(kSymbolsAttr, ArrayAttr::get(context, others));
  }
  if (!isFound)
    return decode.emitError("expected ")
           << kDecoderAttr << " to name a size of an argument, found '" << step
           << "'";
  // Ops such as heddle.reshape state sizes, too.
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SizeAttr size) {
    return std::make_pair(Attribute(substitute(size)), WalkResult::skip());
  });
  decode.getBody().walk([&](Operation *op) {
    replacer.replaceElementsIn(op);
    // As do those of regions, such as changes of scores.
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        setType(argument);
  });
  return resolveSizes(decode);
}

namespace {
struct SplitPhases : heddle::impl::SplitPhasesBase<SplitPhases> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> decoders;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kDecoderAttr))
        decoders.push_back(function);
    if (decoders.size() > 1) {
      decoders[1]
              .emitError("expected one function with heddle.decoder, found ")
              .attachNote(decoders[0].getLoc())
          << "another";
      return signalPassFailure();
    }
    for (func::FuncOp prefill : decoders)
      if (failed(split(prefill)))
        return signalPassFailure();
  }

  LogicalResult split(func::FuncOp prefill) {
    if (prefill.isDeclaration())
      return prefill.emitError("expected a body");
    FailureOr<std::string> step = findStep(prefill);
    if (failed(step))
      return failure();
    prefill->removeAttr(kDecoderAttr);
    func::FuncOp decode = prefill.clone();
    prefill.setName("prefill");
    decode.setName("decode");
    OpBuilder builder(prefill.getContext());
    builder.setInsertionPointAfter(prefill);
    builder.insert(decode);
    return setToOne(decode, *step);
  }
};
} // namespace
