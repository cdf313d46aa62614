// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/PipelineText.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace heddle;

// Sizes get numbers for names, in the order that the function takes them in.
// Where an attribute has an expression of sizes that the function does not
// take, all keep their names: what stands for what in the expression is not
// told by numbers.
static void numberSizes(halide::PipelineOp pipeline) {
  MLIRContext *context = pipeline.getContext();
  llvm::DenseMap<Attribute, SizeAttr> numbered;
  for (halide::ParamOp param : pipeline.getOps<halide::ParamOp>())
    numbered.try_emplace(
        param.getSize(),
        SizeAttr::symbol(context, "size" + std::to_string(numbered.size())));
  AttrTypeWalker walker;
  walker.addWalk([&](SizeAttr size) {
    bool isMade = !size.asNumber() && !numbered.contains(size);
    return isMade ? WalkResult::interrupt() : WalkResult::skip();
  });
  WalkResult walked = pipeline->walk([&](Operation *op) {
    return walker.walk<WalkOrder::PreOrder>(op->getAttrDictionary());
  });
  if (walked.wasInterrupted())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SizeAttr size) {
    SizeAttr number = numbered.lookup(size);
    return std::pair(number ? number : size, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(pipeline);
}

std::string heddle::textOf(halide::PipelineOp pipeline) {
  OwningOpRef<halide::PipelineOp> copy = pipeline.clone();
  copy->setSymName("pipeline");
  numberSizes(*copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*copy)->print(stream, OpPrintingFlags().printGenericOpForm());
  return text;
}
