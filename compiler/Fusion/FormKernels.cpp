// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries a FusionPlan out: each group of ops becomes a heddle.kernel, shared
// with equal groups, and a heddle.launch.

#include "compiler/Fusion/CheckCaches.h"
#include "compiler/Fusion/CollapseDimensions.h"
#include "compiler/Fusion/FusionPlan.h"
#include "compiler/Fusion/JoinDimensions.h"
#include "compiler/Fusion/Passes.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {
#define GEN_PASS_DEF_FORMKERNELS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The op of the model that `op` comes from.
static StringRef originOf(Operation *op) {
  if (auto origin = op->getAttrOfType<StringAttr>(kOriginAttr))
    return origin;
  return op->getName().stripDialect();
}

// "linear2_mulf" for a group of ops.
static std::string describe(StringRef function, ArrayRef<Operation *> ops) {
  std::string name = function.str();
  for (size_t i = 0; i < ops.size();) {
    size_t end = i;
    while (end < ops.size() && originOf(ops[end]) == originOf(ops[i]))
      ++end;
    std::string mnemonic = originOf(ops[i]).str();
    llvm::replace(mnemonic, '.', '_');
    name += "_" + mnemonic;
    if (end - i > 1)
      name += std::to_string(end - i);
    i = end;
  }
  return name;
}

static bool hasNoElements(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

namespace {

/// Kernels of a module, each once.
class KernelLibrary {
public:
  explicit KernelLibrary(ModuleOp module) : symbols(module) {}

  /// Returns the kernel equal to `kernel` but for its name; takes ownership.
  KernelOp intern(KernelOp kernel, StringRef name) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    kernel.setName("kernel");
    kernel.print(stream, OpPrintingFlags().printGenericOpForm());
    auto [entry, isNew] = kernels.try_emplace(text, kernel);
    if (!isNew) {
      kernel.erase();
      return entry->second;
    }
    kernel.setName(uniqueName(name));
    symbols.insert(kernel);
    return kernel;
  }

private:
  // `name`, `name_1`, `name_2`, ...
  std::string uniqueName(StringRef name) {
    std::string unique = name.str();
    for (unsigned number = 1; symbols.lookup(unique); ++number)
      unique = (name + "_" + Twine(number)).str();
    return unique;
  }

  SymbolTable symbols;
  llvm::StringMap<KernelOp> kernels;
};

/// Rewrites one block into launches. `launched` has what values of blocks
/// around it are known by, and gets its own.
class Outliner {
public:
  Outliner(func::FuncOp function, Block &block, const FusionPlan &plan,
           KernelLibrary &library, IRMapping &launched)
      : function(function), block(block), plan(plan), library(library),
        launched(launched) {}

  void launchAll() {
    // What follows an op and needs its values complete.
    llvm::DenseMap<Operation *, Operation *> barriers;
    Operation *next = block.getTerminator();
    for (Operation &op : llvm::reverse(block)) {
      barriers[&op] = next;
      if (isBarrier(&op))
        next = &op;
    }
    for (ArrayRef<Operation *> group : plan.kernels) {
      OpBuilder builder(barriers[group.back()]);
      launch(builder, group);
    }
  }

  // Everything but control flow, constants and launches has been copied into
  // kernels.
  void eraseRest() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      FusionRole role = fusionRole(&op);
      if (!isa<LaunchOp, tensor::EmptyOp>(op) &&
          (role == FusionRole::Root || role == FusionRole::View))
        op.erase();
    }
  }

private:
  // Values that come from outside and the views that lead to them, in order.
  void gather(Operation *op, ArrayRef<Operation *> group,
              llvm::SetVector<Value> &inputs,
              llvm::SetVector<Operation *> &members) {
    if (members.contains(op))
      return;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && llvm::is_contained(group, producer))
        continue;
      if (producer && !plan.kernelOf(producer) && isClonedView(producer)) {
        gather(producer, group, inputs, members);
        continue;
      }
      inputs.insert(operand);
    }
    members.insert(op);
  }

  SmallVector<Value> resultsOf(ArrayRef<Operation *> group) {
    llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
    // What is stored and made of a member, without other results between.
    llvm::DenseMap<Operation *, llvm::SmallDenseSet<Value, 2>> readers;
    llvm::DenseSet<Value> stored;
    for (Operation *op : llvm::reverse(group)) {
      llvm::SmallDenseSet<Value, 2> &own = readers[op];
      for (Operation *user : op->getUsers())
        if (members.contains(user))
          own.insert_range(readers[user]);
      for (Value result : op->getResults()) {
        bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
          return !members.contains(user);
        });
        // Results are computed one after the other, and rows of a
        // heddle.generic are kept for one of them.
        bool isShared =
            isa<GenericOp>(op) && own.size() > 1 && !result.use_empty();
        if (isRead || isShared)
          stored.insert(result);
      }
      auto isStored = [&](Value value) { return stored.contains(value); };
      if (llvm::none_of(op->getResults(), isStored))
        continue;
      own.clear();
      // Results of a reduction are computed together.
      if (auto generic = dyn_cast<GenericOp>(op);
          generic && !generic.hasReduction())
        own.insert_range(llvm::make_filter_range(op->getResults(), isStored));
      else
        own.insert(op->getResult(0));
    }
    SmallVector<Value> results;
    for (Operation *op : group)
      for (Value result : op->getResults())
        if (stored.contains(result))
          results.push_back(result);
    return results;
  }

  // What is handed on, or read by control flow.
  static bool isHandedOn(OpOperand &use) {
    FusionRole role = fusionRole(use.getOwner());
    return role == FusionRole::Terminator || role == FusionRole::Control;
  }

  DictionaryAttr attributesOf(Value value) {
    OpBuilder builder(function.getContext());
    NamedAttrList attributes;
    Operation *producer = value.getDefiningOp();
    if (producer && fusionRole(producer) == FusionRole::Constant) {
      attributes.append(kWeightAttr, builder.getUnitAttr());
      if (LayoutAttr layout = layoutOf(value))
        attributes.append(kLayoutAttr, layout);
    }
    return attributes.getDictionary(function.getContext());
  }

  void launch(OpBuilder &builder, ArrayRef<Operation *> group) {
    llvm::SetVector<Value> inputs;
    llvm::SetVector<Operation *> members;
    for (Operation *op : group)
      gather(op, group, inputs, members);
    SmallVector<Value> results = resultsOf(group);
    if (!results.empty() && llvm::all_of(results, hasNoElements)) {
      for (Value result : results)
        replace(result, buildEmpty(builder, result));
      return;
    }

    Location loc = group.front()->getLoc();
    auto toTypes = [](ArrayRef<Value> values) {
      return llvm::map_to_vector(
          values, [](Value value) { return typeInKernel(value.getType()); });
    };
    auto toAttributes = [&](ArrayRef<Value> values) {
      return builder.getArrayAttr(llvm::map_to_vector(
          values, [&](Value value) { return Attribute(attributesOf(value)); }));
    };
    SmallVector<Value> operands =
        llvm::map_to_vector(inputs.getArrayRef(), [&](Value v) {
          return launched.lookupOrDefault(v);
        });

    OpBuilder detached(function.getContext());
    auto kernel = KernelOp::create(
        detached, loc, "kernel",
        builder.getFunctionType(toTypes(inputs.getArrayRef()),
                                toTypes(results)),
        toAttributes(inputs.getArrayRef()), toAttributes(results));
    std::optional<uint64_t> layer = fill(kernel, inputs, members, results);
    joinDimensions(kernel);
    collapseDimensions(kernel);
    kernel = library.intern(kernel, describe(function.getName(), group));

    auto launch = LaunchOp::create(
        builder, loc, TypeRange(ValueRange(results)), kernel.getSymNameAttr(),
        operands, layer ? builder.getI64IntegerAttr(*layer) : IntegerAttr());
    for (auto [before, after] : llvm::zip(results, launch.getResults()))
      replace(before, after);
  }

  // A value is known by its old name in the plan and by its new one elsewhere.
  void replace(Value before, Value after) {
    launched.map(before, after);
    before.replaceUsesWithIf(after, isHandedOn);
  }

  // A tensor without elements takes no kernel.
  static Value buildEmpty(OpBuilder &builder, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Value> dynamic;
    for (SizeAttr size : sizesOf(value))
      if (!size.asNumber())
        dynamic.push_back(SizeOp::create(builder, value.getLoc(),
                                         builder.getIndexType(), size));
    return tensor::EmptyOp::create(builder, value.getLoc(), type.getShape(),
                                   type.getElementType(), dynamic,
                                   type.getEncoding());
  }

  // Copies `members` into `kernel`; returns the cache layer they work on.
  std::optional<uint64_t> fill(KernelOp kernel,
                               const llvm::SetVector<Value> &inputs,
                               const llvm::SetVector<Operation *> &members,
                               ArrayRef<Value> results) {
    Block *body = &kernel.getBody().emplaceBlock();
    IRMapping mapping;
    for (auto [input, type] : llvm::zip(inputs, kernel.getArgumentTypes()))
      mapping.map(input, body->addArgument(type, input.getLoc()));
    std::optional<uint64_t> layer;
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    for (Operation *op : members) {
      Operation *copy = inside.clone(*op, mapping);
      for (Value result : copy->getResults())
        result.setType(typeInKernel(result.getType()));
      copy->removeAttr(kOriginAttr);
      if (auto attribute = copy->getAttrOfType<IntegerAttr>("layer")) {
        layer = attribute.getInt();
        copy->setAttr("layer", inside.getI64IntegerAttr(0));
      }
    }
    SmallVector<Value> yielded = llvm::map_to_vector(
        results, [&](Value result) { return mapping.lookup(result); });
    YieldOp::create(inside, kernel.getLoc(), yielded);
    return layer;
  }

  func::FuncOp function;
  Block &block;
  const FusionPlan &plan;
  KernelLibrary &library;
  IRMapping &launched;
};

// Results are what kernels write, arguments and weights, which are copied, and
// caches that have been passed through.
static LogicalResult checkResults(func::FuncOp function) {
  for (Value value : function.front().getTerminator()->getOperands()) {
    Operation *producer = value.getDefiningOp();
    if (producer && !isa<CacheType>(value.getType()) && isClonedView(producer))
      return function.emitError("returns a value that no kernel computes");
  }
  return success();
}

static void report(func::FuncOp function,
                   const FusionPlan::Decision &decision) {
  InFlightDiagnostic remark = decision.op->emitRemark();
  if (decision.kernel)
    remark << "kernel " << *decision.kernel << " of ";
  remark << "@" << function.getName() << ": " << decision.reason;
}

// Erases what nothing uses, users first, so that chains of it go at once: a
// kernel without results cannot be compiled.
static void eraseDead(func::FuncOp function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

struct FormKernels : heddle::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    KernelLibrary library(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isDeclaration())
        continue;
      eraseDead(function);
      if (failed(checkResults(function)))
        return signalPassFailure();
      IRMapping launched;
      if (failed(formKernels(function, function.front(), library, launched)))
        return signalPassFailure();
    }
  }

  // Of a block, and then of those inside it.
  LogicalResult formKernels(func::FuncOp function, Block &block,
                            KernelLibrary &library, IRMapping &launched) {
    FusionPlan plan = FusionPlan::of(block);
    if (remarks)
      for (const FusionPlan::Decision &decision : plan.decisions)
        report(function, decision);
    if (failed(checkCaches(plan)))
      return failure();
    Outliner outliner(function, block, plan, library, launched);
    outliner.launchAll();
    for (Operation &op : block)
      if (fusionRole(&op) == FusionRole::Control)
        for (Region &region : op.getRegions())
          for (Block &inside : region)
            if (failed(formKernels(function, inside, library, launched)))
              return failure();
    outliner.eraseRest();
    return success();
  }
};
} // namespace
