// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/KernelTimes.h"

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

KernelTimes::KernelTimes(LanguageModel &model) : model(model) {
  model.observe(onEvent, this);
}

void KernelTimes::onEvent(void *data, const heddle_kernel_event *event) {
  auto now = std::chrono::steady_clock::now();
  auto &times = *static_cast<KernelTimes *>(data);
  if (!event->finished) {
    times.noteWeights(*event);
    times.begin = std::chrono::steady_clock::now();
    return;
  }
  Launch &launch = times.launches[event->launch];
  launch.kernel = event->kernel;
  launch.microseconds.push_back(
      std::chrono::duration<double, std::micro>(now - times.begin).count());
}

void KernelTimes::noteWeights(const heddle_kernel_event &event) {
  ArrayRef<const heddle_buffer *> buffers(event.buffers, event.buffer_count);
  bool readsIds = any_of(buffers, [&](const heddle_buffer *buffer) {
    return model.isIds(buffer->data);
  });
  for (const heddle_buffer *buffer : buffers) {
    if (!buffer->data || model.contains(buffer->data))
      continue;
    uint64_t bytes = buffer->type_bits / 8;
    for (int32_t i = 0; i < buffer->rank; ++i)
      bytes *= static_cast<uint64_t>(buffer->dimensions[i].extent);
    if (readsIds)
      bytes = bytes / model.vocabularySize() * model.batch();
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

void KernelTimes::print(raw_ostream &out) const {
  struct Row {
    std::string kernel;
    double time = 0;
    int launches = 0;
  };
  std::map<std::string, Row> kernels;
  double total = 0;
  for (const auto &[position, launch] : launches) {
    Row &row = kernels[launch.kernel];
    double time = median(launch.microseconds);
    row.kernel = launch.kernel;
    row.time += time;
    ++row.launches;
    total += time;
  }
  std::vector<Row> rows;
  for (const auto &[name, row] : kernels)
    rows.push_back(row);
  stable_sort(rows, [](const Row &left, const Row &right) {
    return left.time > right.time;
  });
  out << "  share         us  launches  kernel\n";
  for (const Row &row : rows)
    out << format("  %4.1f%% %10.1f %9d  %s\n",
                  total > 0 ? 100 * row.time / total : 0.0, row.time,
                  row.launches, row.kernel.c_str());
}
