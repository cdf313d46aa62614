// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of models as C and C++ can have them. Arguments, results and sizes may
// have any name; the description in the object (heddle_argument, heddle_symbol)
// has it as it is, and the generated header an identifier:
//
//   1. Each character that is no letter of ASCII, no digit and no underscore
//      becomes an underscore.
//   2. A name that begins with a digit, or as those that C keeps for itself
//      (_Bool, __x), gets an "n" in front.
//   3. A keyword of C or C++, a name that heddle.h or the generated header may
//      have, and one that is taken by an argument, a result or a size before it
//      gets underscores behind.
//
// Names of functions and macros for an argument, such as
// X_<argument>_cache_size, follow the first two rules and that of keywords.
//
//   "hidden states" -> hidden_states   "0.weight" -> n0_weight   "not" -> not_
//   an argument and a size "length" -> length, length_

#ifndef HEDDLE_COMPILER_CODEGEN_HEADERNAMES_H
#define HEDDLE_COMPILER_CODEGEN_HEADERNAMES_H

#include "compiler/Host/EntryPlan.h"

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace heddle {

bool isIdentifier(llvm::StringRef name);
/// Whether heddle.h, or a header of C that it includes, may declare or define
/// `name`.
bool isInRuntimeHeader(llvm::StringRef name);

/// `name`, which is not empty, by the rules above, but for what others have
/// taken.
std::string identifierOf(llvm::StringRef name);

/// The parameters of the functions that the header declares for an entry point
/// of a model whose functions begin with `prefix`.
class ParameterNames {
public:
  ParameterNames(const EntryPlan &entry, llvm::StringRef prefix);

  std::vector<std::string> arguments; ///< for each of the entry's
  std::vector<std::string> sizes;     ///< for each of its symbols

private:
  std::string add(llvm::StringRef name);

  /// Prefixes of the functions and of the macros that the header declares.
  std::string prefix, macroPrefix;
  llvm::StringSet<> taken;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_HEADERNAMES_H
