// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the readers of tokenizer.json's components share.

#ifndef HEDDLE_TOOLS_TOKENIZERJSON_H
#define HEDDLE_TOOLS_TOKENIZERJSON_H

#include "compiler/Import/JsonFields.h"
#include "compiler/tools/heddle-run/SplitPattern.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// One component of tokenizer.json: an object with a "type".
struct TokenizerComponent {
  llvm::StringRef type;
  const llvm::json::Object &object;
  /// Starts each message: "tokenizer.json: decoder.decoders[2]".
  std::string where;

  /// An error that lists the types that are implemented.
  llvm::Error unknownType(llvm::StringRef implemented) const;
};

/// Calls `visit` for the components that `value` stands for, in order: none for
/// null, those in field `list` for a "Sequence", however nested.
llvm::Error forEachComponent(
    const llvm::json::Value *value, const std::string &where,
    llvm::StringRef list,
    llvm::function_ref<llvm::Error(const TokenizerComponent &)> visit);

/// Appends to `steps` what `parse` makes of each of them.
template <typename Step, typename Parse>
llvm::Error parseSteps(const llvm::json::Value *value, const std::string &where,
                       llvm::StringRef list, std::vector<Step> &steps,
                       const Parse &parse) {
  return forEachComponent(
      value, where, list,
      [&](const TokenizerComponent &component) -> llvm::Error {
        llvm::Expected<Step> step = parse(component);
        if (!step)
          return step.takeError();
        steps.push_back(std::move(*step));
        return llvm::Error::success();
      });
}

/// Records a failure for the first field of `object` that is not among `known`:
/// a field that a newer version added may change the ids.
void rejectUnknownFields(JsonFields &fields, const llvm::json::Object &object,
                         llvm::ArrayRef<llvm::StringRef> known);

/// The field "pattern": {"String": text} or {"Regex": expression}.
llvm::Expected<SplitPattern> parsePattern(const TokenizerComponent &component);

} // namespace heddle

#endif // HEDDLE_TOOLS_TOKENIZERJSON_H
