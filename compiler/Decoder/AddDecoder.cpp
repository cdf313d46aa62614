// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Decoder/AddDecoder.h"

#include "compiler/Decoder/PastTensors.h"
#include "compiler/Decoder/SizeTensors.h"
#include "compiler/Prepare/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static std::string symbolOf(SizeAttr size) {
  return size.getKind() == SizeKind::Symbol ? size.getName().str() : "";
}

// What is a broadcast of one number, or null.
static Attribute splatOf(Value value) {
  if (auto tensors = value.getDefiningOp<BroadcastTensorsOp>())
    value = tensors.getInputs()[cast<OpResult>(value).getResultNumber()];
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat()
             ? constant.getSplatValue<Attribute>()
             : Attribute();
}

static bool isZero(Attribute number) {
  auto value = dyn_cast_or_null<FloatAttr>(number);
  return value && value.getValue().isZero();
}

namespace {

class DecoderBuilder {
public:
  DecoderBuilder(func::FuncOp function, DecoderSignature signature)
      : function(function), signature(std::move(signature)),
        context(function.getContext()),
        b(function.getLoc(), OpBuilder::atBlockBegin(&body())) {}

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
  Block &body() { return function.getBody().front(); }
  SizeAttr symbol(StringRef name) { return SizeAttr::symbol(context, name); }
  SizeAttr number(int64_t value) { return SizeAttr::number(context, value); }
  ArrayAttr array(ArrayRef<SizeAttr> list) { return toArray(context, list); }
  const PastTensor &firstPast() {
    return signature.layers.begin()->second.front();
  }

  template <typename Op, typename... Args>
  Value make(ArrayRef<SizeAttr> resultSizes, Type type, Args &&...args) {
    return Op::create(b, tensorOf(resultSizes, type),
                      std::forward<Args>(args)...);
  }

  //===-- sizes -----------------------------------------------------------===//

  // Those of tokens have to be symbols, as calls differ in them.
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

  BlockArgument addArgument(StringRef name, Type type) {
    unsigned index = body().getNumArguments();
    auto attributes =
        b.getDictionaryAttr(b.getNamedAttr(kNameAttr, b.getStringAttr(name)));
    (void)function.insertArgument(index, type, attributes, function.getLoc());
    return body().getArgument(index);
  }

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
      Type type = getElementTypeOrSelf(mask);
      Value one = arith::ConstantOp::create(
          b, DenseElementsAttr::get(RankedTensorType::get({}, type),
                                    Attribute(IntegerAttr::get(type, 1))));
      Sizes perKey{symbol(sizes.batch), symbol(sizes.capacity)};
      mask.replaceAllUsesWith(
          make<BroadcastOp>(perKey, type, one, array(perKey)));
    }
    if (BlockArgument positions = signature.positions) {
      Type type = getElementTypeOrSelf(positions);
      gatherByPositions(positions);
      positions.replaceAllUsesWith(
          make<CastOp>(perToken, type, placesOfQueries(perToken, 1)));
    }
  }

  // A lookup is of a caller's ids. Positions of a cache are below its capacity,
  // which is at most what the table has.
  void gatherByPositions(BlockArgument positions) {
    for (Operation *user : llvm::make_early_inc_range(positions.getUsers())) {
      auto lookup = dyn_cast<EmbeddingOp>(user);
      if (!lookup)
        continue;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(lookup);
      Value table = lookup.getTable();
      mostTokens = std::min(mostTokens, *sizesOf(table)[0].asNumber());
      Value rows = make<GatherOp>(sizesOf(lookup.getResult()),
                                  getElementTypeOrSelf(table), table, positions,
                                  /*axis=*/0, IntegerAttr(), /*wrap=*/false);
      lookup.getResult().replaceAllUsesWith(rows);
      lookup.erase();
    }
  }

  // starts[b] + s, where `dim` is the dimension of s, and the first that of b.
  Value placesOfQueries(ArrayRef<SizeAttr> over, int64_t dim) {
    Value place = make<IotaOp>(over, b.getI32Type(), dim, array(over));
    return arith::AddIOp::create(b, place, forSequences(starts, over));
  }

  // Users first, as far as ops are in order: what is new reads nothing dead.
  void eraseDead() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  void eraseOldArguments() {
    llvm::BitVector old(body().getNumArguments());
    for (BlockArgument argument : {signature.mask, signature.positions})
      if (argument)
        old.set(argument.getArgNumber());
    for (const auto &[layer, tensors] : signature.layers)
      for (const PastTensor &tensor : tensors)
        old.set(tensor.past.getArgNumber());
    (void)function.eraseArguments(old);
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
    return llvm::Error::success();
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
    Value isKept = arith::AndIOp::create(b, isBefore, isValid(over, 3));
    softmax->setOperand(0, where(isKept, scores, -INFINITY));
  }

  // Whether a key, of dimension `dim`, is one that a sequence has.
  Value isValid(ArrayRef<SizeAttr> over, int64_t dim) {
    Type type = b.getI32Type();
    Value key = make<IotaOp>(over, type, dim, array(over));
    Value count = arith::AddIOp::create(b, starts, lengths);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, key,
                                 forSequences(count, over));
  }

  Value forSequences(Value counts, ArrayRef<SizeAttr> over) {
    Sizes ones(over.size(), number(1));
    ones[0] = symbol(sizes.batch);
    Type type = b.getI32Type();
    return make<BroadcastOp>(over, type,
                             make<ReshapeOp>(ones, type, counts, array(ones)),
                             array(over));
  }

  Value where(Value condition, Value x, double otherwise) {
    Type type = getElementTypeOrSelf(x);
    Value constant = arith::ConstantOp::create(
        b, DenseElementsAttr::get(RankedTensorType::get({}, type),
                                  Attribute(FloatAttr::get(type, otherwise))));
    return make<WhereOp>(sizesOf(x), type, condition, x, constant);
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
      // Those that nobody has appended may be no numbers, which a weight of 0
      // makes none of.
      Value valid =
          isValid({symbol(sizes.batch), symbol(sizes.capacity), number(1)}, 1);
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

  // Those of the last token, before the layer that makes them.
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
    function.setAllResultAttrs(ArrayRef<DictionaryAttr>{
        b.getDictionaryAttr(
            {b.getNamedAttr(kNameAttr, b.getStringAttr("logits")),
             b.getNamedAttr(kRoleAttr, ArgumentRoleAttr::get(
                                           context, ArgumentRole::Logits))}),
        b.getDictionaryAttr(
            {b.getNamedAttr(kNameAttr, b.getStringAttr("cache"))})});
  }

  Value lastOf(Value x) {
    Sizes all = sizesOf(x);
    return make<LastTokenOp>({all[0], all[2]}, getElementTypeOrSelf(x), x,
                             lengths);
  }

  // As the importer leaves types: sizes follow from those of arguments.
  void dropSizes() {
    function.getBody().walk([&](Operation *op) {
      auto drop = [](Value value) {
        if (auto type = dyn_cast<RankedTensorType>(value.getType()))
          value.setType(type.dropEncoding());
      };
      llvm::for_each(op->getResults(), drop);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), drop);
    });
    for (BlockArgument argument : body().getArguments()) {
      SmallVector<std::string> texts;
      for (SizeAttr size : sizesOf(argument))
        if (!size.asNumber())
          texts.push_back(size.str());
      SmallVector<StringRef> names(texts.begin(), texts.end());
      function.setArgAttr(argument.getArgNumber(), kSizesAttr,
                          b.getStrArrayAttr(names));
      if (auto type = dyn_cast<CacheType>(argument.getType()))
        argument.setType(type.withSizes({}));
      else
        argument.setType(
            cast<RankedTensorType>(argument.getType()).dropEncoding());
    }
    function.walk([&](CacheAppendOp append) {
      append->getResult(0).setType(cache.getType());
    });
    Operation *end = body().getTerminator();
    function.setType(
        b.getFunctionType(body().getArgumentTypes(), end->getOperandTypes()));
  }

  func::FuncOp function;
  DecoderSignature signature;
  MLIRContext *context;
  ImplicitLocOpBuilder b;
  DecoderSizes sizes{"", "", "capacity"};
  std::string past, total;
  int64_t mostTokens = INT64_MAX;
  BlockArgument starts, lengths, cache;
  Value newCache;
};

} // namespace

std::optional<std::string> heddle::addDecoder(ModuleOp module,
                                              const TensorSource *tensors) {
  auto run = module.lookupSymbol<func::FuncOp>("run");
  if (!run)
    return std::nullopt;
  // What is wrong with the copy is no fault of the model.
  std::string diagnosed;
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [&](Diagnostic &diagnostic) {
                                   if (diagnosed.empty())
                                     diagnosed = diagnostic.str();
                                   return success();
                                 });
  func::FuncOp forward = run.clone();
  forward.setName("forward");
  OpBuilder b(run);
  b.setInsertionPointAfter(run);
  b.insert(forward);
  auto refuse = [&](const std::string &reason) {
    forward.erase();
    return diagnosed.empty() ? reason : reason + ": " + diagnosed;
  };
  if (failed(resolveSizes(forward)))
    return refuse("its sizes cannot be told");
  auto signature = findSignature(forward);
  if (!signature)
    return refuse(llvm::toString(signature.takeError()));
  if (!signature->isDecoder()) {
    forward.erase();
    return std::nullopt;
  }
  std::string length = sizesOf(signature->ids)[1].str();
  if (llvm::Error error =
          DecoderBuilder(forward, std::move(*signature)).run(tensors))
    return refuse(llvm::toString(std::move(error)));
  forward->setAttr(kDecoderAttr, b.getStringAttr(length));
  return std::nullopt;
}
