// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of an entry point whose arguments are the library's own.

#ifndef HEDDLE_TEXT_ENTRYCALL_H
#define HEDDLE_TEXT_ENTRYCALL_H

#include "runtime/heddle.h"

#include <memory>
#include <vector>

namespace heddle::text {

struct ReleaseBlock {
  heddle_device *device = nullptr; ///< null of the host
  void operator()(char *memory) const;
};

/// Memory of the host, or of a device.
struct Block {
  std::unique_ptr<char, ReleaseBlock> memory;
  size_t size = 0;
};

/// Memory for the arguments of calls, on the host, and for their workspace,
/// where the model runs. Both grow with sizes. Failures are thrown.
class EntryCall {
public:
  /// They must outlive this, and so does what *context names, which may be
  /// null.
  EntryCall(const heddle_model &model, const heddle_entry &entry,
            const heddle_weights *weights, const heddle_context *context);

  /// Makes room for a call of these sizes. What arguments had is gone where
  /// they grow.
  void reserve(std::vector<int64_t> sizes);
  /// The memory of an argument.
  template <typename T> T *argument(uint32_t number) const {
    return reinterpret_cast<T *>(arguments[number].memory.get());
  }
  void run();

private:
  void grow(Block &block, size_t bytes, heddle_device *device);

  const heddle_model &model;
  const heddle_entry &entry;
  const heddle_weights *weights;
  heddle_context context;
  std::vector<int64_t> sizes;
  std::vector<Block> arguments;
  Block workspace;
  size_t workspaceBytes = 0;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_ENTRYCALL_H
