// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/EntryCall.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace heddle;
using namespace llvm;

Expected<AlignedBuffer> AlignedBuffer::allocate(size_t size, StringRef what) {
  AlignedBuffer buffer;
  size_t rounded = alignTo(std::max<size_t>(size, 1), HEDDLE_ALIGNMENT);
  buffer.memory.reset(rounded < size ? nullptr
                                     : static_cast<char *>(std::aligned_alloc(
                                           HEDDLE_ALIGNMENT, rounded)));
  if (!buffer.memory)
    return createStringError(kOutOfMemory + Twine(": cannot allocate ") +
                             utostr(size) + " bytes for " + what);
  std::memset(buffer.memory.get(), 0, rounded);
  buffer.size = size;
  return buffer;
}

bool AlignedBuffer::contains(const void *pointer) const {
  const char *begin = memory.get();
  return begin && pointer >= begin && pointer < begin + size;
}

std::string heddle::describeSizes(const heddle_entry &entry,
                                  ArrayRef<int64_t> sizes) {
  std::string text;
  for (auto [index, size] : enumerate(sizes))
    text += (index ? ", " : "") + std::string(entry.symbols[index].name) + "=" +
            itostr(size);
  return text;
}

std::string heddle::describeCall(const heddle_entry &entry,
                                 ArrayRef<int64_t> sizes) {
  std::string text = describeSizes(entry, sizes);
  return entry.name + (text.empty() ? "" : " (" + text + ")");
}

std::optional<uint32_t> heddle::findSymbol(const heddle_entry &entry,
                                           StringRef name) {
  uint32_t symbol = heddle_find_symbol(&entry, name.str().c_str());
  return symbol < entry.symbol_count ? std::optional(symbol) : std::nullopt;
}

std::optional<uint32_t> heddle::findArgument(const heddle_entry &entry,
                                             StringRef name) {
  for (uint32_t a = 0; a < entry.argument_count; ++a)
    if (name == entry.arguments[a].name)
      return a;
  return std::nullopt;
}

Expected<EntryCall> EntryCall::create(const Artifact &artifact,
                                      const heddle_entry &entry,
                                      std::vector<int64_t> sizes,
                                      std::optional<Shared> shared) {
  EntryCall call;
  call.model = &artifact.model();
  call.entry = &entry;
  call.symbolSizes = std::move(sizes);
  heddle_error error = {};
  size_t bytes = 0;
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    if (Error failure =
            toError(heddle_argument_size(&entry, a, call.symbolSizes.data(),
                                         &bytes, &error),
                    error))
      return failure;
    heddle_measurement measured = {};
    (void)entry.measure(call.symbolSizes.data(), a, &measured);
    call.shapes.emplace_back(measured.extent,
                             measured.extent + entry.arguments[a].rank);
    if (shared && shared->argument == a) {
      if (shared->memory.size() != bytes)
        return createStringError("argument '" + Twine(entry.arguments[a].name) +
                                 "' has " + utostr(bytes) +
                                 " bytes, expected " +
                                 utostr(shared->memory.size()));
      call.arguments.emplace_back();
      call.pointers.push_back(shared->memory.data());
      continue;
    }
    auto buffer = AlignedBuffer::allocate(bytes, entry.arguments[a].name);
    if (!buffer)
      return buffer.takeError();
    call.pointers.push_back(buffer->bytes().data());
    call.arguments.push_back(std::move(*buffer));
  }
  if (Error failure =
          toError(heddle_workspace_size(&entry, call.symbolSizes.data(), &bytes,
                                        &error),
                  error))
    return failure;
  auto buffer = AlignedBuffer::allocate(bytes, "the workspace");
  if (!buffer)
    return buffer.takeError();
  call.workspace = std::move(*buffer);
  return call;
}

MutableArrayRef<char> EntryCall::bytes(uint32_t argument) const {
  return arguments[argument].bytes();
}

template <typename Element>
static MutableArrayRef<Element> elementsOf(MutableArrayRef<char> bytes) {
  return {reinterpret_cast<Element *>(bytes.data()),
          bytes.size() / sizeof(Element)};
}

MutableArrayRef<float> EntryCall::floats(uint32_t argument) const {
  return elementsOf<float>(bytes(argument));
}

void EntryCall::store(uint32_t argument, ArrayRef<int32_t> values) const {
  MutableArrayRef<char> all = bytes(argument);
  if (entry->arguments[argument].type == HEDDLE_TYPE_I64)
    copy(values, elementsOf<int64_t>(all).begin());
  else
    copy(values, elementsOf<int32_t>(all).begin());
}

void EntryCall::fill(uint32_t argument, int64_t value) const {
  MutableArrayRef<char> all = bytes(argument);
  if (entry->arguments[argument].type == HEDDLE_TYPE_I64)
    llvm::fill(elementsOf<int64_t>(all), value);
  else
    llvm::fill(elementsOf<int32_t>(all), static_cast<int32_t>(value));
}

std::optional<int64_t> EntryCall::largestValue(uint32_t argument) const {
  if (!entry->arguments[argument].maximum)
    return std::nullopt;
  heddle_measurement measured = {};
  (void)entry->measure(symbolSizes.data(), argument, &measured);
  return measured.maximum - measured.added;
}

Error EntryCall::reorder(uint32_t cache, ArrayRef<int32_t> parents) const {
  heddle_error error = {};
  return toError(heddle_reorder_cache(entry, cache, symbolSizes.data(),
                                      pointers[cache], parents.data(), &error),
                 error);
}

bool EntryCall::contains(const void *pointer) const {
  return workspace.contains(pointer) ||
         any_of(arguments, [&](const AlignedBuffer &argument) {
           return argument.contains(pointer);
         });
}

Error EntryCall::invoke(const heddle_weights *weights,
                        heddle_context context) const {
  heddle_error error = {};
  context.error = &error;
  if (model->device_kind != HEDDLE_DEVICE_NONE) {
    if (!device) {
      auto opened = DeviceSession::open(*model, *weights);
      if (!opened)
        return opened.takeError();
      device = std::move(*opened);
    }
    return toError(device->invoke(*entry, context, pointers, symbolSizes),
                   error);
  }
  return toError(heddle_invoke(model, entry, &context, weights, pointers.data(),
                               symbolSizes.data(), workspace.bytes().data(),
                               workspace.bytes().size()),
                 error);
}
