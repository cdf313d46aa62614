// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/EntryCall.h"

#include "runtime/text/Failure.h"

#include <cstdlib>
#include <new>

using namespace heddle::text;

void ReleaseBlock::operator()(char *memory) const {
  if (device)
    heddle_device_release(device, memory);
  else
    free(memory);
}

EntryCall::EntryCall(const heddle_model &model, const heddle_entry &entry,
                     const heddle_weights *weights,
                     const heddle_context *context)
    : model(model), entry(entry), weights(weights),
      context(context ? *context : heddle_context{}),
      arguments(entry.argument_count) {}

void EntryCall::grow(Block &block, size_t bytes, heddle_device *device) {
  if (block.memory && block.size >= bytes)
    return;
  size_t rounded = (bytes / HEDDLE_ALIGNMENT + 1) * HEDDLE_ALIGNMENT;
  block = {};
  void *memory = nullptr;
  if (device) {
    heddle_error error = {};
    check(heddle_device_allocate(device, rounded, &memory, &error), error);
  } else {
    memory = aligned_alloc(HEDDLE_ALIGNMENT, rounded);
    if (!memory)
      throw std::bad_alloc();
  }
  block.memory = {static_cast<char *>(memory), ReleaseBlock{device}};
  block.size = rounded;
}

void EntryCall::reserve(std::vector<int64_t> given) {
  sizes = std::move(given);
  heddle_error error = {};
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    size_t bytes = 0;
    check(heddle_argument_size(&entry, a, sizes.data(), &bytes, &error), error);
    grow(arguments[a], bytes, /*device=*/nullptr);
  }
  check(heddle_workspace_size(&entry, sizes.data(), &workspaceBytes, &error),
        error);
  grow(workspace, workspaceBytes, heddle_weights_device(weights));
}

void EntryCall::run() {
  std::vector<void *> buffers;
  for (const Block &argument : arguments)
    buffers.push_back(argument.memory.get());
  heddle_error error = {};
  heddle_context own = context;
  own.device_arguments = 0;
  own.argument_bytes = nullptr;
  own.error = &error;
  check(heddle_invoke(&model, &entry, &own, weights, buffers.data(),
                      sizes.data(), workspace.memory.get(), workspaceBytes),
        error);
  if (own.stream)
    check(heddle_stream_wait(own.stream, &error), error);
}
