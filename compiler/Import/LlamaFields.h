// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fields that a Llama's config.json may have.

#ifndef HEDDLE_COMPILER_IMPORT_LLAMAFIELDS_H
#define HEDDLE_COMPILER_IMPORT_LLAMAFIELDS_H

#include "compiler/Import/JsonFields.h"

namespace heddle {

/// Records a failure where `object` is the config of another kind of model.
void checkArchitecture(JsonFields &fields, const llvm::json::Object &object);

/// Records a failure where `object` has a field that parseLlamaConfig would
/// ignore but that might not be harmless.
void checkLlamaFields(JsonFields &fields, const llvm::json::Object &object);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_LLAMAFIELDS_H
