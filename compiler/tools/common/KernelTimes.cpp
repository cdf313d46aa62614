// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/KernelTimes.h"

#include "compiler/Support/PrintableStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace heddle;
using namespace llvm;

double heddle::median(std::vector<double> values) {
  auto middle = values.begin() + (values.size() - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void KernelTimes::onEvent(void *data, const heddle_kernel_event *event) {
  if (KernelTimes *times = static_cast<Observed *>(data)->observer)
    times->note(*event);
}

void KernelTimes::note(const heddle_kernel_event &event) {
  // A failure is that of the call, too.
  if (observed.stream)
    (void)heddle_stream_wait(observed.stream, nullptr);
  auto now = std::chrono::steady_clock::now();
  if (!event.finished) {
    noteWeights(event);
    begin = std::chrono::steady_clock::now();
    return;
  }
  Launch &launch = launches[event.launch];
  launch.kernel = event.kernel;
  launch.microseconds.push_back(
      std::chrono::duration<double, std::micro>(now - begin).count());
}

void KernelTimes::noteWeights(const heddle_kernel_event &event) {
  size_t size = 0;
  const auto *data = static_cast<const uint8_t *>(
      heddle_weights_data(&observed.weights, &size));
  auto isWeight = [&](const heddle_buffer *buffer) {
    return buffer->data >= data && buffer->data < data + size;
  };
  ArrayRef<const heddle_buffer *> buffers(event.buffers, event.buffer_count);
  bool readsIds = any_of(buffers, [&](const heddle_buffer *buffer) {
    return buffer->type_code == 0 && buffer->type_bits >= 32 &&
           !isWeight(buffer);
  });
  for (const heddle_buffer *buffer : buffers) {
    if (!buffer->data || !isWeight(buffer))
      continue;
    uint64_t bytes = buffer->type_bits / 8;
    bool isTable = false;
    for (int32_t i = 0; i < buffer->rank; ++i) {
      bytes *= static_cast<uint64_t>(buffer->dimensions[i].extent);
      isTable |= buffer->dimensions[i].extent == observed.vocabulary;
    }
    if (readsIds && isTable)
      bytes = bytes / observed.vocabulary * observed.batch;
    uint64_t &noted = weights[buffer->data];
    noted = std::max(noted, bytes);
  }
}

uint64_t KernelTimes::weightBytes() const {
  uint64_t bytes = 0;
  for (auto [address, size] : weights)
    bytes += size;
  return bytes;
}

std::vector<KernelTimes::Kernel> KernelTimes::kernels() const {
  std::map<std::string, Kernel> byName;
  for (const auto &[position, launch] : launches) {
    Kernel &kernel = byName[launch.kernel];
    kernel.name = launch.kernel;
    kernel.microseconds += median(launch.microseconds);
    ++kernel.launches;
  }
  std::vector<Kernel> kernels;
  for (auto &[name, kernel] : byName)
    kernels.push_back(std::move(kernel));
  stable_sort(kernels, [](const Kernel &left, const Kernel &right) {
    return left.microseconds > right.microseconds;
  });
  return kernels;
}

void KernelTimes::print(raw_ostream &out) const {
  std::vector<Kernel> rows = kernels();
  double total = 0;
  for (const Kernel &row : rows)
    total += row.microseconds;
  // Names are the artifact's.
  PrintableStream printable(out);
  printable << "  share         us  launches  kernel\n";
  for (const Kernel &row : rows)
    printable << format("  %4.1f%% %10.1f %9d  %s\n",
                        total > 0 ? 100 * row.microseconds / total : 0.0,
                        row.microseconds, row.launches, row.name.c_str());
}
