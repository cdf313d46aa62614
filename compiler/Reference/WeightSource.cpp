// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/WeightSource.h"

namespace heddle::reference {

WeightSource::~WeightSource() = default;

std::optional<WeightSource::Entry>
CheckpointSource::find(llvm::StringRef name) const {
  const TensorEntry *entry = tensors.find(name);
  if (!entry)
    return std::nullopt;
  return Entry{entry->type, entry->shape, entry->data};
}

} // namespace heddle::reference
