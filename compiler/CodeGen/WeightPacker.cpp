// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/WeightPacker.h"

#include "compiler/Weights/BoxReader.h"
#include "dialect/Heddle/StoredWeights.h"
#include "runtime/heddle.h"

#include "llvm/Support/Parallel.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;
using namespace heddle;

namespace {

/// The file under construction: header space, then data that is hashed as it
/// goes.
class WeightsFile {
public:
  explicit WeightsFile(llvm::raw_fd_ostream &stream) : stream(stream) {
    XXH3_64bits_reset(&data);
    XXH3_64bits_reset(&fingerprint);
    stream.write_zeros(kDataOffset);
  }

  void write(const void *bytes, size_t size) {
    stream.write(static_cast<const char *>(bytes), size);
    XXH3_64bits_update(&data, bytes, size);
    written += size;
  }

  void padTo(int64_t offset) {
    static const char zeros[4096] = {};
    while (written < offset)
      write(zeros, std::min<int64_t>(offset - written, sizeof(zeros)));
  }

  // What the object assumes about the file besides its bytes.
  void describe(const void *bytes, size_t size) {
    XXH3_64bits_update(&fingerprint, bytes, size);
  }

  uint64_t finish() {
    heddle_weights_header header = {};
    std::memcpy(header.magic, HEDDLE_WEIGHTS_MAGIC, sizeof(header.magic));
    header.abi_version = HEDDLE_ABI_VERSION;
    header.header_size = sizeof(header);
    header.data_offset = kDataOffset;
    header.data_size = written;
    header.data_checksum = XXH3_64bits_digest(&data);
    describe(&header.data_checksum, sizeof(header.data_checksum));
    header.fingerprint = XXH3_64bits_digest(&fingerprint);
    header.header_checksum =
        XXH3_64bits(&header, offsetof(heddle_weights_header, header_checksum));
    stream.flush();
    stream.pwrite(reinterpret_cast<const char *>(&header), sizeof(header), 0);
    return header.fingerprint;
  }

private:
  static constexpr int64_t kDataOffset = 4096;
  llvm::raw_fd_ostream &stream;
  XXH3_state_t data, fingerprint;
  int64_t written = 0;
};

} // namespace

namespace {
/// A weight in panels: [outer][size][inner] becomes
/// [panel][outer][inner][lane], with zeros in lanes past `size`.
class PanelWriter {
public:
  PanelWriter(const PackedWeight &weight, const BoxReader &reader)
      : reader(reader), shape(weight.type.getShape()), first(weight.first),
        elementBytes(bytesOfElement(weight.type.getElementType())) {
    // A dense weight is in panels of one element along the first dimension.
    if (weight.layout) {
      width = weight.layout.getWidth();
      dimension = weight.layout.getDimension();
    }
    for (auto [index, extent] : llvm::enumerate(shape))
      (int64_t(index) < dimension    ? outer
       : int64_t(index) == dimension ? size
                                     : inner) *= extent;
    StoredWeight stored(weight.type, weight.layout);
    std::optional<unsigned> grouped = stored.groupedDimension(),
                            shared = stored.sharedDimension();
    if (grouped)
      group = weight.layout.getGroup();
    shares = stored.shares();
    if (grouped || shared)
      row = shape[grouped ? *grouped : *shared];
  }

  llvm::Error write(WeightsFile &file) const;

private:
  /// Of a panel without half bytes and groups.
  int64_t wholeBytes() const { return outer * inner * width * elementBytes; }
  /// Of one without half bytes.
  int64_t groupedBytes() const {
    return row == 0 ? wholeBytes()
                    : wholeBytes() / row * llvm::alignTo(row, group);
  }
  int64_t panelBytes() const {
    int64_t groups = llvm::divideCeil(row, group);
    return shares == 1 || row == 0
               ? groupedBytes()
               : groupedBytes() / groups * llvm::divideCeil(groups, shares) *
                     shares / 2;
  }
  llvm::Error fill(int64_t panel, int64_t count, uint8_t *to) const;
  llvm::Error fillWhole(int64_t panel, int64_t count, uint8_t *to) const;
  void shareHalves(ArrayRef<uint8_t> grouped, uint8_t *to) const;
  void gather(ArrayRef<uint8_t> whole, uint8_t *to) const;

  const BoxReader &reader;
  ArrayRef<int64_t> shape;
  ArrayRef<int64_t> first;
  int64_t elementBytes;
  int64_t width = 1, dimension = 0;
  int64_t outer = 1, size = 1, inner = 1;
  /// The elements in a row that is in groups or of half bytes, `width` apart,
  /// and those of a group; 0 where there are none.
  int64_t row = 0, group = 1;
  int64_t shares = 1; ///< elements in a place
};
} // namespace

// Writes `count` panels to memory that is zero.
llvm::Error PanelWriter::fillWhole(int64_t panel, int64_t count,
                                   uint8_t *to) const {
  Box box{SmallVector<int64_t>(first), SmallVector<int64_t>(shape)};
  if (!shape.empty()) {
    box.offsets[dimension] += panel * width;
    box.sizes[dimension] = std::min(count * width, size - panel * width);
  }
  llvm::Expected<ElementBlock> block = reader.read(box);
  if (!block)
    return block.takeError();
  if (width == 1 && dimension == 0) {
    llvm::copy(block->data, to);
    return llvm::Error::success();
  }
  int64_t lanes = box.sizes[dimension];
  for (int64_t begin = 0; begin < lanes; begin += width) {
    int64_t used = std::min(width, lanes - begin);
    copyElements(elementBytes, to,
                 {evenOffsets(outer, inner * width), evenOffsets(inner, width),
                  evenOffsets(used, 1)},
                 block->data.data() + begin * inner * elementBytes,
                 {evenOffsets(outer, lanes * inner), evenOffsets(inner, 1),
                  evenOffsets(used, inner)});
    to += wholeBytes();
  }
  return llvm::Error::success();
}

llvm::Error PanelWriter::fill(int64_t panel, int64_t count, uint8_t *to) const {
  if (row == 0)
    return fillWhole(panel, count, to);
  std::vector<uint8_t> whole(count * wholeBytes());
  if (llvm::Error error = fillWhole(panel, count, whole.data()))
    return error;
  if (shares == 1) {
    gather(whole, to);
    return llvm::Error::success();
  }
  if (group != 1) {
    std::vector<uint8_t> grouped(count * groupedBytes());
    gather(whole, grouped.data());
    whole = std::move(grouped);
  }
  shareHalves(whole, to);
  return llvm::Error::success();
}

// Neighbours of a row, which are `width` apart, come to lie side by side.
void PanelWriter::gather(ArrayRef<uint8_t> whole, uint8_t *to) const {
  int64_t rowBytes = row * width * elementBytes;
  for (int64_t begin = 0; begin < int64_t(whole.size()); begin += rowBytes)
    for (int64_t first = 0; first < row; first += group)
      for (int64_t lane = 0; lane < width; ++lane)
        for (int64_t term = first; term < first + group; ++term) {
          if (term < row) // memory past the last is zero
            std::memcpy(
                to, whole.data() + begin + (term * width + lane) * elementBytes,
                elementBytes);
          to += elementBytes;
        }
}

// Several groups of a row share places, two of them each byte of these.
void PanelWriter::shareHalves(ArrayRef<uint8_t> grouped, uint8_t *to) const {
  int64_t step = group * width;
  int64_t rowBytes = llvm::divideCeil(row, group) * step;
  for (int64_t begin = 0; begin < int64_t(grouped.size()); begin += rowBytes)
    for (int64_t first = 0; first < rowBytes; first += shares * step)
      for (int64_t place = first; place < first + step; ++place)
        for (int64_t lower = 0; lower < shares; lower += 2) {
          auto half = [&](int64_t index) -> uint8_t {
            int64_t at = place + index * step;
            return at < rowBytes ? grouped[begin + at] & 15 : 0;
          };
          *to++ = uint8_t(half(lower) | half(lower + 1) << 4);
        }
}

// Bytes of panels that one task fills, and that are in memory at a time: tasks
// last longer than their start takes, and a thousand of them take no memory
// that counts.
static constexpr int64_t kTaskBytes = 256 << 10, kBatchBytes = 16 << 20;

llvm::Error PanelWriter::write(WeightsFile &file) const {
  int64_t panels = llvm::divideCeil(size, width);
  if (panelBytes() * panels == 0)
    return llvm::Error::success();
  int64_t taskPanels =
      std::clamp<int64_t>(kTaskBytes / panelBytes(), 1, panels);
  int64_t most = std::clamp<int64_t>(kBatchBytes / (taskPanels * panelBytes()),
                                     1, llvm::divideCeil(panels, taskPanels));
  std::vector<uint8_t> batch;
  for (int64_t next = 0; next < panels; next += most * taskPanels) {
    int64_t count = std::min(most * taskPanels, panels - next);
    batch.assign(count * panelBytes(), 0);
    int64_t tasks = llvm::divideCeil(count, taskPanels);
    std::vector<std::string> errors(tasks);
    llvm::parallelFor(0, tasks, [&](size_t task) {
      int64_t begin = task * taskPanels;
      errors[task] =
          llvm::toString(fill(next + begin, std::min(taskPanels, count - begin),
                              batch.data() + begin * panelBytes()));
    });
    for (const std::string &error : errors)
      if (!error.empty())
        return llvm::createStringError(error);
    file.write(batch.data(), batch.size());
  }
  return llvm::Error::success();
}

llvm::Expected<uint64_t> heddle::packWeights(ModuleOp module,
                                             const ModelPlan &plan,
                                             const TensorSource *tensors,
                                             uint64_t modelHash,
                                             llvm::raw_fd_ostream &stream) {
  WeightsFile file(stream);
  file.describe(&modelHash, sizeof(modelHash));
  SymbolTable symbols(module);
  for (const PackedWeight &weight : plan.weights.weights()) {
    file.padTo(weight.offset);
    int64_t width = weight.layout ? weight.layout.getWidth() : 1;
    int64_t dimension = weight.layout ? weight.layout.getDimension() : 0;
    int64_t group = weight.layout ? weight.layout.getGroup() : 1;
    int64_t place[] = {weight.offset, weight.size, width, dimension, group};
    file.describe(place, sizeof(place));
    if (auto table = dyn_cast<TableOpInterface>(weight.source)) {
      std::vector<double> exact = table.computeTable();
      if (getElementTypeOrSelf(table->getResult(0)).isF64()) {
        file.write(exact.data(), exact.size() * sizeof(double));
        continue;
      }
      std::vector<float> values(exact.begin(), exact.end());
      file.write(values.data(), values.size() * sizeof(float));
      continue;
    }
    llvm::Expected<BoxReader> reader =
        BoxReader::open(cast<WeightOp>(weight.source), symbols, tensors);
    if (!reader)
      return reader.takeError();
    if (llvm::Error error = PanelWriter(weight, *reader).write(file))
      return error;
    reader->release();
  }
  file.padTo(plan.weights.size());
  return file.finish();
}
