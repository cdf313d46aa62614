// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/CheckEntries.h"

#include "compiler/CodeGen/HeaderNames.h"
#include "compiler/Prepare/Passes.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;

// Private functions are called by others, and become a part of them.
static SmallVector<func::FuncOp> publicFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      functions.push_back(function);
  return functions;
}

namespace {

/// The names that the header gives to functions, constants and macros.
class DeclaredNames {
public:
  explicit DeclaredNames(StringRef prefix) : prefix(prefix.str()) {}

  // An error where two would be one.
  LogicalResult addAll(ModuleOp module) {
    for (StringRef name : {"model", "cache_size"})
      names[prefix + "_" + name.str()] = nullptr;
    std::string upper = StringRef(prefix).upper();
    for (StringRef name : {"H", "POSITIONS", "VOCABULARY"})
      names[upper + "_" + name.str()] = nullptr;
    for (auto function : publicFunctions(module))
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        std::string name = identifierOf(argumentName(function, i));
        names[upper + "_" + StringRef(name).upper() + "_VOCABULARY"] = nullptr;
        for (StringRef entry : entriesOf(function))
          names[prefix + "_" + entry.str() + "_" + name + "_cache_size"] =
              nullptr;
        names[prefix + "_" + name + "_cache_size"] = nullptr;
      }
    for (auto function : publicFunctions(module))
      for (StringRef entry : entriesOf(function))
        for (StringRef suffix : {"", "_workspace_size"})
          if (failed(add(prefix + "_" + entry.str() + suffix.str(), function)))
            return failure();
    return success();
  }

private:
  // SplitPhases makes two of a decoder.
  static SmallVector<StringRef> entriesOf(func::FuncOp function) {
    if (function->hasAttr(kDecoderAttr))
      return {"prefill", "decode"};
    return {function.getName()};
  }

  LogicalResult add(StringRef name, func::FuncOp function) {
    auto [known, isNew] = names.try_emplace(name, function);
    if (isNew && !isInRuntimeHeader(name))
      return success();
    func::FuncOp other = isNew ? nullptr : known->second;
    InFlightDiagnostic error =
        function.emitOpError("needs the name '")
        << name << "' in the header, which "
        << (other ? "another function" : "the header itself") << " needs, too";
    if (other)
      error.attachNote(other.getLoc()) << "the other function";
    return error;
  }

  std::string prefix;
  llvm::StringMap<func::FuncOp> names;
};

} // namespace

static LogicalResult checkType(func::FuncOp function, StringRef what,
                               Location loc, Type type) {
  if (isa<CacheType>(type) || isScalarType(type) || type.isIndex())
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && isElementType(tensor.getElementType()) &&
      tensor.getRank() <= HEDDLE_MAX_RANK)
    return success();
  return emitError(loc) << "'func.func' op expected " << what
                        << " to be a tensor of " << kElementTypes
                        << " with at most " << HEDDLE_MAX_RANK
                        << " dimensions, a scalar, or a cache, found " << type;
}

// By their names arguments and results are found at run time.
static LogicalResult checkNames(func::FuncOp function) {
  llvm::StringMap<std::string> taken;
  auto add = [&](StringRef name, StringRef what) -> LogicalResult {
    if (name.empty() || name.contains('\0'))
      return function.emitOpError("expected ")
             << what << " to have a name without the character 0, found '"
             << name << "'";
    auto [known, isNew] = taken.try_emplace(name, what.str());
    if (isNew)
      return success();
    return function.emitOpError() << what << " is named '" << name
                                  << "', which " << known->second << " is, too";
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(add(argumentName(function, i), ("argument " + Twine(i)).str())))
      return failure();
  // A returned cache is the argument that it came from.
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!isa<CacheType>(function.getResultTypes()[i]) &&
        failed(add(resultName(function, i), ("result " + Twine(i)).str())))
      return failure();
  return success();
}

static LogicalResult checkEntry(func::FuncOp function) {
  if (function.isDeclaration())
    return function.emitOpError("expected a body");
  if (!isIdentifier(function.getName()))
    return function.emitOpError("expected a C identifier as its name");
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(checkType(function, ("argument " + Twine(index)).str(),
                         function.getArgument(index).getLoc(), type)))
      return failure();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(checkType(function, ("result " + Twine(index)).str(),
                         function.getLoc(), type)))
      return failure();
  return checkNames(function);
}

// The caller's cache changes in place. A change whose cache does not reach the
// return would do that where something reads it, and nothing where not.
static LogicalResult checkAppends(func::FuncOp function) {
  auto passesOn = [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           isa<CacheAppendOp, CacheSelectOp>(user);
  };
  WalkResult result = function.walk([&](Operation *op) {
    if (!isa<CacheAppendOp, CacheSelectOp>(op) ||
        llvm::any_of(op->getUsers(), passesOn))
      return WalkResult::advance();
    op->emitOpError(
        "expected its cache to be changed again, or to be returned");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult heddle::checkEntries(ModuleOp module, StringRef prefix) {
  if (publicFunctions(module).empty())
    return module.emitError("expected at least one func.func, found none");
  for (auto function : publicFunctions(module))
    if (failed(checkEntry(function)) || failed(checkAppends(function)))
      return failure();
  return DeclaredNames(prefix).addAll(module);
}
