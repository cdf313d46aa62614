// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/WeightPacker.h"

#include "compiler/Import/ElementFormats.h"
#include "runtime/heddle.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Parallel.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <atomic>
#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {

/// Elements of a weight from one of them on, out of the checkpoint or the
/// module.
class ElementReader {
public:
  static llvm::Expected<ElementReader> open(WeightOp op, int64_t first,
                                            const SafeTensors *tensors) {
    ElementReader reader;
    reader.type = findElementType(op.getTensorType().getElementType())->type;
    if (auto dense = dyn_cast_or_null<DenseElementsAttr>(op.getValueAttr())) {
      reader.copy(dense);
    } else if (auto bytes = op.getValueBytes()) {
      reader.data = bytes->data();
    } else {
      reader.entry =
          tensors && op.getSource() ? tensors->find(*op.getSource()) : nullptr;
      if (!reader.entry)
        return llvm::createStringError("weight '%s': no checkpoint has it",
                                       op.getSymName().str().c_str());
      if (llvm::Error error = check(op, *reader.entry))
        return error;
      reader.data = reader.entry->data.data();
      reader.type = *reader.entry->type;
    }
    reader.data += first * bytesOfElement(reader.type);
    return reader;
  }

  /// The type of elements in the checkpoint or the module.
  heddle_type storedType() const { return type; }

  template <typename T> T element(int64_t index) const {
    return elementAt<T>(data, index);
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
    const ElementType &type =
        *findElementType(op.getTensorType().getElementType());
    if (!canConvert(entry.type, type.type))
      return llvm::createStringError(llvm::formatv(
          "{0}expected {1}, found {2}", where(),
          isFloat(type.type) ? "floats" : type.checkpoint, entry.dtype));
    return llvm::Error::success();
  }

  // The elements that a text lists, as memory has them.
  void copy(DenseElementsAttr dense) {
    visitElement(type, [&](auto zero) {
      using T = decltype(zero);
      auto append = [&](T element) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&element);
        listed.append(bytes, bytes + sizeof(T));
      };
      if (isa<FloatType>(dense.getElementType()))
        for (APFloat value : dense.getValues<APFloat>()) {
          bool losesInfo;
          value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                        &losesInfo);
          append(T(value.convertToDouble()));
        }
      else
        for (const APInt &value : dense.getValues<APInt>())
          append(T(value.getSExtValue()));
    });
    data = listed.data();
  }

  const uint8_t *data = nullptr;
  heddle_type type = HEDDLE_TYPE_F32;
  SmallVector<uint8_t, 0> listed;
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

namespace {
/// A tensor as [outer][size][inner], of which the dimension in the middle is
/// cut into panels.
struct PanelShape {
  int64_t outer = 1, size = 1, inner = 1, width = 1;

  // What is dense is in panels of one element along the first dimension.
  PanelShape(ArrayRef<int64_t> shape, LayoutAttr layout) {
    if (layout)
      width = layout.getWidth();
    int64_t dimension = layout ? layout.getDimension() : 0;
    for (auto [index, extent] : llvm::enumerate(shape))
      (int64_t(index) < dimension    ? outer
       : int64_t(index) == dimension ? size
                                     : inner) *= extent;
  }

  int64_t panels() const { return llvm::divideCeil(size, width); }
  int64_t rows() const { return outer * inner; } ///< of a panel
};
} // namespace

// [outer][n][inner] -> [outer][inner][lane], for the lanes of one panel. Many
// rows at a time, so that each lane is read far enough for prefetchers, and
// what they fill stays in a cache.
template <typename T, typename Convert>
static void writePanel(T *panel, const PanelShape &shape, int64_t index,
                       const Convert &element) {
  constexpr int64_t kRows = 1024;
  for (int64_t outer = 0; outer < shape.outer; ++outer)
    for (int64_t first = 0; first < shape.inner; first += kRows) {
      int64_t end = std::min(first + kRows, shape.inner);
      T *rows = panel + outer * shape.inner * shape.width;
      for (int64_t lane = 0; lane < shape.width; ++lane) {
        int64_t n = index * shape.width + lane;
        int64_t source = (outer * shape.size + n) * shape.inner;
        T *to = rows + lane;
        if (n < shape.size)
          for (int64_t row = first; row < end; ++row)
            to[row * shape.width] = element(source + row);
        else
          for (int64_t row = first; row < end; ++row)
            to[row * shape.width] = T();
      }
    }
}

// [outer][n][inner] -> [panel][outer][inner][lane], a few panels at a time.
template <typename T, typename Convert>
static void writePanels(WeightsFile &file, const PanelShape &shape,
                        Convert element) {
  int64_t panelSize = shape.rows() * shape.width;
  if (panelSize * shape.panels() == 0)
    return;
  int64_t blockPanels = std::clamp<int64_t>(
      (16 << 20) / (panelSize * sizeof(T)), 1, shape.panels());
  std::vector<T> block(blockPanels * panelSize);
  for (int64_t first = 0; first < shape.panels(); first += blockPanels) {
    int64_t count = std::min(blockPanels, shape.panels() - first);
    llvm::parallelFor(0, count, [&](size_t index) {
      writePanel(block.data() + index * panelSize, shape, first + index,
                 element);
    });
    file.write(block.data(), count * panelSize * sizeof(T));
  }
}

// Calls `write` with a zero of the type that memory holds, and a function that
// gives the elements. True where every value fits into the weight's type.
template <typename Write>
static bool writeElements(heddle_type target, const ElementReader &reader,
                          Write write) {
  std::atomic<bool> fits = true;
  visitElement(target, [&](auto to) {
    using To = decltype(to);
    if (reader.storedType() == target)
      return write(to,
                   [&](int64_t index) { return reader.element<To>(index); });
    // Other types than that of the weight are floats.
    visitElement(reader.storedType(), [&](auto from) {
      using Wide = std::conditional_t<std::is_same_v<decltype(from), double>,
                                      double, float>;
      write(to, [&](int64_t index) {
        Wide value(reader.element<decltype(from)>(index));
        auto element = To(value);
        if (std::isfinite(value) && !std::isfinite(double(element)))
          fits = false;
        return element;
      });
    });
  });
  return fits;
}

// True where every value fits into the weight's type.
static bool writeWeight(WeightsFile &file, RankedTensorType type,
                        LayoutAttr layout, const ElementReader &element) {
  PanelShape shape(type.getShape(), layout);
  auto write = [&](auto zero, const auto &elementAt) {
    writePanels<decltype(zero)>(file, shape, elementAt);
  };
  return writeElements(findElementType(type.getElementType())->type, element,
                       write);
}

llvm::Expected<uint64_t> heddle::packWeights(const ModelPlan &plan,
                                             const SafeTensors *tensors,
                                             uint64_t modelHash,
                                             llvm::raw_fd_ostream &stream) {
  WeightsFile file(stream);
  file.describe(&modelHash, sizeof(modelHash));
  for (const PackedWeight &weight : plan.weights.weights()) {
    file.padTo(weight.offset);
    int64_t width = weight.layout ? weight.layout.getWidth() : 1;
    int64_t dimension = weight.layout ? weight.layout.getDimension() : 0;
    int64_t place[] = {weight.offset, weight.size, width, dimension};
    file.describe(place, sizeof(place));
    if (auto table = dyn_cast<TableOpInterface>(weight.source)) {
      std::vector<double> exact = table.computeTable();
      std::vector<float> values(exact.begin(), exact.end());
      file.write(values.data(), values.size() * 4);
      continue;
    }
    auto op = cast<WeightOp>(weight.source);
    RankedTensorType type = weight.type;
    int64_t first =
        weight.firstRow
            ? weight.firstRow * llvm::product_of(type.getShape().drop_front())
            : 0;
    llvm::Expected<ElementReader> element =
        ElementReader::open(op, first, tensors);
    if (!element)
      return element.takeError();
    bool fits = writeWeight(file, type, weight.layout, *element);
    if (!fits)
      return llvm::createStringError(
          "weight '%s' has values that are too large for its type %s",
          op.getSymName().str().c_str(),
          heddle_type_name(findElementType(type.getElementType())->type));
    if (element->entry)
      tensors->release(*element->entry);
  }
  file.padTo(plan.weights.size());
  return file.finish();
}
