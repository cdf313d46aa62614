// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/AddDecoder.h"

#include "compiler/Prepare/Passes.h"
#include "compiler/TextEntries/DecoderSignature.h"
#include "compiler/TextEntries/EntryBuilder.h"
#include "compiler/TextEntries/KeyUses.h"
#include "compiler/TextEntries/SizeTensors.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace heddle;

namespace {

class DecoderBuilder : EntryBuilder {
public:
  DecoderBuilder(func::FuncOp function, DecoderSignature signature)
      : EntryBuilder(function), signature(std::move(signature)) {}

  llvm::Error run(const TensorSource *tensors) {
    if (llvm::Error error = nameSizes())
      return error;
    addArguments();
    replaceTokenInputs();
    substitutePast();
    if (failed(resolveSizes(function)))
      return llvm::createStringError("its sizes do not fit a cache");
    auto capacity = settleSizeTensors(function, sizes, tensors);
    if (!capacity)
      return capacity.takeError();
    declareCapacity(std::min(*capacity, mostTokens));
    dropConstantMasks();
    if (llvm::Error error = maskScores())
      return error;
    useCache();
    returnLogits();
    eraseDead();
    eraseOldArguments();
    sortTopologically(&body());
    dropSizes();
    return llvm::Error::success();
  }

private:
  const PastTensor &firstPast() {
    return signature.layers.begin()->second.front();
  }

  //===-- sizes -----------------------------------------------------------===//

  // Numbers of sequences and tokens have to be symbols, as calls differ in
  // them.
  llvm::Error nameSizes() {
    Sizes ids = sizesOf(signature.ids), pasts = sizesOf(firstPast().past);
    sizes.batch = symbolOf(ids[0]);
    sizes.length = symbolOf(ids[1]);
    past = symbolOf(pasts[2]);
    if (sizes.batch.empty() || sizes.length.empty() || past.empty())
      return llvm::createStringError(
          "expected names for the numbers of sequences, of tokens and of those "
          "before, found [" +
          ids[0].str() + ", " + ids[1].str() + "] and " + pasts[2].str());
    if (signature.mask)
      total = symbolOf(sizesOf(signature.mask)[1]);
    for (const std::string *name : {&sizes.batch, &sizes.length, &past, &total})
      if (*name == sizes.capacity)
        return llvm::createStringError("expected another name than " + *name +
                                       ", which is that of a cache's size");
    return checkPasts(ids, pasts);
  }

  // Parts of a cache have one shape, and what is appended to them.
  llvm::Error checkPasts(const Sizes &ids, const Sizes &pasts) {
    Type type = getElementTypeOrSelf(firstPast().past);
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return llvm::createStringError(
          "expected keys and values of f32, f16 or bf16, found others");
    bool areOne =
        pasts[0] == ids[0] && pasts[1].asNumber() && pasts[3].asNumber();
    for (const auto &[layer, tensors] : signature.layers)
      for (PastTensor tensor : tensors)
        areOne &= sizesOf(tensor.present.getInputs()[1]) ==
                  Sizes{ids[0], pasts[1], ids[1], pasts[3]};
    if (!areOne)
      return llvm::createStringError(
          "expected new keys and values [batch, heads, length, channels], with "
          "numbers of heads and channels");
    Sizes logits =
        sizesOf(body().getTerminator()->getOperand(signature.logits));
    if (logits[0] != ids[0] || logits[1] != ids[1] || !logits[2].asNumber())
      return llvm::createStringError(
          "expected logits [batch, length, vocabulary] as the only result "
          "beside keys and values");
    return llvm::Error::success();
  }

  // All tokens together are as many as a cache has room for.
  SizeAttr substitute(SizeAttr size) {
    return size.substitute([&](StringRef name) {
      if (name == past)
        return symbol(sizes.capacity) - symbol(sizes.length);
      return !total.empty() && name == total ? symbol(sizes.capacity)
                                             : SizeAttr();
    });
  }

  void substitutePast() {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](SizeAttr size) {
      return std::make_pair(Attribute(substitute(size)), WalkResult::skip());
    });
    function.getBody().walk([&](Operation *op) {
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                 /*replaceLocs=*/false,
                                 /*replaceTypes=*/true);
    });
    for (BlockArgument argument : body().getArguments()) {
      Sizes all = sizesOf(argument);
      for (SizeAttr &size : all)
        size = size ? substitute(size) : size;
      argument.setType(withSizes(argument.getType(), all));
    }
    SmallVector<Attribute> others;
    if (auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr)) {
      for (auto each : symbols.getAsRange<SymbolAttr>())
        if (each.getName() != past && each.getName() != total)
          others.push_back(each);
      function->setAttr(kSymbolsAttr, ArrayAttr::get(context, others));
    }
  }

  void declareCapacity(int64_t most) {
    SmallVector<Attribute> symbols;
    if (auto old = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
      llvm::append_range(symbols, old);
    symbols.push_back(SymbolAttr::get(context, b.getStringAttr(sizes.capacity),
                                      /*minimum=*/1, most, SymbolRole::Other));
    function->setAttr(kSymbolsAttr, ArrayAttr::get(context, symbols));
  }

  //===-- arguments -------------------------------------------------------===//

  void addArguments() {
    Type counts = tensorOf(symbol(sizes.batch), b.getI32Type());
    starts = addArgument("starts", counts);
    lengths = addArgument("lengths", counts);
    Sizes pasts = sizesOf(firstPast().past);
    auto cacheType = CacheType::get(context, signature.layers.size(),
                                    *pasts[1].asNumber(), *pasts[3].asNumber(),
                                    getElementTypeOrSelf(firstPast().past));
    cache = addArgument(
        "cache",
        withSizes(cacheType, {symbol(sizes.batch), symbol(sizes.capacity)}));
  }

  // Each token is valid, and has the position behind the one before.
  void replaceTokenInputs() {
    Sizes perToken{symbol(sizes.batch), symbol(sizes.length)};
    if (BlockArgument mask = signature.mask) {
      gatherBy(mask);
      Sizes perKey{symbol(sizes.batch), symbol(sizes.capacity)};
      mask.replaceAllUsesWith(splat(1, perKey, getElementTypeOrSelf(mask)));
    }
    if (BlockArgument positions = signature.positions) {
      Type type = getElementTypeOrSelf(positions);
      // They are below the capacity, which is at most what a table has.
      mostTokens = gatherBy(positions);
      positions.replaceAllUsesWith(
          make<CastOp>(perToken, type, placesOfQueries(perToken, 1)));
    }
  }

  // starts[b] + s, where `dim` is the dimension of s, and the first that of b.
  Value placesOfQueries(ArrayRef<SizeAttr> over, int64_t dim) {
    Value place = make<IotaOp>(over, b.getI32Type(), dim, array(over));
    return arith::AddIOp::create(b, place, forSequences(starts, over));
  }

  void eraseOldArguments() {
    SmallVector<BlockArgument> old{signature.mask, signature.positions};
    for (const auto &[layer, tensors] : signature.layers)
      for (const PastTensor &tensor : tensors)
        old.push_back(tensor.past);
    eraseArguments(old);
  }

  //===-- masks -----------------------------------------------------------===//

  // x + 0, and x where true.
  void dropConstantMasks() {
    SmallVector<std::pair<Value, Value>> equal;
    function.walk([&](arith::AddFOp sum) {
      for (int side : {0, 1})
        if (isZero(splatOf(sum->getOperand(side)))) {
          equal.emplace_back(sum.getResult(), sum->getOperand(1 - side));
          break;
        }
    });
    function.walk([&](WhereOp where) {
      auto truth = dyn_cast_or_null<IntegerAttr>(splatOf(where->getOperand(0)));
      if (!truth)
        return;
      Value chosen = where->getOperand(truth.getValue().isZero() ? 2 : 1);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(where);
      if (chosen.getType() != where.getResult().getType())
        chosen = make<BroadcastOp>(sizesOf(where.getResult()),
                                   getElementTypeOrSelf(where.getResult()),
                                   chosen, array(sizesOf(where.getResult())));
      equal.emplace_back(where.getResult(), chosen);
    });
    for (auto [value, same] : equal)
      value.replaceAllUsesWith(same);
  }

  // Of the keys of a cache, a query attends to those up to its own place.
  llvm::Error maskScores() {
    SmallVector<SoftmaxOp> softmaxes;
    bool hasOther = false;
    function.walk([&](Operation *op) {
      hasOther |= isa<AttentionOp>(op);
      auto softmax = dyn_cast<SoftmaxOp>(op);
      if (softmax && isOfKeys(softmax.getInput()))
        softmaxes.push_back(softmax);
    });
    if (softmaxes.empty() || hasOther)
      return llvm::createStringError(
          "expected attention as a softmax of [batch, heads, length, past + "
          "length] scores, found another");
    for (SoftmaxOp softmax : softmaxes)
      maskScores(softmax);
    llvm::DenseSet<Operation *> masked(softmaxes.begin(), softmaxes.end());
    llvm::DenseSet<Operation *> presents;
    for (const auto &[layer, tensors] : signature.layers)
      for (const PastTensor &tensor : tensors)
        presents.insert(tensor.present);
    return checkKeyUses(function, sizes.capacity, masked, presents);
  }

  bool isOfKeys(Value scores) {
    Sizes all = sizesOf(scores);
    return all.size() == 4 && all[0] == symbol(sizes.batch) &&
           all[2] == symbol(sizes.length) && all[3] == symbol(sizes.capacity);
  }

  void maskScores(SoftmaxOp softmax) {
    b.setInsertionPoint(softmax);
    Value scores = softmax.getInput();
    Sizes over{symbol(sizes.batch), number(1), symbol(sizes.length),
               symbol(sizes.capacity)};
    Value key = make<IotaOp>(over, b.getI32Type(), 3, array(over));
    Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, key,
                                           placesOfQueries(over, 2));
    Value count = arith::AddIOp::create(b, starts, lengths);
    Value isKept = arith::AndIOp::create(b, isBefore, isBelow(count, over, 3));
    softmax->setOperand(0, where(isKept, scores, -INFINITY));
  }

  //===-- the cache -------------------------------------------------------===//

  // New tokens of [batch, heads, length, channels] as those of a cache.
  Value appended(Value tokens) {
    Sizes old = sizesOf(tokens);
    Type type = getElementTypeOrSelf(tokens);
    Value moved = make<TransposeOp>({old[0], old[2], old[1], old[3]}, type,
                                    tokens, ArrayRef<int64_t>{0, 2, 1, 3});
    Sizes joined{old[0], old[2], old[1] * old[3]};
    return make<ReshapeOp>(joined, type, moved, array(joined));
  }

  Value read(Value all, ConcatOp present) {
    Sizes whole = sizesOf(present.getResult());
    Sizes apart{whole[0], whole[2], whole[1], whole[3]};
    Type type = getElementTypeOrSelf(all);
    Value moved = make<TransposeOp>(
        whole, type, make<ReshapeOp>(apart, type, all, array(apart)),
        ArrayRef<int64_t>{0, 2, 1, 3});
    Type wanted = getElementTypeOrSelf(present.getResult());
    return wanted == type ? moved : make<CastOp>(whole, wanted, moved);
  }

  // Ops stand in any order until they are sorted.
  void useCache() {
    b.setInsertionPoint(body().getTerminator());
    newCache = cache;
    for (const auto &[layer, tensors] : signature.layers) {
      SmallVector<Value, 2> parts;
      for (PastTensor tensor : tensors)
        parts.push_back(appended(tensor.present.getInputs()[1]));
      newCache = CacheAppendOp::create(b, newCache, parts[0], parts[1], starts,
                                       lengths, layer);
      auto all = CacheReadOp::create(b, newCache, layer);
      Sizes sizesOfRead{symbol(sizes.batch), symbol(sizes.capacity),
                        sizesOf(parts[0])[2]};
      for (OpResult result : all->getResults())
        result.setType(tensorOf(sizesOfRead, getElementTypeOrSelf(result)));
      // Values that nobody has appended may be no numbers, which a weight of 0
      // makes none of.
      Value count = arith::AddIOp::create(b, starts, lengths);
      Value valid = isBelow(
          count, {symbol(sizes.batch), symbol(sizes.capacity), number(1)}, 1);
      Value values = where(valid, all.getValue(), 0);
      std::array<Value, 2> reads{all.getKey(), values};
      for (auto [tensor, part] : llvm::zip_equal(tensors, reads)) {
        ConcatOp present = tensor.present;
        present.getResult().replaceUsesWithIf(
            read(part, present), [&](OpOperand &use) {
              return !use.getOwner()->hasTrait<OpTrait::IsTerminator>();
            });
      }
    }
  }

  //===-- results ---------------------------------------------------------===//

  // Logits are those of the last token, which is chosen before the layer that
  // makes them.
  void returnLogits() {
    Operation *end = body().getTerminator();
    b.setInsertionPoint(end);
    Value logits = end->getOperand(signature.logits);
    auto layer = logits.getDefiningOp<LinearOp>();
    if (layer && layer.getResult().hasOneUse() && !layer.getBias()) {
      b.setInsertionPoint(layer);
      logits = LinearOp::create(b, lastOf(layer.getInput()), layer.getWeight(),
                                Value());
      logits.setType(
          tensorOf({symbol(sizes.batch), sizesOf(layer.getResult())[2]},
                   getElementTypeOrSelf(layer.getResult())));
    } else {
      logits = lastOf(logits);
    }
    b.setInsertionPoint(end);
    if (!getElementTypeOrSelf(logits).isF32())
      logits = make<CastOp>(sizesOf(logits), b.getF32Type(), logits);
    end->setOperands({logits, newCache});
    function.setType(
        b.getFunctionType(body().getArgumentTypes(), end->getOperandTypes()));
    function.setAllResultAttrs(
        ArrayRef<DictionaryAttr>{describe("logits", ArgumentRole::Logits),
                                 describe("cache", ArgumentRole::Other)});
  }

  Value lastOf(Value x) {
    Sizes all = sizesOf(x);
    return make<LastTokenOp>({all[0], all[2]}, getElementTypeOrSelf(x), x,
                             lengths);
  }

  DecoderSignature signature;
  DecoderSizes sizes{"", "", "capacity"};
  std::string past, total;
  int64_t mostTokens = INT64_MAX;
  BlockArgument starts, lengths, cache;
  Value newCache;
};

} // namespace

llvm::Expected<bool> heddle::makeDecoder(func::FuncOp function,
                                         const TensorSource *tensors) {
  auto signature = findSignature(function);
  if (!signature)
    return signature.takeError();
  if (!signature->isDecoder())
    return false;
  std::string length = sizesOf(signature->ids)[1].str();
  if (llvm::Error error =
          DecoderBuilder(function, std::move(*signature)).run(tensors))
    return error;
  function.setName("forward");
  function->setAttr(kDecoderAttr,
                    StringAttr::get(function.getContext(), length));
  return true;
}
