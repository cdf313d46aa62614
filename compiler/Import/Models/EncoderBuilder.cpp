// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/EncoderBuilder.h"

#include "compiler/Import/Models/StageBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Builds the function of one encoder.
class EncoderBuilder {
public:
  EncoderBuilder(ModelBuilder &model, const EncoderDescription &description)
      : m(model), d(description),
        transformer(m, d, d.image ? d.image->patches.name : d.embedding) {}

  void build();

private:
  struct Named {
    Type type;
    StringRef name;
    SmallVector<StringRef> sizes;
    ArgumentRole role = ArgumentRole::Other;
  };

  SmallVector<Named> arguments();
  void createFunction(ArrayRef<Named> arguments);
  void declareLengths();
  void nameResult(unsigned number, StringRef name, ArgumentRole role);
  Value readImage(Value pixels);

  bool hasLengths() const { return !d.image && !d.hasPaddedTexts; }
  bool hasTypes() const { return d.types && d.types->count > 1; }

  ModelBuilder &m;
  const EncoderDescription &d;
  TransformerBuilder transformer;
  func::FuncOp function;
};
} // namespace

//===-- the signature -----------------------------------------------------===//

SmallVector<EncoderBuilder::Named> EncoderBuilder::arguments() {
  constexpr int64_t any = ShapedType::kDynamic;
  if (d.image) {
    SmallVector<int64_t> shape = {any, d.image->channels, d.image->height,
                                  d.image->width};
    return {{RankedTensorType::get(shape, m.b.getF32Type()),
             "pixels",
             {"batch"},
             ArgumentRole::Other}};
  }
  Type ofTokens = RankedTensorType::get({any, any}, m.b.getI32Type());
  Type ofTexts = RankedTensorType::get({any}, m.b.getI32Type());
  SmallVector<Named> result = {
      {ofTokens, "ids", {"batch", "length"}, ArgumentRole::Ids}};
  if (!d.hasPaddedTexts)
    result.push_back({ofTexts, "lengths", {"batch"}, ArgumentRole::Lengths});
  if (hasTypes())
    result.push_back(
        {ofTokens, "types", {"batch", "length"}, ArgumentRole::Types});
  return result;
}

void EncoderBuilder::createFunction(ArrayRef<Named> arguments) {
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](const Named &argument) { return argument.type; });
  function = func::FuncOp::create(m.b, m.at(d.entryPoint), d.entryPoint,
                                  m.b.getFunctionType(types, {}));
  MLIRContext *context = m.b.getContext();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    function.setArgAttr(index, kNameAttr, m.b.getStringAttr(argument.name));
    function.setArgAttr(index, kSizesAttr, m.b.getStrArrayAttr(argument.sizes));
    if (argument.role != ArgumentRole::Other)
      function.setArgAttr(index, kRoleAttr,
                          ArgumentRoleAttr::get(context, argument.role));
  }
  if (!d.image)
    declareLengths();
}

// Masks take any lengths. A model of texts takes those of its ids.
void EncoderBuilder::declareLengths() {
  MLIRContext *context = m.b.getContext();
  SizeAttr length = SizeAttr::symbol(context, "length");
  auto values = ValuesAttr::get(context, 1, length, IntegerAttr(), SizeAttr());
  if (hasLengths())
    function.setArgAttr(1, kValuesAttr, values);
  int64_t most = d.maxLength.value_or(d.maxPositions);
  auto symbol = SymbolAttr::get(context, m.b.getStringAttr("length"), 1, most,
                                SymbolRole::Length);
  function->setAttr(kSymbolsAttr, m.b.getArrayAttr(symbol));
}

void EncoderBuilder::nameResult(unsigned number, StringRef name,
                                ArgumentRole role) {
  function.setResultAttr(number, kNameAttr, m.b.getStringAttr(name));
  if (role != ArgumentRole::Other)
    function.setResultAttr(number, kRoleAttr,
                           ArgumentRoleAttr::get(m.b.getContext(), role));
  auto type = cast<RankedTensorType>(function.getResultTypes()[number]);
  if (hasLengths() && type.getRank() == 3) // tokens
    function.setResultAttr(number, kPaddingAttr, m.b.getI64IntegerAttr(1));
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

void EncoderBuilder::build() {
  OpBuilder::InsertionGuard guard(m.b);
  createFunction(arguments());
  Block *body = function.addEntryBlock();
  m.b.setInsertionPointToEnd(body);
  auto terminator = func::ReturnOp::create(m.b, m.at(d.entryPoint));
  m.startFunction(function, terminator);
  m.b.setInsertionPoint(terminator);

  SequenceValues sequence;
  Value ids, x;
  if (d.image) {
    x = readImage(body->getArgument(0));
  } else {
    ids = body->getArgument(0);
    if (hasLengths())
      sequence.lengths = sequence.totals = body->getArgument(1);
    x = transformer.embed(ids, /*starts=*/Value(),
                          hasTypes() ? body->getArgument(2) : Value());
  }
  x = transformer.normLast(transformer.buildLayers(x, sequence));
  SmallVector<Value> results = {x};
  StageBuilder stages(m, transformer, ids, sequence.lengths);
  SmallVector<const ResultDescription *> known;
  for (const ResultDescription &result : d.results) {
    if (!result.condition.empty() &&
        !m.hasTensor(transformer.in(result.condition)))
      continue;
    known.push_back(&result);
    results.push_back(stages.build(x, result));
  }
  terminator->setOperands(results);
  function.setType(m.b.getFunctionType(function.getArgumentTypes(),
                                       ValueRange(results).getTypes()));
  nameResult(0, "hidden", ArgumentRole::Hidden);
  for (auto [number, result] : llvm::enumerate(known))
    nameResult(unsigned(number) + 1, result->name, result->role);
}

llvm::Expected<OwningOpRef<ModuleOp>>
heddle::buildEncoders(ArrayRef<EncoderDescription> descriptions,
                      const TensorSource &tensors, const ImportOptions &options,
                      MLIRContext &context) {
  context.loadDialect<func::FuncDialect, arith::ArithDialect, math::MathDialect,
                      HeddleDialect>();
  ModelBuilder m(tensors, options, context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(m.b, m.at(options.name));
  m.b.setInsertionPointToEnd(module->getBody());
  SmallVector<std::string> buffers, prefixes;
  for (const EncoderDescription &description : descriptions) {
    EncoderBuilder(m, description).build();
    llvm::append_range(buffers, description.ignoredBuffers);
    llvm::append_range(prefixes, description.ignoredPrefixes);
  }
  m.checkAllRead(buffers, prefixes);
  if (m.failed())
    return m.takeError();
  return module;
}
