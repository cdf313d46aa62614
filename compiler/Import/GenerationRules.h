// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules in a generation_config.json: ids that answers may not have, and ids
// that they must have.

#ifndef HEDDLE_COMPILER_IMPORT_GENERATIONRULES_H
#define HEDDLE_COMPILER_IMPORT_GENERATIONRULES_H

#include "compiler/Import/JsonFields.h"
#include "dialect/Heddle/GenerationDefaults.h"

namespace heddle {

/// The names of the fields that readGenerationRules reads.
llvm::ArrayRef<llvm::StringLiteral> generationRuleFields();

/// Fills in the fields of heddle_rules, but for `bad_words_ids`, which
/// `badWords` receives: those that end answers are none
/// (NoBadWordsLogitsProcessor). The first id is forced in an encoder-decoder
/// alone, whose answers begin with one id: transformers forces the second id of
/// a sequence.
void readGenerationRules(JsonFields &fields, const llvm::json::Object &object,
                         int64_t vocabularySize, bool isEncoderDecoder,
                         GenerationDefaults &defaults,
                         llvm::SmallVector<int64_t> &badWords);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GENERATIONRULES_H
