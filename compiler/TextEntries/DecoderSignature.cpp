// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/DecoderSignature.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

static StringRef nameOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
  return name ? name.getValue() : "";
}

// The number in "past_key_values.3.key".
static std::optional<int64_t> layerOf(StringRef name) {
  StringRef digits = name.drop_until(llvm::isDigit);
  int64_t layer;
  if (digits.take_while(llvm::isDigit).getAsInteger(10, layer))
    return std::nullopt;
  return layer;
}

// Whether it is of values; none if of neither.
static std::optional<bool> isOfValues(StringRef name) {
  bool isKey = name.ends_with("key"), isValue = name.ends_with("value");
  return isKey || isValue ? std::optional(isValue) : std::nullopt;
}

// Reads what a result is made of; false where that is no argument and tokens.
static bool readPresent(Value present, PastTensor &tensor) {
  tensor.concat = present.getDefiningOp<ConcatOp>();
  tensor.placed = present.getDefiningOp<ScatterOp>();
  if (ScatterOp scatter = tensor.placed) {
    tensor.concat = scatter.getInput().getDefiningOp<ConcatOp>();
    if (scatter.getKind() != ScatterKind::Assign || scatter.getAxis() != 0 ||
        scatter.getCoordinates() != 3)
      return false;
  }
  if (!tensor.concat || tensor.concat.getInputs().size() != 2)
    return false;
  tensor.past = dyn_cast<BlockArgument>(tensor.concat.getInputs()[0]);
  tensor.tokens =
      tensor.placed ? tensor.placed.getUpdates() : tensor.concat.getInputs()[1];
  return tensor.past != nullptr;
}

// Adds a result, if it is one of keys or values.
static llvm::Expected<bool> addPast(DecoderSignature &found, unsigned result,
                                    Value present) {
  PastTensor tensor{};
  tensor.result = result;
  if (!readPresent(present, tensor))
    return false;
  StringRef name = nameOf(tensor.past);
  auto layer = layerOf(name);
  auto isValue = isOfValues(name);
  if (!layer || !isValue)
    return false;
  bool isReadOnce =
      tensor.past.hasOneUse() && (!tensor.placed || tensor.concat->hasOneUse());
  if (sizesOf(tensor.past).size() != 4 || tensor.concat.getAxis() != 2 ||
      !isReadOnce)
    return llvm::createStringError("'" + name +
                                   "' is read otherwise than as [batch, heads, "
                                   "past, channels] before new tokens");
  PastTensor &place = found.layers[*layer][*isValue];
  if (place.past)
    return llvm::createStringError("layer " + llvm::Twine(*layer) +
                                   " has two of '" + name + "'");
  place = tensor;
  return true;
}

static bool isMatrixOfIntegers(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  return type && type.getRank() == 2 && isa<IntegerType>(type.getElementType());
}

static llvm::Error addOther(DecoderSignature &found, BlockArgument argument) {
  StringRef name = nameOf(argument);
  BlockArgument *place = name == "attention_mask" ? &found.mask
                         : name == "position_ids" ? &found.positions
                         : name == "input_ids"    ? &found.ids
                                                  : nullptr;
  if (!place || !isMatrixOfIntegers(argument))
    return llvm::createStringError(
        "expected inputs input_ids, attention_mask and position_ids beside "
        "keys and values, found '" +
        name + "'");
  *place = argument;
  return llvm::Error::success();
}

// All layers have the heads and channels of the first.
static llvm::Error checkLayers(const DecoderSignature &found) {
  const PastTensor &first = found.layers.begin()->second[0];
  int64_t next = 0;
  for (const auto &[layer, tensors] : found.layers) {
    if (layer != next++ || !tensors[0].past || !tensors[1].past)
      return llvm::createStringError(
          "expected keys and values of layers 0, 1, .. of one shape, found "
          "none of layer " +
          llvm::Twine(next - 1));
    for (const PastTensor &tensor : tensors)
      if (tensor.past.getType() != first.past.getType())
        return llvm::createStringError("'" + nameOf(tensor.past) +
                                       "' has another shape than '" +
                                       nameOf(first.past) + "'");
  }
  return llvm::Error::success();
}

llvm::Expected<DecoderSignature> heddle::findSignature(func::FuncOp function) {
  DecoderSignature found;
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<unsigned> others;
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    auto isPast = addPast(found, index, value);
    if (!isPast)
      return isPast.takeError();
    if (*isPast)
      continue;
    others.push_back(index);
  }
  if (!found.isDecoder())
    return found;
  llvm::DenseSet<Value> pasts;
  for (const auto &[layer, tensors] : found.layers)
    for (const PastTensor &tensor : tensors)
      pasts.insert(tensor.past);
  for (BlockArgument argument : function.getArguments())
    if (!pasts.contains(argument))
      if (llvm::Error error = addOther(found, argument))
        return error;
  if (!found.ids)
    return llvm::createStringError("expected an input input_ids, found none");
  if (llvm::Error error = checkLayers(found))
    return error;
  if (others.size() != 1 ||
      sizesOf(end->getOperand(others.front())).size() != 3)
    return llvm::createStringError(
        "expected logits [batch, length, vocabulary] as the only result beside "
        "keys and values");
  found.logits = others.front();
  return found;
}
