// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/HeaderNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace heddle;

bool heddle::isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

// Of C and C++, as programs of both include the header.
static bool isKeyword(StringRef name) {
  static const StringSet<> keywords = {
      "alignas",      "alignof",       "and",          "and_eq",
      "asm",          "auto",          "bitand",       "bitor",
      "bool",         "break",         "case",         "catch",
      "char",         "char16_t",      "char32_t",     "char8_t",
      "class",        "co_await",      "co_return",    "co_yield",
      "compl",        "concept",       "const",        "const_cast",
      "consteval",    "constexpr",     "constinit",    "continue",
      "decltype",     "default",       "delete",       "do",
      "double",       "else",          "enum",         "explicit",
      "export",       "extern",        "false",        "float",
      "for",          "friend",        "goto",         "if",
      "inline",       "int",           "long",         "mutable",
      "namespace",    "new",           "noexcept",     "not",
      "not_eq",       "nullptr",       "operator",     "or",
      "or_eq",        "private",       "protected",    "public",
      "register",     "requires",      "restrict",     "return",
      "short",        "signed",        "sizeof",       "static",
      "static_cast",  "struct",        "switch",       "template",
      "this",         "throw",         "true",         "try",
      "typedef",      "typeid",        "typename",     "typeof",
      "union",        "unsigned",      "using",        "virtual",
      "void",         "volatile",      "wchar_t",      "while",
      "dynamic_cast", "xor",           "xor_eq",       "reinterpret_cast",
      "thread_local", "typeof_unqual", "static_assert"};
  return keywords.contains(name);
}

// Names of the compiler itself: _Bool, __linux__.
static bool isReserved(StringRef name) {
  return name.consume_front("_") && !name.empty() &&
         (name.front() == '_' || isUpper(name.front()));
}

// Names that heddle.h or a header of C that it includes declares or defines,
// and macros of every compiler and of other headers of C, which a program may
// include before.
bool heddle::isInRuntimeHeader(StringRef name) {
  static const Regex pattern(
      "^(heddle_.*|HEDDLE_.*|NULL|linux|unix|offsetof|size_t|"
      "ptrdiff_t|max_align_t|u?int(_least|_fast)?(8|16|32|64)_t|u?int(ptr|max)_"
      "t|(U?INT[A-Z0-9_]*|SIZE|PTRDIFF|SIG_ATOMIC|WCHAR|WINT)_(MAX|MIN|C|WIDTH)"
      "|errno|E[A-Z0-9]+|SIG[A-Z]+|(PRI|SCN)[dioux][A-Z0-9]+|BUFSIZ|NAN|"
      "INFINITY|I|complex|imaginary|std(in|out|err)|assert|setjmp|fpclassify|"
      "signbit|is(finite|inf|nan|normal)|va_(arg|copy|end|start)|"
      "(FE|FLT|DBL|LDBL|HUGE|FP|M|LC|SIG|EXIT|SEEK|CLOCKS|TIME|CHAR|SCHAR|UCHAR"
      "|U?SHRT|U?LONG|U?LLONG|RAND|TMP|FOPEN|FILENAME|MB|L|ATOMIC|ONCE|THREAD|"
      "TSS)_[A-Za-z0-9_]+)$");
  return pattern.match(name);
}

std::string heddle::identifierOf(StringRef name) {
  std::string text = name.str();
  for (char &c : text)
    if (!isAlnum(c) && c != '_')
      c = '_';
  if (isDigit(text.front()) || isReserved(text))
    text.insert(0, "n");
  if (isKeyword(text) || isInRuntimeHeader(text))
    text += '_';
  return text;
}

ParameterNames::ParameterNames(const EntryPlan &entry, StringRef prefix)
    : prefix((prefix + "_").str()), macroPrefix(prefix.upper() + "_") {
  for (StringRef name : {"context", "weights", "workspace", "workspace_size",
                         "bytes", "error", "sizes"})
    taken.insert(name);
  for (const ArgumentPlan &argument : entry.arguments)
    arguments.push_back(add(argument.name));
  for (SymbolAttr symbol : entry.symbols)
    sizes.push_back(add(symbol.getName().getValue()));
}

std::string ParameterNames::add(StringRef name) {
  std::string text = identifierOf(name);
  StringRef start = text;
  if (start.starts_with(prefix) || start.starts_with(macroPrefix))
    text += '_';
  while (!taken.insert(text).second)
    text += '_';
  return text;
}
