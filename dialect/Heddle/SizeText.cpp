// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes as text.

#include "dialect/Heddle/DeclaredSize.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

//===-- Printing ----------------------------------------------------------===//

static StringRef nameOf(SizeKind kind) {
  switch (kind) {
  case SizeKind::FloorDiv:
    return "floordiv";
  case SizeKind::CeilDiv:
    return "ceildiv";
  case SizeKind::Mod:
    return "mod";
  case SizeKind::Min:
    return "min";
  case SizeKind::Max:
    return "max";
  default:
    return "";
  }
}

// A term of a sum after the first: " + 2 * x", " - x", " - 3".
static void printTerm(raw_ostream &out, SizeAttr term, bool isFirst) {
  std::string text = term.str();
  StringRef rest = text;
  bool isNegative = rest.consume_front("-");
  if (!isFirst)
    out << (isNegative ? " - " : " + ") << rest;
  else
    out << text;
}

std::string SizeAttr::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  switch (getKind()) {
  case SizeKind::Number:
    out << getNumber();
    break;
  case SizeKind::Symbol:
    out << getName().getValue();
    break;
  case SizeKind::Product: {
    if (getNumber() == -1)
      out << "-";
    else if (getNumber() != 1)
      out << getNumber() << " * ";
    llvm::interleave(
        getOperands(), out,
        [&](Attribute operand) { out << cast<SizeAttr>(operand).str(); },
        " * ");
    break;
  }
  case SizeKind::Sum:
    for (auto [index, operand] : llvm::enumerate(getOperands()))
      printTerm(out, cast<SizeAttr>(operand), index == 0);
    if (getNumber() != 0)
      printTerm(out, SizeAttr::number(getContext(), getNumber()), false);
    break;
  default:
    out << nameOf(getKind()) << "(" << cast<SizeAttr>(getOperands()[0]).str()
        << ", " << cast<SizeAttr>(getOperands()[1]).str() << ")";
  }
  return text;
}

//===-- Parsing -----------------------------------------------------------===//

namespace {

/// Recursive descent over the grammar in Sizes.td. Null stands for an error,
/// whose message is set.
class SizeParser {
public:
  SizeParser(MLIRContext *context, StringRef text, std::string &error)
      : context(context), rest(text), error(error) {}

  SizeAttr run() {
    SizeAttr size = parseSum();
    if (size && !peek().empty())
      return fail("the end");
    return size;
  }

private:
  // Expressions nest no deeper than any model's, and so do not fill the stack.
  static constexpr unsigned kDeepest = 64;

  StringRef peek() { return rest = rest.ltrim(); }

  bool consume(char c) {
    if (peek().empty() || rest.front() != c)
      return false;
    rest = rest.drop_front();
    return true;
  }

  SizeAttr fail(StringRef expected) {
    StringRef found = peek();
    error = ("expected " + expected + ", found " +
             (found.empty() ? Twine("the end") : "'" + found + "'"))
                .str();
    return {};
  }

  SizeAttr parseSum() {
    SizeAttr sum = parseProduct();
    while (sum) {
      bool isMinus = consume('-');
      if (!isMinus && !consume('+'))
        break;
      SizeAttr next = parseProduct();
      if (!next)
        return {};
      sum = isMinus ? sum - next : sum + next;
    }
    return sum;
  }

  SizeAttr parseProduct() {
    SizeAttr result = parseFactor();
    while (result && consume('*')) {
      SizeAttr next = parseFactor();
      if (!next)
        return {};
      result = result * next;
    }
    return result;
  }

  SizeAttr parseFactor() {
    if (depth == kDeepest)
      return fail("fewer parentheses");
    ++depth;
    SizeAttr result = parsePrimary();
    --depth;
    return result;
  }

  SizeAttr parsePrimary() {
    if (consume('-')) {
      SizeAttr operand = parseFactor();
      return operand ? operand * -1 : operand;
    }
    if (consume('(')) {
      SizeAttr inner = parseSum();
      return inner && !consume(')') ? fail("')'") : inner;
    }
    StringRef word =
        peek().take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty())
      return fail("a number or a name");
    int64_t number;
    if (llvm::isDigit(word.front())) {
      if (word.getAsInteger(10, number))
        return fail("a number of at most 64 bits");
      rest = rest.drop_front(word.size());
      return SizeAttr::number(context, number);
    }
    rest = rest.drop_front(word.size());
    if (peek().starts_with("("))
      return parseFunction(word);
    return SizeAttr::symbol(context, word);
  }

  SizeAttr parseFunction(StringRef name) {
    using Function = SizeAttr (*)(SizeAttr, SizeAttr);
    auto function =
        llvm::StringSwitch<Function>(name)
            .Case("floordiv", &heddle::floorDiv)
            .Case("ceildiv", static_cast<Function>(&heddle::ceilDiv))
            .Case("mod", &heddle::mod)
            .Case("min", &heddle::min)
            .Case("max", &heddle::max)
            .Default(nullptr);
    if (!function)
      return fail("floordiv, ceildiv, mod, min or max before '('");
    consume('(');
    SizeAttr a = parseSum();
    if (!a || !consume(','))
      return a ? fail("','") : a;
    SizeAttr b = parseSum();
    if (!b || !consume(')'))
      return b ? fail("')'") : b;
    bool isDivision = name != "min" && name != "max";
    if (isDivision && b.asNumber() == 0) {
      error = "expected a divisor other than 0";
      return {};
    }
    return function(a, b);
  }

  MLIRContext *context;
  StringRef rest;
  std::string &error;
  unsigned depth = 0;
};

} // namespace

SizeAttr SizeAttr::parse(MLIRContext *context, StringRef text,
                         std::string &error) {
  return SizeParser(context, text, error).run();
}

SizeAttr heddle::parseDeclaredSize(Attribute attribute, std::string &error) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    return SizeAttr::parse(attribute.getContext(), text, error);
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (number && number.getType().isSignlessInteger(64))
    return SizeAttr::number(attribute.getContext(), number.getInt());
  error = "expected a string or an integer";
  return {};
}

// "batch * length", in quotes.
static FailureOr<SizeAttr> parseQuoted(AsmParser &parser) {
  std::string text, error;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  SizeAttr size = SizeAttr::parse(parser.getContext(), text, error);
  if (!size)
    return parser.emitError(loc, "in size \"") << text << "\": " << error;
  return size;
}

ParseResult heddle::parseSize(AsmParser &parser, SizeAttr &size) {
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    size = SizeAttr::number(parser.getContext(), number);
    return *isNumber;
  }
  FailureOr<SizeAttr> parsed = parseQuoted(parser);
  if (failed(parsed))
    return failure();
  size = *parsed;
  return success();
}

void heddle::printSize(OpAsmPrinter &printer, Operation *, SizeAttr size) {
  if (std::optional<int64_t> number = size.asNumber())
    printer << *number;
  else
    printer << '"' << size.str() << '"';
}

Attribute SizeAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SizeAttr> size = parseQuoted(parser);
  if (failed(size) || parser.parseGreater())
    return {};
  return *size;
}

void SizeAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << str() << "\">";
}

Attribute SizesAttr::parse(AsmParser &parser, Type) {
  SmallVector<SizeAttr> sizes;
  auto parseSize = [&]() -> ParseResult {
    FailureOr<SizeAttr> size = parseQuoted(parser);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseSize))
    return {};
  return SizesAttr::get(parser.getContext(), sizes);
}

void SizesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getSizes(), printer.getStream(), [&](SizeAttr size) {
    printer << '"' << size.str() << '"';
  });
  printer << '>';
}
