// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/AddEncoder.h"

#include "compiler/TextEntries/EntryBuilder.h"

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
    Value isValid = isBelow(lengths, perToken, 1);
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
  int64_t mostTokens = INT64_MAX;
};

} // namespace

bool heddle::makeEncoder(func::FuncOp function) {
  return EncoderBuilder(function).run();
}
