// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @f(%starts: tensor<?xi32, ["batch"]>, %cache: [batch, capacity])
//   -> func @f(%starts {heddle.role = starts, heddle.values = <0 to "capacity",
//        plus argument(..)>}, %cache) attributes {heddle.symbols = [...]}

#include "compiler/Prepare/LeastSizes.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Prepare/SizeRoles.h"
#include "compiler/Prepare/ValueRules.h"
#include "dialect/Heddle/SizeRange.h"
#include "runtime/heddle_abi.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_DECLAREROLES
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// What a length or a capacity may be where nothing else limits it: the model's
// positions. Of other sizes calls check what kernels make of them.
constexpr int64_t kDefaultPositions = 1 << 16;
// Masks add the numbers of two tokens, of a query and a key.
constexpr int64_t kLargestPositions = kLargestCount / 2;
static_assert(RotaryTableOp::kLargestPositions == kLargestPositions);
constexpr int64_t kLargestBatch = 1024;

namespace {

/// The ranges of a function's sizes: those declared, and defaults of others.
class Symbols {
public:
  explicit Symbols(func::FuncOp function)
      : function(function), roles(function) {}

  LogicalResult find();

  /// What is not declared is at most `most`, where `size` is a symbol.
  void limit(SizeAttr size, int64_t most);
  /// Those that sizes of `type` have are symbols of the function.
  void add(Type type);
  void add(SizeAttr size);
  void declare();
  bool isDeclared(StringRef name) const { return declared.contains(name); }

  bool isKnown(StringRef name) const { return ranges.contains(name); }
  SizeRange rangeOf(SizeAttr size) const {
    return heddle::rangeOf(size, [&](StringRef name) {
      const auto *found = ranges.find(name);
      return found == ranges.end() ? SizeRange{1, INT64_MAX}
                                   : SizeRange{found->second.getMinimum(),
                                               found->second.getMaximum()};
    });
  }

private:
  LogicalResult findPositions();
  void addStated();
  LogicalResult checkDeclared();
  int64_t largest(StringRef name);

  func::FuncOp function;
  SizeRoles roles;
  int64_t positions = kDefaultPositions;
  llvm::MapVector<StringRef, SymbolAttr> ranges;
  llvm::DenseSet<StringRef> declared, used;
};

} // namespace

//===-- Symbols -----------------------------------------------------------===//

LogicalResult Symbols::findPositions() {
  Attribute attribute =
      function->getParentOfType<ModuleOp>()->getAttr(kPositionsAttr);
  if (!attribute)
    return success();
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getValue().sge(1) ||
      !number.getValue().sle(kLargestPositions))
    return function.emitError("expected ")
           << kPositionsAttr << " of the module to be an integer from 1 to "
           << kLargestPositions << ", found " << attribute;
  positions = number.getInt();
  return success();
}

// Of keys or values, what has more.
static int64_t channelsOf(CacheType cache) {
  return cache.getKvHeads() * std::max(cache.getHeadDim(), cache.getValueDim());
}

// Extents and strides are 32-bit in kernels: a cache's elements of one sequence
// have to fit. Products of sizes are checked by each call.
int64_t Symbols::largest(StringRef name) {
  int64_t maximum = kLargestCount;
  if (roles.isBatch(name))
    maximum = std::min(maximum, kLargestBatch);
  SymbolRole role = roles.roleOf(name);
  if (roles.isLength(name) || role == SymbolRole::Capacity)
    maximum = std::min(maximum, positions);
  for (Type type : function.getArgumentTypes()) {
    auto cache = dyn_cast<CacheType>(type);
    if (!cache ||
        sizesOf(cache)[1] != SizeAttr::symbol(function.getContext(), name))
      continue;
    maximum = std::min(maximum, INT32_MAX / channelsOf(cache) /
                                    HEDDLE_CACHE_BLOCK * HEDDLE_CACHE_BLOCK);
  }
  return maximum;
}

void Symbols::add(SizeAttr size) {
  size.walkSymbols([&](StringRef name) {
    used.insert(name);
    if (!ranges.contains(name))
      ranges.insert(
          {name, SymbolAttr::get(function.getContext(),
                                 StringAttr::get(function.getContext(), name),
                                 1, largest(name), roles.roleOf(name))});
  });
}

void Symbols::add(Type type) {
  for (SizeAttr size : sizesOf(type))
    if (size)
      add(size);
}

LogicalResult Symbols::find() {
  if (failed(findPositions()))
    return failure();
  if (auto given = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
    for (auto symbol : given.getAsRange<SymbolAttr>()) {
      if (symbol.getRole() == SymbolRole::Other)
        symbol = SymbolAttr::get(
            function.getContext(), symbol.getName(), symbol.getMinimum(),
            std::max(symbol.getMinimum(),
                     std::min(symbol.getMaximum(), largest(symbol.getName()))),
            roles.roleOf(symbol.getName()));
      ranges.insert({symbol.getName().getValue(), symbol});
      declared.insert(symbol.getName().getValue());
    }
  for (Type type : function.getArgumentTypes())
    add(type);
  for (Type type : function.getResultTypes())
    add(type);
  addStated();
  return checkDeclared();
}

// A misspelt name would limit nothing. Sizes that limit integers alone are
// used.
LogicalResult Symbols::checkDeclared() {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto values = function.getArgAttrOfType<ValuesAttr>(index, kValuesAttr))
      for (SizeAttr size : {values.getMaximum(), values.getSize()})
        if (size)
          size.walkSymbols([&](StringRef name) { used.insert(name); });
  for (const auto &[name, symbol] : ranges)
    if (!used.contains(name))
      return function.emitError("expected ")
             << kSymbolsAttr << " to be of sizes of the function, found '"
             << name << "', which nothing has";
  return success();
}

// Sizes that ops state, and maybe no argument and no result has.
void Symbols::addStated() {
  AttrTypeWalker walker;
  walker.addWalk([&](SizeAttr size) {
    add(size);
    return WalkResult::skip();
  });
  function.getBody().walk(
      [&](Operation *op) { walker.walk(op->getAttrDictionary()); });
}

void Symbols::limit(SizeAttr size, int64_t most) {
  if (size.getKind() != SizeKind::Symbol ||
      declared.contains(size.getName().getValue()))
    return;
  SymbolAttr &symbol = ranges[size.getName().getValue()];
  symbol = SymbolAttr::get(
      function.getContext(), symbol.getName(), symbol.getMinimum(),
      std::max(symbol.getMinimum(), std::min(symbol.getMaximum(), most)),
      symbol.getRole());
}

void Symbols::declare() {
  SmallVector<Attribute> symbols;
  for (const auto &[name, symbol] : ranges)
    symbols.push_back(symbol);
  function->setAttr(kSymbolsAttr,
                    ArrayAttr::get(function.getContext(), symbols));
}

//===-- Values ------------------------------------------------------------===//

namespace {

/// Writes what one function does not declare.
class RoleWriter {
public:
  explicit RoleWriter(func::FuncOp function)
      : function(function), context(function.getContext()), symbols(function) {}

  LogicalResult run() {
    if (failed(symbols.find()) || failed(checkCaches()) ||
        failed(checkSymbolsOfValues()) || failed(checkStarts()) ||
        failed(checkComputedIndices(function)))
      return failure();
    for (BlockArgument argument : function.getArguments())
      if (isIndexType(getElementTypeOrSelf(argument.getType())) &&
          failed(writeValues(argument)))
        return failure();
    for (BlockArgument argument : function.getArguments()) {
      writePaddingOfIds(argument);
      writePool(argument);
    }
    for (OpOperand &result : function.front().getTerminator()->getOpOperands())
      writePaddingOfResult(result);
    symbols.declare();
    declareLeastSizes(function,
                      [&](StringRef name) { return symbols.isDeclared(name); });
    return success();
  }

private:
  LogicalResult checkCaches();
  LogicalResult checkSymbolsOfValues();
  LogicalResult checkStarts();
  LogicalResult writeValues(BlockArgument argument);
  LogicalResult checkDeclared(unsigned index, ValuesAttr found,
                              ValuesAttr needed);
  bool isAtMost(SizeAttr a, SizeAttr b) const;
  void writePaddingOfIds(BlockArgument argument);
  void writePool(BlockArgument argument);
  void writePaddingOfResult(OpOperand &result);

  IntegerAttr number(int64_t value) const {
    return IntegerAttr::get(IntegerType::get(context, 64), value);
  }

  func::FuncOp function;
  MLIRContext *context;
  Symbols symbols;
};

} // namespace

// A capacity of 1 is already a whole block of positions.
LogicalResult RoleWriter::checkCaches() {
  constexpr int64_t most = INT32_MAX / HEDDLE_CACHE_BLOCK;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto cache = dyn_cast<CacheType>(type);
    int64_t channels = cache ? channelsOf(cache) : 0;
    if (channels > most)
      return function.emitError("expected keys and values of at most ")
             << most << " channels in argument " << index
             << ", so that a block of " << HEDDLE_CACHE_BLOCK
             << " positions is counted with 32 bits, found " << channels;
  }
  return success();
}

LogicalResult RoleWriter::checkStarts() {
  if (llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<CacheType>))
    return success();
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto role = function.getArgAttrOfType<ArgumentRoleAttr>(index, kRoleAttr);
    if (role && role.getValue() == ArgumentRole::Starts)
      return function.emitError("expected a cache that the starts of argument ")
             << index << " are in, found none";
  }
  return success();
}

LogicalResult RoleWriter::checkSymbolsOfValues() {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto values = function.getArgAttrOfType<ValuesAttr>(index, kValuesAttr);
    if (!values)
      continue;
    for (SizeAttr size : {values.getMaximum(), values.getSize()}) {
      std::string unknown;
      if (size)
        size.walkSymbols([&](StringRef name) {
          if (!symbols.isKnown(name))
            unknown = name;
        });
      if (!unknown.empty())
        return function.emitError("expected ")
               << kValuesAttr << " of argument " << index
               << " to be of sizes of the function, found '" << unknown << "'";
    }
  }
  return success();
}

// Whether a <= b, whatever the symbols are; false where that is not known.
bool RoleWriter::isAtMost(SizeAttr a, SizeAttr b) const {
  auto operand = [](SizeAttr size, unsigned index) {
    return cast<SizeAttr>(size.getOperands()[index]);
  };
  if (a == b || symbols.rangeOf(b - a).least >= 0)
    return true;
  if (b.getKind() == SizeKind::Min)
    return isAtMost(a, operand(b, 0)) && isAtMost(a, operand(b, 1));
  if (a.getKind() == SizeKind::Min)
    return isAtMost(operand(a, 0), b) || isAtMost(operand(a, 1), b);
  return false;
}

// What is declared may be stricter than what ops need.
LogicalResult RoleWriter::checkDeclared(unsigned index, ValuesAttr found,
                                        ValuesAttr needed) {
  bool addsSame = found.getLengths() == needed.getLengths() &&
                  found.getSize() == needed.getSize();
  if (addsSame && found.getMinimum() >= needed.getMinimum() &&
      isAtMost(found.getMaximum(), needed.getMaximum()))
    return success();
  return function.emitError("expected ")
         << kValuesAttr << " of argument " << index << " to be " << needed
         << " or stricter, as that is what kernels rely on, found " << found;
}

LogicalResult RoleWriter::writeValues(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  FailureOr<ValueRule> rule = findValueRule(function, argument);
  if (failed(rule))
    return failure();
  if (rule->role == ArgumentRole::Other)
    return success();
  if (!function.getArgAttr(index, kRoleAttr))
    function.setArgAttr(index, kRoleAttr,
                        ArgumentRoleAttr::get(context, rule->role));
  // What fits into the cache then has an angle, too.
  if (rule->role == ArgumentRole::Starts && rule->positions) {
    symbols.limit(rule->maximum, *rule->positions);
    auto positions = SizeAttr::number(context, *rule->positions);
    if (!isAtMost(rule->maximum, positions))
      rule->maximum = min(rule->maximum, positions);
  }
  if (rule->role == ArgumentRole::Positions && rule->tokens)
    symbols.limit(rule->tokens, *rule->positions);
  auto needed = ValuesAttr::get(
      context, rule->minimum, rule->maximum,
      rule->lengths ? number(*rule->lengths) : IntegerAttr(), rule->size);
  if (auto declared = function.getArgAttrOfType<ValuesAttr>(index, kValuesAttr))
    return checkDeclared(index, declared, needed);
  function.setArgAttr(index, kValuesAttr, needed);
  return success();
}

void RoleWriter::writePool(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  if (isa<CacheType>(argument.getType()) && isPool(argument) &&
      !function.getArgAttr(index, kRoleAttr))
    function.setArgAttr(index, kRoleAttr,
                        ArgumentRoleAttr::get(context, ArgumentRole::Pool));
}

//===-- Padding -----------------------------------------------------------===//

// Ids and types [batch, length] of sequences whose lengths are at most that:
// those of the first argument that has such.
void RoleWriter::writePaddingOfIds(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  auto role = function.getArgAttrOfType<ArgumentRoleAttr>(index, kRoleAttr);
  Sizes sizes = sizesOf(argument);
  bool isOfTokens = role && (role.getValue() == ArgumentRole::Ids ||
                             role.getValue() == ArgumentRole::Types);
  if (!isOfTokens || sizes.size() != 2 || sizes[1].asNumber() ||
      function.getArgAttr(index, kPaddingAttr))
    return;
  for (BlockArgument other : function.getArguments()) {
    unsigned lengths = other.getArgNumber();
    auto kind = function.getArgAttrOfType<ArgumentRoleAttr>(lengths, kRoleAttr);
    auto values = function.getArgAttrOfType<ValuesAttr>(lengths, kValuesAttr);
    if (!kind || kind.getValue() != ArgumentRole::Lengths || !values ||
        values.getMaximum() != sizes[1] || sizesOf(other) != Sizes{sizes[0]})
      continue;
    function.setArgAttr(index, kPaddingAttr, number(lengths));
    return;
  }
}

// All ops that `value` may depend on.
static SetVector<Operation *> findSources(Value value) {
  SetVector<Operation *> sources;
  auto add = [&](Value from) {
    if (Operation *op = from.getDefiningOp())
      sources.insert(op);
  };
  add(value);
  for (size_t next = 0; next < sources.size(); ++next)
    sources[next]->walk([&](Operation *inside) {
      sources.insert(inside);
      llvm::for_each(inside->getOperands(), add);
    });
  return sources;
}

// Tokens past a length are not appended to a cache, and so what is computed
// from the cache for them is no result. Other results have no padding.
void RoleWriter::writePaddingOfResult(OpOperand &result) {
  unsigned index = result.getOperandNumber();
  Sizes sizes = sizesOf(result.get());
  if (!isa<RankedTensorType>(result.get().getType()) || sizes.size() < 2 ||
      function.getResultAttr(index, kPaddingAttr))
    return;
  for (Operation *op : findSources(result.get())) {
    auto append = dyn_cast<CacheAppendOp>(op);
    auto lengths = append ? dyn_cast_or_null<BlockArgument>(append.getLengths())
                          : BlockArgument();
    if (!lengths ||
        !llvm::equal(ArrayRef(sizes).take_front(2),
                     ArrayRef(sizesOf(append.getKey())).take_front(2)))
      continue;
    function.setResultAttr(index, kPaddingAttr, number(lengths.getArgNumber()));
    return;
  }
}

namespace {
struct DeclareRoles : heddle::impl::DeclareRolesBase<DeclareRoles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(RoleWriter(function).run()))
        return signalPassFailure();
  }
};
} // namespace
