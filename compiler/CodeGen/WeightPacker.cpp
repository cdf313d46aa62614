// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/WeightPacker.h"

#include "compiler/CodeGen/RotaryTable.h"
#include "compiler/Import/FloatFormats.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Parallel.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <atomic>
#include <cmath>

using namespace mlir;
using namespace heddle;

static unsigned bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }

namespace {

/// Elements of a weight, from the checkpoint or the module, as f32.
class ElementReader {
public:
  static llvm::Expected<ElementReader> open(WeightOp op,
                                            const SafeTensors *tensors) {
    ElementReader reader;
    if (auto dense = dyn_cast_or_null<DenseElementsAttr>(op.getValueAttr())) {
      for (const APFloat &value : dense.getValues<APFloat>()) {
        APFloat single = value;
        bool losesInfo;
        single.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
        reader.inlined.push_back(single.convertToFloat());
      }
      return reader;
    }
    if (std::optional<ArrayRef<uint8_t>> bytes = op.getValueBytes()) {
      reader.data = bytes->data();
      reader.type = storageTypeOf(op.getTensorType().getElementType());
      return reader;
    }
    reader.entry =
        tensors && op.getSource() ? tensors->find(*op.getSource()) : nullptr;
    if (!reader.entry)
      return llvm::createStringError("weight '%s': no checkpoint has it",
                                     op.getSymName().str().c_str());
    if (llvm::Error error = check(op, *reader.entry))
      return error;
    reader.data = reader.entry->data.data();
    reader.type = reader.entry->type;
    return reader;
  }

  float operator()(int64_t index) const {
    return data ? loadElement(data, type, index) : inlined[index];
  }

  /// The stored bits, where they are 16-bit values of just the type `wanted`.
  const uint8_t *bits(Type wanted) const {
    bool isSame = !wanted.isF32() && storageTypeOf(wanted) == type;
    return isSame ? data : nullptr;
  }

  const TensorEntry *entry = nullptr; ///< of the checkpoint, if it is there

private:
  // A text and a checkpoint that come from different places need not agree.
  static llvm::Error check(WeightOp op, const TensorEntry &entry) {
    auto where = [&] {
      return llvm::formatv("{0}: tensor '{1}' of weight '{2}': ", entry.file,
                           entry.name, op.getSymName());
    };
    ArrayRef<int64_t> shape = op.getTensorType().getShape();
    if (ArrayRef<int64_t>(entry.shape) != shape)
      return llvm::createStringError(llvm::formatv(
          "{0}expected shape [{1:$[, ]}], found [{2:$[, ]}]", where(),
          llvm::make_range(shape.begin(), shape.end()),
          llvm::make_range(entry.shape.begin(), entry.shape.end())));
    if (entry.type == StorageType::Unsupported)
      return llvm::createStringError(llvm::formatv(
          "{0}expected one of the types F32, BF16, F16, found {1}", where(),
          entry.dtype));
    return llvm::Error::success();
  }

  // Either stored elements, or copies of what the text lists.
  const uint8_t *data = nullptr;
  StorageType type = StorageType::F32;
  std::vector<float> inlined;
};

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

// [n][k] -> [panel][k][lane], a few panels at a time.
template <typename T, typename Convert>
static void writePanels(WeightsFile &file, int64_t outputs, int64_t inputs,
                        int64_t width, Convert element) {
  int64_t panels = llvm::divideCeil(outputs, width);
  int64_t panelSize = inputs * width;
  int64_t blockPanels =
      std::clamp<int64_t>((16 << 20) / (panelSize * sizeof(T)), 1, panels);
  std::vector<T> block(blockPanels * panelSize);
  for (int64_t first = 0; first < panels; first += blockPanels) {
    int64_t count = std::min(blockPanels, panels - first);
    llvm::parallelFor(0, count, [&](size_t index) {
      T *panel = block.data() + index * panelSize;
      for (int64_t lane = 0; lane < width; ++lane) {
        int64_t n = (first + index) * width + lane;
        for (int64_t k = 0; k < inputs; ++k)
          panel[k * width + lane] =
              n < outputs ? element(n * inputs + k) : T(0);
      }
    });
    file.write(block.data(), count * panelSize * sizeof(T));
  }
}

// A value became an infinity because its type is too narrow for it.
static bool overflows(float value, float rounded) {
  return std::isinf(rounded) && std::isfinite(value);
}

// True where every value fits into the weight's type.
static bool writeMatrix(WeightsFile &file, RankedTensorType type, int64_t width,
                        const ElementReader &element) {
  int64_t outputs = type.getDimSize(0), inputs = type.getDimSize(1);
  Type target = type.getElementType();
  if (target.isF32()) {
    writePanels<float>(file, outputs, inputs, width, element);
    return true;
  }
  if (const uint8_t *bits = element.bits(target)) {
    writePanels<uint16_t>(file, outputs, inputs, width, [&](int64_t index) {
      uint16_t half;
      std::memcpy(&half, bits + index * 2, 2);
      return half;
    });
    return true;
  }
  std::atomic<bool> fits = true;
  auto convert = [&](auto toBits, auto fromBits) {
    writePanels<uint16_t>(file, outputs, inputs, width, [&](int64_t index) {
      float value = element(index);
      uint16_t half = toBits(value);
      if (overflows(value, fromBits(half)))
        fits = false;
      return half;
    });
  };
  if (target.isBF16())
    convert(toBF16, fromBF16);
  else
    convert(toF16, fromF16);
  return fits;
}

// What is dense is f32 whatever its type, but rounded to it. True as above.
static bool writeDense(WeightsFile &file, RankedTensorType type,
                       const ElementReader &element) {
  bool fits = true;
  std::vector<float> values;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    float value = element(i);
    float rounded = roundTo(storageTypeOf(type.getElementType()), value);
    fits = fits && !overflows(value, rounded);
    values.push_back(rounded);
  }
  file.write(values.data(), values.size() * 4);
  return fits;
}

llvm::Expected<uint64_t> heddle::packWeights(const ModelPlan &plan,
                                             const MachineModel &machine,
                                             const SafeTensors *tensors,
                                             llvm::raw_fd_ostream &stream) {
  WeightsFile file(stream);
  for (const PackedWeight &weight : plan.weights.weights()) {
    file.padTo(weight.offset);
    int64_t place[] = {weight.offset, weight.size, machine.panelWidth};
    file.describe(place, sizeof(place));
    if (auto table = dyn_cast<RotaryTableOp>(weight.source)) {
      std::vector<float> values = rotaryTable(table);
      file.write(values.data(), values.size() * 4);
      continue;
    }
    auto op = cast<WeightOp>(weight.source);
    llvm::Expected<ElementReader> element = ElementReader::open(op, tensors);
    if (!element)
      return element.takeError();
    RankedTensorType type = op.getTensorType();
    bool fits = type.getRank() == 2 && !weight.isDense
                    ? writeMatrix(file, type, machine.panelWidth, *element)
                    : writeDense(file, type, *element);
    if (!fits)
      return llvm::createStringError(
          "weight '%s' has values that are too large for its type %s",
          op.getSymName().str().c_str(),
          type.getElementType().isF16() ? "f16" : "bf16");
    if (element->entry)
      tensors->release(*element->entry);
  }
  file.padTo(plan.weights.size());
  return file.finish();
}
