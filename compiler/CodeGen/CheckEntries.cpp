// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/CheckEntries.h"

#include "compiler/Host/EntryPlan.h"
#include "compiler/Prepare/Passes.h"
#include "dialect/Heddle/DeclaredSize.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace heddle;

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

// Of C and C++, as programs of both include the header.
static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> keywords = {
      "alignas",      "alignof",   "and",          "and_eq",
      "asm",          "auto",      "bitand",       "bitor",
      "bool",         "break",     "case",         "catch",
      "char",         "char16_t",  "char32_t",     "char8_t",
      "class",        "co_await",  "co_return",    "co_yield",
      "compl",        "concept",   "const",        "const_cast",
      "consteval",    "constexpr", "constinit",    "continue",
      "decltype",     "default",   "delete",       "do",
      "double",       "else",      "enum",         "explicit",
      "export",       "extern",    "false",        "float",
      "for",          "friend",    "goto",         "if",
      "inline",       "int",       "long",         "mutable",
      "namespace",    "new",       "noexcept",     "not",
      "not_eq",       "nullptr",   "operator",     "or",
      "or_eq",        "private",   "protected",    "public",
      "register",     "requires",  "restrict",     "return",
      "short",        "signed",    "sizeof",       "static",
      "static_cast",  "struct",    "switch",       "template",
      "this",         "throw",     "true",         "try",
      "typedef",      "typeid",    "typename",     "typeof",
      "union",        "unsigned",  "using",        "virtual",
      "void",         "volatile",  "wchar_t",      "while",
      "dynamic_cast", "xor",       "xor_eq",       "reinterpret_cast",
      "thread_local", "asm",       "static_assert"};
  return keywords.contains(name);
}

// Names of the compiler itself: _Bool, __linux__.
static bool isReserved(StringRef name) {
  return name.consume_front("_") && !name.empty() &&
         (name.front() == '_' || llvm::isUpper(name.front()));
}

// What heddle.h and the headers of C that it includes declare or define, and
// what every compiler does.
static bool isInRuntimeHeader(StringRef name) {
  static const llvm::Regex pattern(
      "^(heddle_.*|HEDDLE_.*|NULL|linux|unix|offsetof|size_t|"
      "ptrdiff_t|max_align_t|u?int(_least|_fast)?(8|16|32|64)_t|u?int(ptr|max)_"
      "t|(U?INT[A-Z0-9_]*|SIZE|PTRDIFF|SIG_ATOMIC|WCHAR|WINT)_(MAX|MIN|C|WIDTH)"
      ")$");
  return pattern.match(name);
}

// Private functions are called by others, and become a part of them.
static SmallVector<func::FuncOp> publicFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      functions.push_back(function);
  return functions;
}

namespace {

/// The names that the header gives to functions, constants and macros, which no
/// argument must hide.
class HeaderNames {
public:
  explicit HeaderNames(StringRef prefix) : prefix(prefix.str()) {}

  // An error where two would be one.
  LogicalResult addAll(ModuleOp module) {
    for (StringRef name : {"model", "cache_size"})
      names[prefix + "_" + name.str()] = nullptr;
    std::string upper = StringRef(prefix).upper();
    for (StringRef name : {"H", "POSITIONS", "VOCABULARY"})
      names[upper + "_" + name.str()] = nullptr;
    for (auto function : publicFunctions(module))
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        std::string name = argumentName(function, i);
        names[upper + "_" + StringRef(name).upper() + "_VOCABULARY"] = nullptr;
        names[prefix + "_" + name + "_cache_size"] = nullptr;
      }
    for (auto function : publicFunctions(module)) {
      // SplitPhases makes two of a decoder.
      SmallVector<StringRef> entries = {function.getName()};
      if (function->hasAttr(kDecoderAttr))
        entries = {"prefill", "decode"};
      for (StringRef entry : entries)
        for (StringRef suffix : {"", "_workspace_size"})
          if (failed(add(prefix + "_" + entry.str() + suffix.str(), function)))
            return failure();
    }
    return success();
  }

  bool contains(StringRef name) const { return names.contains(name); }

private:
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

/// The names of one function's arguments, results and sizes in the header.
class Names {
public:
  Names(func::FuncOp function, const HeaderNames &header)
      : function(function), header(header) {
    for (StringRef name : {"context", "weights", "workspace", "workspace_size",
                           "bytes", "error", "sizes"})
      taken[name] = "the generated function";
  }

  // `what` holds the name alone.
  LogicalResult add(StringRef name, StringRef what) {
    if (!isIdentifier(name) || isKeyword(name) || isReserved(name))
      return function.emitOpError()
             << "expected " << what
             << " to have a C identifier as its name, found '" << name << "'";
    if (isInRuntimeHeader(name) || header.contains(name))
      return function.emitOpError() << what << " is named '" << name
                                    << "', which the generated header uses";
    auto [known, isNew] = taken.try_emplace(name, what.str());
    if (isNew)
      return success();
    return function.emitOpError() << what << " is named '" << name
                                  << "', which " << known->second << " uses";
  }

  // A size has one name in all arguments.
  LogicalResult addSizes(ArrayAttr texts) {
    // Whether they are expressions, one for each dimension, is seen to when
    // they are resolved.
    LogicalResult result = success();
    for (Attribute attribute :
         texts ? texts.getValue() : ArrayRef<Attribute>()) {
      std::string error;
      if (SizeAttr size = parseDeclaredSize(attribute, error))
        size.walkSymbols([&](StringRef name) {
          if (sizes.insert(name).second && succeeded(result))
            result = add(name, "a size");
        });
    }
    return result;
  }

private:
  func::FuncOp function;
  const HeaderNames &header;
  llvm::StringMap<std::string> taken;
  llvm::StringSet<> sizes;
};

} // namespace

static LogicalResult checkType(func::FuncOp function, StringRef what,
                               Location loc, Type type) {
  if (isa<CacheType>(type))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && isElementType(tensor.getElementType()) &&
      tensor.getRank() <= HEDDLE_MAX_RANK)
    return success();
  return emitError(loc) << "'func.func' op expected " << what
                        << " to be a tensor of " << kElementTypes
                        << " with at most " << HEDDLE_MAX_RANK
                        << " dimensions, or a cache, found " << type;
}

static LogicalResult checkEntry(func::FuncOp function,
                                const HeaderNames &header) {
  if (function.isDeclaration())
    return function.emitOpError("expected a body");
  if (!isIdentifier(function.getName()))
    return function.emitOpError("expected a C identifier as its name");

  Names names(function, header);
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::string what = ("argument " + Twine(index)).str();
    if (failed(checkType(function, what, function.getArgument(index).getLoc(),
                         type)) ||
        failed(names.add(argumentName(function, index), what)) ||
        failed(names.addSizes(
            function.getArgAttrOfType<ArrayAttr>(index, kSizesAttr))))
      return failure();
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    std::string what = ("result " + Twine(index)).str();
    if (failed(checkType(function, what, function.getLoc(), type)))
      return failure();
    // A returned cache is the argument that it came from.
    if (!isa<CacheType>(type) &&
        failed(names.add(resultName(function, index), what)))
      return failure();
  }
  return success();
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
  HeaderNames header(prefix);
  if (failed(header.addAll(module)))
    return failure();
  for (auto function : publicFunctions(module))
    if (failed(checkEntry(function, header)) || failed(checkAppends(function)))
      return failure();
  return success();
}
