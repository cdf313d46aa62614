// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/EncoderBuilder.h"

#include "compiler/Import/Models/StageBuilder.h"

using namespace mlir;
using namespace heddle;

// A tensor that the model asks for first: it tells the prefix of all.
static StringRef firstTensor(const EncoderDescription &d) {
  return d.image   ? d.image->patches.name
         : d.audio ? d.audio->convolutions.front()
                   : d.embedding;
}

EncoderBuilder::EncoderBuilder(ModelBuilder &model,
                               const EncoderDescription &description,
                               DecoderBuilder *decoder)
    : m(model), d(description), transformer(m, d, firstTensor(d)),
      decoder(decoder) {}

//===-- the signature -----------------------------------------------------===//

// Texts are at most as long as the cross cache, if there is one.
ValuesAttr EncoderBuilder::valuesOfLengths() const {
  MLIRContext *context = m.b.getContext();
  SizeAttr length = SizeAttr::symbol(context, "length");
  return valuesUpTo(context,
                    decoder ? min(length, SizeAttr::symbol(context, "source"))
                            : length);
}

SmallVector<ArgumentDescription> EncoderBuilder::arguments() const {
  constexpr int64_t any = ShapedType::kDynamic;
  Type f32 = m.b.getF32Type();
  SmallVector<ArgumentDescription> result;
  if (d.image) {
    SmallVector<int64_t> shape = {any, d.image->channels, d.image->height,
                                  d.image->width};
    result.push_back({RankedTensorType::get(shape, f32), "pixels", {"batch"}});
  } else if (d.audio) {
    SmallVector<int64_t> shape = {any, d.audio->bins, d.audio->frames};
    result.push_back(
        {RankedTensorType::get(shape, f32), "features", {"batch"}});
  } else {
    result.push_back({typeOfIds(m.b), "ids", {"batch", "length"}});
    if (hasLengths())
      result.push_back({typeOfCounts(m.b),
                        "lengths",
                        {"batch"},
                        ArgumentRole::Lengths,
                        valuesOfLengths()});
    if (hasTypes())
      result.push_back(
          {typeOfIds(m.b), "types", {"batch", "length"}, ArgumentRole::Types});
  }
  if (decoder)
    result.push_back(decoder->crossArgument());
  return result;
}

//===-- the body ----------------------------------------------------------===//

Value EncoderBuilder::readImage(Value pixels) {
  const ImageDescription &image = *d.image;
  std::string name = transformer.in(image.patches.name);
  int64_t side = image.patchSize, channels = d.hiddenSize;
  Value filters =
      m.weight(name + ".weight", {channels, image.channels, side, side});
  Value x =
      PatchEmbeddingOp::create(m.b, m.at(name), pixels, filters,
                               m.bias(name, channels, image.patches.hasBias));
  SmallVector<Value> parts;
  Sizes sizes = {SizeAttr::symbol(m.b.getContext(), "batch"),
                 SizeAttr::number(m.b.getContext(), 1),
                 SizeAttr::number(m.b.getContext(), channels)};
  for (const ImageTokenDescription &token : image.tokens) {
    std::string tokenName = transformer.in(token.name);
    Value row = m.inF32(m.weight(
        tokenName, token.isVector ? ArrayRef<int64_t>(channels)
                                  : ArrayRef<int64_t>({1, 1, channels})));
    parts.push_back(
        BroadcastOp::create(m.b, m.at(tokenName),
                            cast<RankedTensorType>(x.getType())
                                .clone({ShapedType::kDynamic, 1, channels}),
                            row, toArray(m.b.getContext(), sizes)));
  }
  if (!parts.empty()) {
    parts.push_back(x);
    x = m.concat(parts, 1);
  }
  return transformer.normEmbedding(
      transformer.addPositions(x, /*starts=*/Value()));
}

// Convolutions over frames, each with an activation: [batch, bins, frames] ->
// [batch, length, channels].
Value EncoderBuilder::readAudio(Value features) {
  Value x = features;
  for (auto [number, convolution] : llvm::enumerate(d.audio->convolutions)) {
    std::string name = transformer.in(convolution);
    int64_t inputs = cast<RankedTensorType>(x.getType()).getDimSize(1);
    Value filters = m.weight(name + ".weight", {d.hiddenSize, inputs, 3});
    x = Conv1DOp::create(m.b, m.at(name), x, filters,
                         m.bias(name, d.hiddenSize, true),
                         /*stride=*/number + 1, /*padding=*/1, /*dilation=*/1,
                         /*groups=*/1);
    x = ActivationOp::create(m.b, m.at(name), x.getType(), ActivationKind::Gelu,
                             x);
  }
  x = m.transposed(x, {0, 2, 1});
  return transformer.normEmbedding(
      transformer.addPositions(x, /*starts=*/Value()));
}

Value EncoderBuilder::readInput(Block *body, SequenceValues &sequence) {
  Value input = body->getArgument(0);
  if (d.image)
    return readImage(input);
  if (d.audio)
    return readAudio(input);
  unsigned next = 1;
  if (hasLengths())
    sequence.lengths = sequence.totals = body->getArgument(next++);
  Value types = hasTypes() ? body->getArgument(next) : Value();
  return transformer.embed(input, /*starts=*/Value(), types);
}

void EncoderBuilder::build() {
  OpBuilder::InsertionGuard guard(m.b);
  func::FuncOp function = createEntryPoint(m, d.entryPoint, arguments());
  SmallVector<SymbolAttr> symbols;
  if (isOfTexts())
    symbols.push_back(SymbolAttr::get(
        m.b.getContext(), m.b.getStringAttr("length"), 1,
        d.maxLength.value_or(d.maxPositions), SymbolRole::Length));
  if (decoder)
    decoder->declareSource(function, symbols);
  else if (!symbols.empty())
    function->setAttr(kSymbolsAttr, m.b.getArrayAttr({symbols.front()}));
  Block *body = &function.front();
  m.b.setInsertionPointToEnd(body);
  // Weights are referred to before the first op.
  Operation *first = m.begin();
  m.startFunction(function, first);

  SequenceValues sequence;
  Value x = readInput(body, sequence);
  x = transformer.normLast(transformer.buildLayers(x, sequence));
  auto ofTokens = [&](Value value) -> std::optional<unsigned> {
    bool isOfTokens = cast<RankedTensorType>(value.getType()).getRank() == 3;
    return isOfTokens && hasLengths() ? std::optional(1u) : std::nullopt;
  };
  SmallVector<NamedResult> results = {
      {x, "hidden", ArgumentRole::Hidden, ofTokens(x)}};
  StageBuilder stages(m, transformer,
                      isOfTexts() ? body->getArgument(0) : Value(),
                      sequence.lengths);
  for (const ResultDescription &result : d.results) {
    if (!result.condition.empty() &&
        !m.hasTensor(transformer.in(result.condition)))
      continue;
    Value value = stages.build(x, result);
    results.push_back({value, result.name, result.role, ofTokens(value)});
  }
  if (decoder) {
    sequence.cross = body->getArguments().back();
    decoder->getTransformer().appendSource(x, sequence);
    results.push_back({sequence.cross, "cross", ArgumentRole::Other, {}});
  }
  returnResults(m, function, results);
  first->erase();
}
