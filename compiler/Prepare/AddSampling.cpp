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

// The logits [batch, vocabulary] that a decoder declares, or null.
static RankedTensorType findLogits(func::FuncOp decoder) {
  if (llvm::none_of(decoder.getArgumentTypes(), llvm::IsaPred<CacheType>))
    return nullptr;
  for (auto [index, result] : llvm::enumerate(decoder.getResultTypes())) {
    auto role = decoder.getResultAttrOfType<ArgumentRoleAttr>(index, kRoleAttr);
    if (!role || role.getValue() != ArgumentRole::Logits)
      continue;
    auto logits = dyn_cast<RankedTensorType>(result);
    bool fits = logits && logits.getRank() == 2 && logits.isDynamicDim(0) &&
                !logits.isDynamicDim(1) && logits.getDimSize(1) > 0 &&
                logits.getElementType().isF32();
    return fits ? logits : nullptr;
  }
  return nullptr;
}

namespace {
/// An entry point [batch, vocabulary] -> ids [batch], besides logits with
/// numbers for each sequence.
class EntryBuilder {
public:
  EntryBuilder(ModuleOp module, Location loc, int64_t vocabulary)
      : b(OpBuilder::atBlockEnd(module.getBody())), loc(loc),
        logits(typeOf({ShapedType::kDynamic, vocabulary}, b.getF32Type())),
        numbers(typeOf({ShapedType::kDynamic}, b.getF32Type())),
        integers(typeOf({ShapedType::kDynamic}, b.getI32Type())) {}

  void buildSample();
  void buildSampleLikely();

private:
  static RankedTensorType typeOf(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }
  /// The logits and these are arguments.
  ValueRange begin(StringRef name,
                   ArrayRef<std::pair<StringRef, Type>> parameters);
  void finish(Value logits, Value temperature, Value minP, Value uniform);

  OpBuilder b;
  Location loc;
  RankedTensorType logits, numbers, integers;
};
} // namespace

ValueRange
EntryBuilder::begin(StringRef name,
                    ArrayRef<std::pair<StringRef, Type>> parameters) {
  SmallVector<Type> types{logits};
  llvm::append_range(types, llvm::make_second_range(parameters));
  SmallVector<StringRef> names{"logits"};
  llvm::append_range(names, llvm::make_first_range(parameters));
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(types, {integers}));
  function.setResultAttr(0, kNameAttr, b.getStringAttr("ids"));
  for (auto [index, argument] : llvm::enumerate(names)) {
    function.setArgAttr(index, kNameAttr, b.getStringAttr(argument));
    function.setArgAttr(index, kSizesAttr, b.getStrArrayAttr({"batch"}));
  }
  b.setInsertionPointToStart(function.addEntryBlock());
  return function.getArguments();
}

void EntryBuilder::finish(Value logits, Value temperature, Value minP,
                          Value uniform) {
  Value ids =
      SampleOp::create(b, loc, integers, logits, temperature, minP, uniform);
  b.setInsertionPointAfter(func::ReturnOp::create(b, loc, ids)->getParentOp());
}

void EntryBuilder::buildSample() {
  ValueRange arguments = begin(
      "sample",
      {{"temperature", numbers}, {"min_p", numbers}, {"uniform", numbers}});
  finish(arguments[0], arguments[1], arguments[2], arguments[3]);
}

void EntryBuilder::buildSampleLikely() {
  ValueRange arguments = begin("sample_likely", {{"temperature", numbers},
                                                 {"top_k", integers},
                                                 {"top_p", numbers},
                                                 {"min_p", numbers},
                                                 {"uniform", numbers}});
  Value kept = KeepLikelyOp::create(b, loc, logits, arguments[0], arguments[1],
                                    arguments[2], arguments[3]);
  finish(kept, arguments[1], arguments[4], arguments[5]);
}

namespace {
struct AddSampling : heddle::impl::AddSamplingBase<AddSampling> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> decoders = findDecoders(module);
    if (decoders.empty())
      return;
    SmallVector<RankedTensorType> logits =
        llvm::map_to_vector(decoders, findLogits);
    auto isLike = [&](RankedTensorType type) {
      return type && type.getDimSize(1) == logits.front().getDimSize(1);
    };
    if (!logits.front() || !llvm::all_of(logits, isLike))
      return;
    EntryBuilder builder(module, decoders.front().getLoc(),
                         logits.front().getDimSize(1));
    if (isFree("sample"))
      builder.buildSample();
    if (isFree("sample_likely"))
      builder.buildSampleLikely();
  }

  // Whether a header may have a function of that name, and of its workspace.
  bool isFree(const std::string &name) {
    ModuleOp module = getOperation();
    return !module.lookupSymbol(name) &&
           !module.lookupSymbol(name + "_workspace_size");
  }
};
} // namespace
