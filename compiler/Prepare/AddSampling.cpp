// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {
#define GEN_PASS_DEF_ADDSAMPLING
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The functions that continue sequences: the decoder, or what it would become.
static SmallVector<func::FuncOp> findDecoders(ModuleOp module) {
  SmallVector<func::FuncOp> decoders;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kDecoderAttr))
      decoders.push_back(function);
  if (!decoders.empty())
    return decoders;
  auto prefill = module.lookupSymbol<func::FuncOp>("prefill");
  auto decode = module.lookupSymbol<func::FuncOp>("decode");
  if (!prefill || !decode)
    return {};
  return {prefill, decode};
}

// The logits [batch, vocabulary] that a decoder returns, or null.
static RankedTensorType findLogits(func::FuncOp decoder) {
  if (llvm::none_of(decoder.getArgumentTypes(), llvm::IsaPred<CacheType>))
    return nullptr;
  RankedTensorType logits;
  for (Type result : decoder.getResultTypes())
    if (auto type = dyn_cast<RankedTensorType>(result)) {
      if (logits)
        return nullptr;
      logits = type;
    }
  bool fits = logits && logits.getRank() == 2 && logits.isDynamicDim(0) &&
              !logits.isDynamicDim(1) && logits.getDimSize(1) > 0 &&
              logits.getElementType().isF32();
  return fits ? logits : nullptr;
}

static void buildSampling(ModuleOp module, Location loc, int64_t vocabulary) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type f32 = b.getF32Type();
  constexpr int64_t anyBatch = ShapedType::kDynamic;
  auto logits = RankedTensorType::get({anyBatch, vocabulary}, f32);
  auto numbers = RankedTensorType::get({anyBatch}, f32);
  auto ids = RankedTensorType::get({anyBatch}, b.getI32Type());
  auto type = b.getFunctionType({logits, numbers, numbers, numbers}, {ids});
  auto function = func::FuncOp::create(b, loc, "sample", type);
  function.setResultAttr(0, kNameAttr, b.getStringAttr("ids"));
  constexpr StringLiteral names[] = {"logits", "temperature", "min_p",
                                     "uniform"};
  for (auto [index, name] : llvm::enumerate(names)) {
    function.setArgAttr(index, kNameAttr, b.getStringAttr(name));
    function.setArgAttr(index, kSizesAttr, b.getStrArrayAttr({"batch"}));
  }
  b.setInsertionPointToStart(function.addEntryBlock());
  Value sampled = SampleOp::create(
      b, loc, ids, function.getArgument(0), function.getArgument(1),
      function.getArgument(2), function.getArgument(3));
  func::ReturnOp::create(b, loc, sampled);
}

namespace {
struct AddSampling : heddle::impl::AddSamplingBase<AddSampling> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> decoders = findDecoders(module);
    if (decoders.empty() || module.lookupSymbol("sample"))
      return;
    SmallVector<RankedTensorType> logits =
        llvm::map_to_vector(decoders, findLogits);
    auto isLike = [&](RankedTensorType type) {
      return type && type.getDimSize(1) == logits.front().getDimSize(1);
    };
    if (logits.front() && llvm::all_of(logits, isLike))
      buildSampling(module, decoders.front().getLoc(),
                    logits.front().getDimSize(1));
  }
};
} // namespace
