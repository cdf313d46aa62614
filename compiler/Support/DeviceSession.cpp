// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/DeviceSession.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <list>
#include <vector>

using namespace llvm;
using namespace heddle;

namespace {

/// Memory of a device.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  ~DeviceMemory() {
    if (address)
      heddle_device_release(device, address);
  }

  heddle_status allocate(heddle_device *owner, size_t size,
                         heddle_error *error) {
    device = owner;
    return heddle_device_allocate(owner, size, &address, error);
  }

  void *address = nullptr;

private:
  heddle_device *device = nullptr;
};

/// Hands an observer what lies on a device.
struct Watch {
  heddle_context context;

  static void observe(void *data, const heddle_kernel_event *event);
};

} // namespace

// How many bytes a buffer reaches over.
static size_t bytesOf(const heddle_buffer &buffer) {
  int64_t last = 0;
  for (const heddle_dimension &d : ArrayRef(buffer.dimensions, buffer.rank)) {
    if (d.extent < 1)
      return 0;
    last += int64_t(d.extent - 1) * d.stride;
  }
  return size_t(last + 1) * ((buffer.type_bits + 7) / 8);
}

void Watch::observe(void *data, const heddle_kernel_event *event) {
  auto *watch = static_cast<Watch *>(data);
  heddle_stream *stream = watch->context.stream;
  heddle_error error = {};
  std::list<std::vector<uint8_t>> copies;
  std::vector<heddle_buffer> buffers;
  for (const heddle_buffer *buffer :
       ArrayRef(event->buffers, event->buffer_count)) {
    std::vector<uint8_t> &copy = copies.emplace_back(bytesOf(*buffer));
    // Where a copy fails, so does what the call does next.
    (void)heddle_stream_download(stream, copy.data(), buffer->data, copy.size(),
                                 &error);
    buffers.push_back(*buffer);
    buffers.back().data = copy.data();
  }
  (void)heddle_stream_wait(stream, &error);
  auto pointers = map_to_vector(
      buffers, [](const heddle_buffer &buffer) { return &buffer; });
  heddle_kernel_event own = *event;
  own.buffers = pointers.data();
  watch->context.observer(watch->context.observer_data, &own);
}

static Error toError(heddle_status status, const heddle_error &error) {
  if (status == HEDDLE_OK)
    return Error::success();
  return createStringError("%s", error.message);
}

Expected<std::unique_ptr<DeviceSession>>
DeviceSession::open(const heddle_model &model, const heddle_weights &weights) {
  std::unique_ptr<DeviceSession> session(new DeviceSession(model));
  heddle_error error = {};
  heddle_device_options options = {};
  options.kind = static_cast<heddle_device_kind>(model.device_kind);
  // For tests, where kernels run once.
  if (options.kind == HEDDLE_DEVICE_OPENCL)
    options.compiler_options = getenv("HEDDLE_OPENCL_OPTIONS");
  heddle_status status =
      heddle_device_open(&options, nullptr, &session->device, &error);
  if (status == HEDDLE_OK)
    status = heddle_stream_create(session->device, nullptr, nullptr,
                                  &session->ownStream, &error);
  if (status == HEDDLE_OK)
    status = heddle_weights_upload(&weights, session->ownStream, nullptr,
                                   &session->ownWeights, &error);
  if (Error failure = toError(status, error))
    return failure;
  return session;
}

DeviceSession::~DeviceSession() {
  heddle_weights_close(ownWeights);
  heddle_stream_destroy(ownStream);
  heddle_device_close(device);
}

heddle_status DeviceSession::invoke(const heddle_entry &entry,
                                    heddle_context context,
                                    ArrayRef<void *> buffers,
                                    ArrayRef<int64_t> sizes) {
  heddle_error *error = context.error;
  context.stream = ownStream;
  Watch watch{context};
  if (context.observer) {
    context.observer = Watch::observe;
    context.observer_data = &watch;
  }
  size_t bytes = 0;
  heddle_status status =
      heddle_workspace_size(&entry, sizes.data(), &bytes, error);
  DeviceMemory workspace;
  if (status == HEDDLE_OK)
    status = workspace.allocate(device, bytes, error);
  // All bits of a NaN may be set.
  std::vector<uint8_t> poison(status == HEDDLE_OK ? bytes : 0, 0xff);
  if (status == HEDDLE_OK)
    status = heddle_stream_upload(ownStream, workspace.address, poison.data(),
                                  poison.size(), error);
  struct Cache {
    void *host;
    size_t bytes;
    DeviceMemory memory;
  };
  std::list<Cache> caches;
  SmallVector<void *> all(buffers);
  for (uint32_t a = 0; a < entry.argument_count && status == HEDDLE_OK; ++a) {
    if (entry.arguments[a].kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    Cache &cache = caches.emplace_back();
    cache.host = buffers[a];
    status = heddle_argument_size(&entry, a, sizes.data(), &cache.bytes, error);
    if (status == HEDDLE_OK)
      status = cache.memory.allocate(device, cache.bytes, error);
    if (status == HEDDLE_OK)
      status = heddle_stream_upload(ownStream, cache.memory.address, cache.host,
                                    cache.bytes, error);
    all[a] = cache.memory.address;
  }
  if (status == HEDDLE_OK)
    status = heddle_invoke(&model, &entry, &context, ownWeights, all.data(),
                           sizes.data(), workspace.address, bytes);
  for (Cache &cache : caches)
    if (status == HEDDLE_OK)
      status = heddle_stream_download(ownStream, cache.host,
                                      cache.memory.address, cache.bytes, error);
  // Before memory goes that the device may still use.
  heddle_status waited =
      heddle_stream_wait(ownStream, status == HEDDLE_OK ? error : nullptr);
  return status == HEDDLE_OK ? waited : status;
}
