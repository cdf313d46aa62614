// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/ModuleFile.h"

#include "compiler/Support/FileKinds.h"
#include "compiler/Support/Files.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

// Far above what people and programs write, and far below what ends a stack of
// 8 MiB.
static constexpr size_t kMostNested = 256;
static constexpr unsigned kMostTerms = 1024;
// MLIR's locations count lines and columns in 32 bits.
static constexpr uint64_t kLargestFile = uint64_t(1) << 31;

namespace {

/// Goes through a text as MLIR's lexer does, as far as brackets, operators,
/// strings and comments are concerned.
class TextCheck {
public:
  TextCheck(StringRef text, StringRef name) : text(text), name(name) {}

  llvm::Error run() {
    for (; at < text.size(); ++at) {
      bool isToken = !llvm::isSpace(text[at]) && !isComment(at);
      if (llvm::Error error = check(text[at]))
        return error;
      if (isToken)
        previous = text[at];
    }
    return llvm::Error::success();
  }

private:
  /// What is counted inside of a pair of brackets, up to a comma or an equals
  /// sign.
  struct Level {
    unsigned terms = 0;
    unsigned signs = 0; ///< in a row
  };

  llvm::Error check(char c) {
    switch (c) {
    case '"':
      skipString();
      return llvm::Error::success();
    case '/':
      if (isComment(at))
        at = std::min(text.find('\n', at), text.size()) - 1;
      return llvm::Error::success();
    case '(':
    case '[':
    case '{':
    case '<':
      return isComparison() ? llvm::Error::success() : open();
    case ')':
    case ']':
    case '}':
    case '>':
      if (!isComparison())
        close();
      return llvm::Error::success();
    case ',':
    case '=':
      levels.back() = {};
      return llvm::Error::success();
    case '+':
    case '*':
    case '-':
      return countOperator(c);
    default:
      if (llvm::isAlpha(c))
        return readWord();
      if (!llvm::isSpace(c))
        levels.back().signs = 0;
      return llvm::Error::success();
    }
  }

  llvm::Error readWord() {
    levels.back().signs = 0;
    StringRef word = text.substr(at).take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_'; });
    at += word.size() - 1;
    // Elsewhere they are names of attributes, behind a comma or a bracket.
    if (previous == ')' && (word == "dimensions" || word == "permutation"))
      return checkDimensions(word);
    bool isOperator = word == "mod" || word == "floordiv" || word == "ceildiv";
    return isOperator ? countOperator(word.front()) : llvm::Error::success();
  }

  // "<=" and ">=" of sets.
  bool isComparison() const {
    return (text[at] == '<' || text[at] == '>') &&
           text.substr(at + 1).starts_with("=");
  }

  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      at += text[at] == '\\';
  }

  llvm::Error open() {
    levels.emplace_back();
    if (levels.size() > kMostNested)
      return fail("expected at most " + Twine(kMostNested - 1) +
                  " nested brackets");
    StringRef before = text.take_front(at).rtrim();
    if (text[at] == '<' && before.ends_with("array") &&
        text.substr(at + 1).ltrim().starts_with("index"))
      return fail("arrays have elements of integers or floats, expected no "
                  "array<index: ...>");
    return llvm::Error::success();
  }

  // `linalg.reduce ins(...) outs(...) dimensions = [0, 1]` and its like: MLIR's
  // parser ends where no list of integers follows.
  llvm::Error checkDimensions(StringRef word) const {
    size_t next = at + 1;
    auto take = [&](char c) {
      skipSpace(next);
      bool isThere = text.substr(next).starts_with(StringRef(&c, 1));
      next += isThere;
      return isThere;
    };
    auto takeInteger = [&] {
      take('-');
      skipSpace(next);
      StringRef rest = text.substr(next);
      int64_t number = -1;
      if (rest.starts_with("-") ||
          rest.consumeInteger(rest.starts_with("0x") ? 0 : 10, number))
        return false;
      next = text.size() - rest.size();
      return true;
    };
    bool isList = take('=') && take('[');
    if (isList && !take(']')) {
      do
        isList = takeInteger();
      while (isList && take(','));
      isList = isList && take(']');
    }
    return isList ? llvm::Error::success()
                  : fail("expected '" + word +
                         " = [...]', a list of integers of 64 bits");
  }

  bool isComment(size_t place) const {
    return text.substr(place).starts_with("//");
  }

  void skipSpace(size_t &next) const {
    while (next < text.size())
      if (llvm::isSpace(text[next]))
        ++next;
      else if (isComment(next))
        next = std::min(text.find('\n', next), text.size());
      else
        return;
  }

  // Whether brackets match is the parser's to say. An arrow and a comparison
  // have one that is none.
  void close() {
    bool isArrow =
        text[at] == '>' && at && (text[at - 1] == '-' || text[at - 1] == '=');
    if (levels.size() > 1 && !isArrow)
      levels.pop_back();
  }

  llvm::Error countOperator(char c) {
    Level &level = levels.back();
    if (c == '-' && text.substr(at).starts_with("->"))
      return llvm::Error::success();
    if (++level.signs > kMostNested)
      return fail("expected at most " + Twine(kMostNested) +
                  " operators in a row");
    if (++level.terms > kMostTerms)
      return fail("expected at most " + Twine(kMostTerms) +
                  " operators in an expression");
    return llvm::Error::success();
  }

  llvm::Error fail(const Twine &message) const {
    StringRef before = text.take_front(at);
    size_t line = before.count('\n') + 1;
    size_t column = at - (before.rfind('\n') + 1) + 1;
    return llvm::createStringError(name + ":" + Twine(line) + ":" +
                                   Twine(column) + ": " + message);
  }

  StringRef text, name;
  size_t at = 0;
  char previous = 0; ///< the last one of the token before
  SmallVector<Level> levels = SmallVector<Level>(1);
};

} // namespace

static llvm::Error checkKind(const FileKind *kind, StringRef name) {
  return kind ? llvm::createStringError(name + ": expected MLIR text, " +
                                        kind->found())
              : llvm::Error::success();
}

llvm::Error heddle::checkModuleText(StringRef text, StringRef name) {
  if (llvm::Error error = checkKind(findFileKind(text), name))
    return error;
  return TextCheck(text, name).run();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
heddle::readModuleText(StringRef path) {
  // First, as files of other kinds may be larger than any text.
  if (llvm::Error error = checkKind(findFileKindOf(path), path))
    return error;
  auto buffer = readRegularFile(path, kLargestFile, /*isTerminated=*/true);
  if (!buffer)
    return buffer.takeError();
  if (llvm::Error error = checkModuleText((*buffer)->getBuffer(), path))
    return error;
  return buffer;
}

OwningOpRef<ModuleOp> heddle::parseModuleFile(StringRef path,
                                              llvm::SourceMgr &sources,
                                              MLIRContext *context) {
  auto buffer = readModuleText(path);
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << llvm::toString(buffer.takeError());
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

OwningOpRef<ModuleOp> heddle::parseModuleFile(StringRef path,
                                              MLIRContext *context) {
  llvm::SourceMgr sources;
  return parseModuleFile(path, sources, context);
}
