// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/AddEncoder.h"

#include "compiler/TextEntries/EntryBuilder.h"
#include "compiler/TextEntries/TokenMasks.h"
#include "compiler/TextEntries/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {

class EncoderBuilder : EntryBuilder {
public:
  explicit EncoderBuilder(func::FuncOp function) : EntryBuilder(function) {}

  bool run() {
    if (!findArguments())
      return false;
    Sizes perToken = sizesOf(ids);
    if (!describeResults(perToken))
      return false;
    lengths =
        addArgument("lengths", tensorOf(perToken.front(), b.getI32Type()));
    setRole(lengths, ArgumentRole::Lengths);
    function.setArgAttr(
        lengths.getArgNumber(), kValuesAttr,
        ValuesAttr::get(context, 1, perToken[1], IntegerAttr(), SizeAttr()));
    setRole(ids, ArgumentRole::Ids);
    narrow(ids);
    if (types) {
      setRole(types, ArgumentRole::Types);
      narrow(types);
    }
    replaceTokenInputs(perToken);
    leaveOutKeys();
    eraseDead();
    eraseArguments({mask, positions});
    limitLength(symbolOf(perToken[1]));
    dropSizes();
    function.setName("encode");
    return true;
  }

private:
  // Integers of [batch, length], each of which has a meaning.
  bool findArguments() {
    for (BlockArgument argument : body().getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        kNameAttr);
      BlockArgument *place =
          llvm::StringSwitch<BlockArgument *>(name ? name.getValue() : "")
              .Case("input_ids", &ids)
              .Case("attention_mask", &mask)
              .Case("token_type_ids", &types)
              .Case("position_ids", &positions)
              .Default(nullptr);
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!place || !type || type.getRank() != 2 ||
          !isa<IntegerType>(type.getElementType()))
        return false;
      *place = argument;
    }
    if (!ids || !mask)
      return false;
    Sizes perToken = sizesOf(ids);
    return !symbolOf(perToken[0]).empty() && !symbolOf(perToken[1]).empty() &&
           llvm::all_of(body().getArguments(), [&](BlockArgument argument) {
             return sizesOf(argument) == perToken;
           });
  }

  // The library of text has ids of 32 bits. Lookups take any.
  void narrow(BlockArgument argument) {
    Type type = getElementTypeOrSelf(argument);
    Sizes perToken = sizesOf(argument);
    argument.setType(tensorOf(perToken, b.getI32Type()));
    Value wide = make<CastOp>(perToken, type, argument);
    argument.replaceUsesWithIf(wide, [&](OpOperand &use) {
      return !isa<EmbeddingOp>(use.getOwner()) &&
             use.getOwner() != wide.getDefiningOp();
    });
    if (wide.use_empty())
      wide.getDefiningOp()->erase();
  }

  void replaceTokenInputs(const Sizes &perToken) {
    gatherBy(mask);
    isValid = isBelow(lengths, perToken, 1);
    for (Operation *user : llvm::make_early_inc_range(mask.getUsers()))
      if (isa<CastOp>(user) &&
          getElementTypeOrSelf(user->getResult(0)).isInteger(1)) {
        user->getResult(0).replaceAllUsesWith(isValid);
        user->erase();
      }
    mask.replaceAllUsesWith(
        make<CastOp>(perToken, getElementTypeOrSelf(mask), isValid));
    if (!positions)
      return;
    mostTokens = gatherBy(positions);
    positions.replaceAllUsesWith(make<IotaOp>(perToken,
                                              getElementTypeOrSelf(positions),
                                              /*axis=*/1, array(perToken)));
  }

  //===-- attention -------------------------------------------------------===//

  // A mask of tokens becomes one of lengths, for which attention skips keys. No
  // text is without a token, so that every query has a key.
  void leaveOutKeys() {
    TokenMasks masks(function, isValid);
    function.walk([&](SoftmaxOp softmax) {
      Value scores = softmax.getInput();
      Sizes all = sizesOf(scores);
      if (softmax.getAxis() + 1 != all.size())
        return;
      Value kept = withoutMasks(scores, masks);
      if (kept == scores)
        return;
      b.setInsertionPoint(softmax);
      Value isKept = isBelow(lengths, all, all.size() - 1);
      softmax->setOperand(0, where(isKept, kept, -INFINITY));
    });
    function.walk([&](DenseMaskOp mask) {
      bool isOfKeys = mask.getOver().size() >= 2 &&
                      mask.getDim(0) == ScoreDim::Batch &&
                      mask.getDim(mask.getOver().size() - 1) == ScoreDim::Key;
      auto numbers = masks.numbersOf(mask.getMask());
      if (!isOfKeys || mask.getKeyBlock() != 1 || !numbers || !numbers->valid ||
          numbers->other)
        return;
      b.setInsertionPoint(mask);
      mask.replaceAllUsesWith(
          LengthsMaskOp::create(b, lengths, ScoreDim::Key).getResult());
    });
  }

  // Scores without what is added to them, or stands in their place, for tokens
  // that are none.
  Value withoutMasks(Value scores, TokenMasks &masks) {
    if (auto tensors = scores.getDefiningOp<BroadcastTensorsOp>()) {
      Value narrow =
          tensors.getInputs()[cast<OpResult>(scores).getResultNumber()];
      Value kept = withoutMasks(narrow, masks);
      if (kept == narrow)
        return scores;
      b.setInsertionPoint(tensors);
      return make<BroadcastOp>(sizesOf(scores), getElementTypeOrSelf(scores),
                               kept, array(sizesOf(scores)));
    }
    if (auto sum = scores.getDefiningOp<arith::AddFOp>()) {
      Value left = sum.getLhs(), right = sum.getRhs();
      if (isMask(masks.numbersOf(left)))
        return withoutMasks(right, masks);
      if (isMask(masks.numbersOf(right)))
        return withoutMasks(left, masks);
      Value newLeft = withoutMasks(left, masks),
            newRight = withoutMasks(right, masks);
      if (newLeft == left && newRight == right)
        return scores;
      b.setInsertionPoint(sum);
      return arith::AddFOp::create(b, newLeft, newRight);
    }
    if (auto select = scores.getDefiningOp<WhereOp>()) {
      auto numbers = masks.numbersOf(select.getCondition());
      if (!numbers ||
          sizesOf(select.getCondition()).size() != sizesOf(scores).size() ||
          numbers->valid == numbers->other)
        return scores;
      Value kept = numbers->valid ? select.getX() : select.getY();
      Value dropped = numbers->valid ? select.getY() : select.getX();
      auto number = dyn_cast_or_null<FloatAttr>(splatOf(dropped));
      if (number && number.getValueAsDouble() <= kDropped &&
          sizesOf(kept) == sizesOf(scores))
        return withoutMasks(kept, masks);
    }
    return scores;
  }

  // Exporters write -10000, -1e9, the lowest float or -inf. The exponential of
  // any is 0 beside that of a score.
  static constexpr double kDropped = -10000;
  static bool isMask(std::optional<TokenMasks::Numbers> numbers) {
    return numbers && numbers->valid == 0 && numbers->other <= kDropped;
  }

  //===-- results ---------------------------------------------------------===//

  // The first vector for each sequence is what texts are compared by. False
  // where no result is one that the library of text asks for.
  bool describeResults(const Sizes &perToken) {
    bool hasEmbedding = false, hasRole = false;
    for (auto [index, value] :
         llvm::enumerate(body().getTerminator()->getOperands())) {
      Sizes all = sizesOf(value);
      auto name = function.getResultAttrOfType<StringAttr>(index, kNameAttr);
      if (!getElementTypeOrSelf(value).isF32() || all.size() < 2 ||
          all[0] != perToken[0])
        continue;
      StringRef text = name ? name.getValue() : "";
      ArgumentRole role = ArgumentRole::Other;
      if (text == "logits")
        role = all.size() == 2 ? ArgumentRole::Logits : ArgumentRole::Other;
      else if (all.size() == 3 && all[1] == perToken[1])
        role = ArgumentRole::Hidden;
      else if (all.size() == 2 && text == "pooler_output")
        role = ArgumentRole::Pooled;
      else if (all.size() == 2 && !std::exchange(hasEmbedding, true))
        role = ArgumentRole::Embedding;
      if (role == ArgumentRole::Other)
        continue;
      hasRole = true;
      function.setResultAttr(index, kRoleAttr,
                             ArgumentRoleAttr::get(context, role));
    }
    return hasRole;
  }

  // Texts that are longer are cut.
  void limitLength(const std::string &length) {
    SmallVector<Attribute> symbols;
    if (auto old = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
      for (auto symbol : old.getAsRange<SymbolAttr>()) {
        if (symbol.getName() == length)
          mostTokens = std::min(mostTokens, symbol.getMaximum());
        else
          symbols.push_back(symbol);
      }
    if (mostTokens != INT64_MAX)
      symbols.push_back(SymbolAttr::get(context, b.getStringAttr(length),
                                        /*minimum=*/1, mostTokens,
                                        SymbolRole::Length));
    function->setAttr(kSymbolsAttr, ArrayAttr::get(context, symbols));
  }

  BlockArgument ids, mask, types, positions, lengths;
  Value isValid;
  int64_t mostTokens = INT64_MAX;
};

} // namespace

bool heddle::makeEncoder(func::FuncOp function) {
  return EncoderBuilder(function).run();
}
