// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of entry points that are known only at run time.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_ENTRYCALL_H
#define HEDDLE_COMPILER_TOOLS_COMMON_ENTRYCALL_H

#include "compiler/Support/DeviceSession.h"
#include "compiler/tools/common/Artifact.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdlib>
#include <optional>
#include <vector>

namespace heddle {

/// Zeroed memory that starts at a multiple of HEDDLE_ALIGNMENT.
class AlignedBuffer {
public:
  AlignedBuffer() = default;
  /// `what` is named where there is no memory.
  static llvm::Expected<AlignedBuffer> allocate(size_t size,
                                                llvm::StringRef what);

  llvm::MutableArrayRef<char> bytes() const { return {memory.get(), size}; }
  bool contains(const void *pointer) const;

private:
  struct Release {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Release> memory;
  size_t size = 0;
};

/// "batch=1, length=128": the sizes of a call, for people.
std::string describeSizes(const heddle_entry &entry,
                          llvm::ArrayRef<int64_t> sizes);

/// "prefill (batch=1, length=128)"
std::string describeCall(const heddle_entry &entry,
                         llvm::ArrayRef<int64_t> sizes);

std::optional<uint32_t> findSymbol(const heddle_entry &entry,
                                   llvm::StringRef name);
std::optional<uint32_t> findArgument(const heddle_entry &entry,
                                     llvm::StringRef name);

/// The arguments and the workspace of one entry point for fixed sizes,
/// allocated once for any number of calls.
class EntryCall {
public:
  /// An argument whose memory is elsewhere: a cache.
  struct Shared {
    uint32_t argument;
    llvm::MutableArrayRef<char> memory;
  };

  /// `sizes` holds one value for each symbol. `artifact` and what is shared
  /// must outlive this.
  static llvm::Expected<EntryCall>
  create(const Artifact &artifact, const heddle_entry &entry,
         std::vector<int64_t> sizes,
         std::optional<Shared> shared = std::nullopt);

  /// One for each symbol.
  llvm::ArrayRef<int64_t> sizes() const { return symbolSizes; }

  /// Arguments as bytes, and as their elements.
  llvm::MutableArrayRef<char> bytes(uint32_t argument) const;
  llvm::MutableArrayRef<float> floats(uint32_t argument) const;
  /// Makes the elements of an i32 or i64 argument `values`, or all `value`.
  void store(uint32_t argument, llvm::ArrayRef<int32_t> values) const;
  void fill(uint32_t argument, int64_t value) const;

  /// The extents of an argument, outermost first.
  llvm::ArrayRef<int64_t> shape(uint32_t argument) const {
    return shapes[argument];
  }

  /// The largest value that an integer argument may have; none where any is
  /// right.
  std::optional<int64_t> largestValue(uint32_t argument) const;

  /// Makes sequence b of a cache what sequence parents[b] was, for all b.
  llvm::Error reorder(uint32_t cache, llvm::ArrayRef<int32_t> parents) const;

  /// Whether `pointer` is in an argument or in the workspace.
  bool contains(const void *pointer) const;

  /// `context.error` may be null.
  llvm::Error invoke(const heddle_weights *weights,
                     heddle_context context) const;

private:
  EntryCall() = default;

  const heddle_model *model = nullptr;
  const heddle_entry *entry = nullptr;
  std::vector<int64_t> symbolSizes;
  /// One for each argument; empty where it is shared.
  std::vector<AlignedBuffer> arguments;
  std::vector<llvm::SmallVector<int64_t>> shapes;
  /// What the entry point is given.
  std::vector<void *> pointers;
  AlignedBuffer workspace;
  /// Of a model that a device runs; opened by the first call.
  mutable std::unique_ptr<DeviceSession> device;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_ENTRYCALL_H
