// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/AddDecoder.h"

#include "compiler/Prepare/Passes.h"
#include "compiler/TextEntries/CacheMasks.h"
#include "compiler/TextEntries/CausalScores.h"
#include "compiler/TextEntries/DecoderSignature.h"
#include "compiler/TextEntries/EntryBuilder.h"
#include "compiler/TextEntries/JointPasts.h"
#include "compiler/TextEntries/SizeTensors.h"
#include "compiler/TextEntries/TokenCounts.h"
#include "compiler/TextEntries/TokensApart.h"
#include "compiler/TextEntries/Values.h"

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
    if (llvm::Error error =
            substitute(total, symbol(sizes.past) + symbol(sizes.length)))
      return error;
    if (llvm::Error error = appendPlaced(tensors))
      return error;
    if (llvm::Error error = replaceCounts(tensors))
      return error;
    TokenArguments arguments{starts, lengths};
    if (llvm::Error error = checkCausal(function, sizes, arguments, tensors))
      return error;
    eraseDead();
    if (llvm::Error error = substitute(sizes.past, symbol(sizes.capacity) -
                                                       symbol(sizes.length)))
      return error;
    if (llvm::Error error = settleSizeTensors(function, sizes, starts, tensors))
      return error;
    declareCapacity(std::min(sizes.mostTokens, mostTokens));
    dropConstantMasks();
    CacheMasks masks(function, sizes, arguments);
    if (llvm::Error error = masks.add())
      return error;
    if (llvm::Error error = checkUses(masks))
      return error;
    useCache(masks.hasSoftmax());
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
    sizes.past = symbolOf(pasts[2]);
    if (sizes.batch.empty() || sizes.length.empty() || sizes.past.empty())
      return llvm::createStringError(
          "expected names for the numbers of sequences, of tokens and of those "
          "before, found [" +
          ids[0].str() + ", " + ids[1].str() + "] and " + pasts[2].str());
    if (sizes.batch == sizes.length || sizes.batch == sizes.past ||
        sizes.length == sizes.past)
      return llvm::createStringError(
          "expected three names for the numbers of sequences, of tokens and of "
          "those before, found " +
          sizes.batch + ", " + sizes.length + " and " + sizes.past);
    if (signature.mask)
      total = symbolOf(sizesOf(signature.mask)[1]);
    for (const std::string *name :
         {&sizes.batch, &sizes.length, &sizes.past, &total})
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
        areOne &=
            sizesOf(tensor.tokens) == Sizes{ids[0], pasts[1], ids[1], pasts[3]};
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

  // Puts a size in the place of a symbol.
  llvm::Error substitute(const std::string &name, SizeAttr other) {
    if (name.empty())
      return llvm::Error::success();
    auto inSize = [&](SizeAttr size) {
      return size.substitute([&](StringRef symbol) {
        return symbol == name ? other : SizeAttr();
      });
    };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](SizeAttr size) {
      return std::make_pair(Attribute(inSize(size)), WalkResult::skip());
    });
    function.getBody().walk([&](Operation *op) {
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                 /*replaceLocs=*/false,
                                 /*replaceTypes=*/true);
    });
    for (BlockArgument argument : body().getArguments()) {
      Sizes all = sizesOf(argument);
      for (SizeAttr &size : all)
        size = size ? inSize(size) : size;
      argument.setType(withSizes(argument.getType(), all));
    }
    SmallVector<Attribute> others;
    if (auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr)) {
      for (auto each : symbols.getAsRange<SymbolAttr>())
        if (each.getName() != name)
          others.push_back(each);
      function->setAttr(kSymbolsAttr, ArrayAttr::get(context, others));
    }
    if (succeeded(resolveSizes(function)))
      return llvm::Error::success();
    return llvm::createStringError("its sizes do not fit a cache");
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
      Sizes perKey{symbol(sizes.batch),
                   symbol(sizes.past) + symbol(sizes.length)};
      mask.replaceAllUsesWith(splat(1, perKey, getElementTypeOrSelf(mask)));
    }
    if (BlockArgument positions = signature.positions) {
      Type type = getElementTypeOrSelf(positions);
      // They are below the capacity, which is at most what a table has.
      mostTokens = gatherBy(positions);
      positions.replaceAllUsesWith(
          make<CastOp>(perToken, type, placesFrom(starts, perToken, 1)));
    }
  }

  // Where operators put new tokens themselves, it is behind those before.
  llvm::Error appendPlaced(const TensorSource *tensors) {
    for (auto &[layer, pair] : signature.layers)
      for (PastTensor &tensor : pair) {
        ScatterOp placed = tensor.placed;
        if (!placed)
          continue;
        if (!placesTokensBehind(function, sizes, placed.getIndices(), tensors))
          return llvm::createStringError(
              "what " + nodeOf(placed) +
              " appends stands elsewhere than behind the tokens before");
        b.setInsertionPoint(placed);
        Value joined = make<ConcatOp>(
            sizesOf(placed.getResult()), getElementTypeOrSelf(tensor.past),
            ValueRange{tensor.past, tensor.tokens}, /*axis=*/2);
        placed.getResult().replaceAllUsesWith(joined);
        tensor.concat = joined.getDefiningOp<ConcatOp>();
        tensor.placed = nullptr;
      }
    eraseDead();
    b.setInsertionPointToStart(&body());
    return llvm::Error::success();
  }

  // Numbers and places of tokens are those of each sequence.
  llvm::Error replaceCounts(const TensorSource *tensors) {
    for (auto [value, count] : findTokenCounts(function, sizes, tensors)) {
      b.setInsertionPointAfter(value.getDefiningOp());
      Sizes all = sizesOf(value), perSequence{symbol(sizes.batch)};
      Type type = getElementTypeOrSelf(value);
      Value number = starts;
      if (count == TokenCount::Total)
        number = arith::AddIOp::create(b, starts, lengths);
      else if (count == TokenCount::Places)
        number = placesFrom(
            starts, perSequence = {symbol(sizes.batch), symbol(sizes.length)},
            1);
      if (!type.isInteger(32))
        number = make<CastOp>(perSequence, type, number);
      bool isShared = all[0] != symbol(sizes.batch);
      all[0] = symbol(sizes.batch);
      if (all != perSequence)
        number = make<ReshapeOp>(all, type, number, array(all));
      if (!isShared)
        value.replaceAllUsesWith(number);
      else if (failed(replaceShared(value, number)))
        return llvm::createStringError("its sizes do not fit places of tokens "
                                       "that differ among sequences");
      if (count == TokenCount::Places)
        limitByTables(number);
    }
    b.setInsertionPointToStart(&body());
    return llvm::Error::success();
  }

  // Places are below the capacity, which is at most what a table has.
  void limitByTables(Value places) {
    for (Operation *user : places.getUsers()) {
      auto gather = dyn_cast<GatherOp>(user);
      if (isa<CastOp, ReshapeOp, ExpandOp, SqueezeOp>(user))
        limitByTables(user->getResult(0));
      else if (gather && gather.getIndices() == places)
        if (auto rows = sizesOf(gather.getInput())[gather.getAxis()].asNumber())
          mostTokens = std::min(mostTokens, *rows);
    }
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

  llvm::Error checkUses(const CacheMasks &masks) {
    llvm::DenseSet<Operation *> presents;
    for (const auto &[layer, tensors] : signature.layers)
      for (const PastTensor &tensor : tensors)
        presents.insert(tensor.concat);
    return checkTokensApart(function, sizes, masks.getMasked(), presents);
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

  Value read(Value all, Value present) {
    Sizes whole = sizesOf(present);
    Sizes apart{whole[0], whole[2], whole[1], whole[3]};
    Type type = getElementTypeOrSelf(all);
    Value moved = make<TransposeOp>(
        whole, type, make<ReshapeOp>(apart, type, all, array(apart)),
        ArrayRef<int64_t>{0, 2, 1, 3});
    Type wanted = getElementTypeOrSelf(present);
    return wanted == type ? moved : make<CastOp>(whole, wanted, moved);
  }

  // Values that nobody has appended may be no numbers, which a weight of 0
  // makes none of.
  Value validOf(Value all) {
    Value count = arith::AddIOp::create(b, starts, lengths);
    Value isValid = isBelow(
        count, {symbol(sizes.batch), symbol(sizes.capacity), number(1)}, 1);
    return where(isValid, all, 0);
  }

  // Ops stand in any order until they are sorted.
  void useCache(bool hasSoftmax) {
    b.setInsertionPoint(body().getTerminator());
    newCache = cache;
    for (const auto &[layer, tensors] : signature.layers) {
      SmallVector<Value, 2> parts;
      for (PastTensor tensor : tensors)
        parts.push_back(appended(tensor.tokens));
      newCache = CacheAppendOp::create(b, newCache, parts[0], parts[1], starts,
                                       lengths, layer);
      auto all = CacheReadOp::create(b, newCache, layer);
      Sizes sizesOfRead{symbol(sizes.batch), symbol(sizes.capacity),
                        sizesOf(parts[0])[2]};
      for (OpResult result : all->getResults())
        result.setType(tensorOf(sizesOfRead, getElementTypeOrSelf(result)));
      Value values = hasSoftmax ? validOf(all.getValue()) : all.getValue();
      std::array<Value, 2> reads{all.getKey(), values};
      for (auto [tensor, part] : llvm::zip_equal(tensors, reads)) {
        tensor.present().replaceUsesWithIf(
            read(part, tensor.present()), [&](OpOperand &use) {
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
  DecoderSizes sizes{"", "", "", "capacity"};
  std::string total; ///< that of a mask of all tokens, or nothing
  int64_t mostTokens = INT64_MAX;
  BlockArgument starts, lengths, cache;
  Value newCache;
};

} // namespace

llvm::Expected<bool> heddle::makeDecoder(func::FuncOp function,
                                         const TensorSource *tensors) {
  splitJointPasts(function);
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
