// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/EntryPlan.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace heddle;

std::optional<unsigned> ArgumentPlan::lengths() const {
  if (!values || !values.getLengths())
    return std::nullopt;
  return values.getLengths().getInt();
}

// As EntryEmitter::cacheOf finds them.
SmallVector<int64_t> ArgumentPlan::parts() const {
  SmallVector<int64_t> bytes;
  for (int64_t layer = 0; cache && layer < cache.getLayers(); ++layer)
    for (CachePart part : cache.getParts())
      bytes.push_back(cache.getBytesPerPosition(part));
  return bytes;
}

uint32_t ArgumentPlan::layout() const {
  if (!cache)
    return 0;
  std::string text;
  llvm::raw_string_ostream(text)
      << cache.withSizes(SizesAttr()) << ", " << stringifyArgumentRole(role);
  return uint32_t(llvm::xxh3_64bits(text));
}

std::optional<unsigned> EntryPlan::symbol(StringRef name) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (symbol.getName() == name)
      return index;
  return std::nullopt;
}

SmallVector<ChosenSize> EntryPlan::chosenSizes() const {
  return llvm::map_to_vector(symbols, [](SymbolAttr symbol) {
    return ChosenSize{symbol.getName().getValue(),
                      symbol.getRole() == SymbolRole::Batch,
                      symbol.getMinimum(), symbol.getMaximum()};
  });
}

SizeRange EntryPlan::rangeOf(SizeAttr size) const {
  return heddle::rangeOf(size, [&](StringRef name) {
    SymbolAttr known = symbols[*symbol(name)];
    return SizeRange{known.getMinimum(), known.getMaximum()};
  });
}

int64_t EntryPlan::evaluate(SizeAttr size, ArrayRef<int64_t> sizes) const {
  return *size.evaluate([&](StringRef name) { return sizes[*symbol(name)]; });
}

SmallVector<int64_t> EntryPlan::evaluate(ArrayRef<SizeAttr> list,
                                         ArrayRef<int64_t> sizes) const {
  return llvm::map_to_vector(
      list, [&](SizeAttr size) { return evaluate(size, sizes); });
}

std::optional<unsigned> EntryPlan::symbol(SymbolRole role) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (symbol.getRole() == role)
      return index;
  return std::nullopt;
}

bool EntryPlan::hasCaches() const {
  return llvm::any_of(arguments, [](const ArgumentPlan &argument) {
    return argument.kind == HEDDLE_ARGUMENT_CACHE;
  });
}

static std::string nameOf(StringAttr given, StringRef fallback,
                          unsigned index) {
  return given ? given.str() : (fallback + Twine(index)).str();
}

std::string heddle::argumentName(func::FuncOp function, unsigned index) {
  return nameOf(function.getArgAttrOfType<StringAttr>(index, kNameAttr),
                "argument", index);
}

std::string heddle::resultName(func::FuncOp function, unsigned index) {
  return nameOf(function.getResultAttrOfType<StringAttr>(index, kNameAttr),
                "result", index);
}

static std::optional<unsigned> numberOf(IntegerAttr attribute) {
  return attribute ? std::optional<unsigned>(attribute.getInt()) : std::nullopt;
}

heddle_type heddle::typeOf(Type type) {
  return findElementType(getElementTypeOrSelf(type))->type;
}

SizeAttr heddle::positionsOf(CacheType cache) {
  Sizes sizes = sizesOf(cache);
  return sizes[0] * roundUp(sizes[1], HEDDLE_CACHE_BLOCK);
}

SizeAttr heddle::bytesOf(Type type) {
  Sizes sizes = sizesOf(type);
  if (auto cache = dyn_cast<CacheType>(type))
    return positionsOf(cache) * cache.getBytesPerPosition();
  return product(type.getContext(), sizes) *
         bytesOfElement(getElementTypeOrSelf(type));
}

static ArgumentPlan planArgument(func::FuncOp function, unsigned index) {
  Type type = function.getArgumentTypes()[index];
  ArgumentPlan plan;
  plan.name = argumentName(function, index);
  plan.kind = HEDDLE_ARGUMENT_INPUT;
  plan.extents = sizesOf(type);
  plan.bytes = bytesOf(type);
  if (auto cache = dyn_cast<CacheType>(type)) {
    plan.kind = HEDDLE_ARGUMENT_CACHE;
    plan.type = typeOf(cache.getElementType());
    plan.cache = cache;
    plan.extents.push_back(
        SizeAttr::number(type.getContext(), cache.getBytesPerPosition()));
  } else {
    plan.type = typeOf(type);
  }
  if (auto role = function.getArgAttrOfType<ArgumentRoleAttr>(index, kRoleAttr))
    plan.role = role.getValue();
  plan.values = function.getArgAttrOfType<ValuesAttr>(index, kValuesAttr);
  plan.padding =
      numberOf(function.getArgAttrOfType<IntegerAttr>(index, kPaddingAttr));
  return plan;
}

static ArgumentPlan planResult(func::FuncOp function, unsigned index) {
  Type type = function.getResultTypes()[index];
  ArgumentPlan plan;
  plan.name = resultName(function, index);
  plan.kind = HEDDLE_ARGUMENT_OUTPUT;
  plan.type = typeOf(type);
  plan.extents = sizesOf(type);
  plan.bytes = bytesOf(type);
  plan.result = index;
  if (auto role =
          function.getResultAttrOfType<ArgumentRoleAttr>(index, kRoleAttr))
    plan.role = role.getValue();
  plan.padding =
      numberOf(function.getResultAttrOfType<IntegerAttr>(index, kPaddingAttr));
  return plan;
}

EntryPlan heddle::planEntry(func::FuncOp function) {
  EntryPlan entry;
  entry.name = function.getName().str();
  for (auto symbol : function->getAttrOfType<ArrayAttr>(kSymbolsAttr)
                         .getAsRange<SymbolAttr>())
    entry.symbols.push_back(symbol);
  if (auto list = function->getAttrOfType<ArrayAttr>(kBroadcastsAttr))
    llvm::append_range(entry.broadcasts, list.getAsRange<BroadcastAttr>());
  if (auto list = function->getAttrOfType<ArrayAttr>(kCountsAttr))
    llvm::append_range(entry.counts, list.getAsRange<SizeAttr>());
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    entry.arguments.push_back(planArgument(function, index));
  // A returned cache is the argument that it came from.
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (!isa<CacheType>(type))
      entry.arguments.push_back(planResult(function, index));
  function.walk([&](LaunchOp) { ++entry.kernels; });
  return entry;
}

ModelPlan heddle::planModel(ModuleOp module) {
  ModelPlan plan;
  for (auto function : module.getOps<func::FuncOp>())
    plan.entries.push_back(planEntry(function));
  plan.weights = WeightPlan::of(module);
  auto readIds = [&](StringRef name, std::vector<int64_t> &ids) {
    if (auto attribute = module->getAttrOfType<DenseI64ArrayAttr>(name))
      ids = attribute.asArrayRef().vec();
  };
  readIds(kBosAttr, plan.startIds);
  readIds(kEosAttr, plan.endIds);
  // The verifier of the dialect has accepted the attribute.
  auto emitError = [&] { return module.emitOpError(); };
  if (auto fields = module->getAttrOfType<DictionaryAttr>(kGenerationAttr))
    plan.generation = *GenerationDefaults::read(fields, emitError);
  return plan;
}
