// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of models that a device runs, for tools whose memory is the host's.

#ifndef HEDDLE_COMPILER_SUPPORT_DEVICESESSION_H
#define HEDDLE_COMPILER_SUPPORT_DEVICESESSION_H

#include "runtime/heddle.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace heddle {

/// A device of the kind that a model was compiled for, with the model on it.
class DeviceSession {
public:
  /// Opens the first device of the model's kind.
  static llvm::Expected<std::unique_ptr<DeviceSession>>
  open(const heddle_model &model, const heddle_weights &weights);
  ~DeviceSession();

  /// Where calls of the model go.
  heddle_stream &stream() const { return *ownStream; }
  /// The weights on the device.
  const heddle_weights &weights() const { return *ownWeights; }

  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;

  /// heddle_invoke with all arguments, caches among them, in the host's memory.
  /// The workspace is the device's, and holds NaN before. What the observer of
  /// `context` is told of is copied to the host for it. `context.error` is not
  /// null.
  heddle_status invoke(const heddle_entry &entry, heddle_context context,
                       llvm::ArrayRef<void *> buffers,
                       llvm::ArrayRef<int64_t> sizes);

private:
  explicit DeviceSession(const heddle_model &model) : model(model) {}

  const heddle_model &model;
  heddle_device *device = nullptr;
  heddle_stream *ownStream = nullptr;
  heddle_weights *ownWeights = nullptr;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_DEVICESESSION_H
