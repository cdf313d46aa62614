// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/QuantizedMatrices.h"

#include "compiler/Import/Gguf/BlockFormats.h"
#include "compiler/Import/Models/ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {

constexpr heddle_type kWord[] = {HEDDLE_TYPE_I32};
constexpr heddle_type kScales[] = {HEDDLE_TYPE_F32, HEDDLE_TYPE_BF16,
                                   HEDDLE_TYPE_F16};

class QuantizedMatrix {
public:
  QuantizedMatrix(ModelBuilder &m, QuantizationDescription q, const Twine &path,
                  int64_t outputs, int64_t inputs)
      : m(m), q(q), path(path.str()), outputs(outputs), inputs(inputs),
        groups(q.group ? llvm::divideCeil(inputs, q.group) : 1) {
    if (auto own = q.layers.find(this->path); own != q.layers.end()) {
      this->q.bits = own->second.bits;
      this->q.group = own->second.group;
      groups = llvm::divideCeil(inputs, std::max<int64_t>(this->q.group, 1));
    }
  }

  Value build() {
    switch (q.format) {
    case MatrixFormat::GPTQ:
      return m.hasTensor(path + ".qweight") ? buildGptq() : Value();
    case MatrixFormat::AWQ:
      return m.hasTensor(path + ".qweight") ? buildAwq() : Value();
    case MatrixFormat::PackedIntegers:
      return m.hasTensor(path + ".weight_packed") ? buildPacked() : Value();
    case MatrixFormat::Integers:
      return m.hasTensor(path + ".weight_scale") ? buildIntegers() : Value();
    case MatrixFormat::Floats:
      return m.hasTensor(path + ".weight_scale") ? buildFloats() : Value();
    case MatrixFormat::BlockFloats:
      return m.hasTensor(path + ".weight_scale_inv") ? buildBlocks() : Value();
    case MatrixFormat::MLX:
      return q.bits > 0 && m.hasTensor(path + ".scales") ? buildMlx() : Value();
    case MatrixFormat::MXFP4: // of experts alone
    case MatrixFormat::Blocks:
      return {};
    }
    llvm_unreachable("covered switch");
  }

private:
  Location at() { return m.at(path); }
  Type unsignedType(unsigned bits) {
    return m.b.getIntegerType(bits <= 4 ? 4 : 8, /*isSigned=*/false);
  }
  Type signedType(unsigned bits) {
    return m.b.getIntegerType(bits <= 4 ? 4 : 8);
  }
  int64_t words(int64_t integers) {
    return llvm::divideCeil(integers * q.bits, 32);
  }

  Value unpack(Value words, int64_t axis, int64_t count, int64_t offset,
               Type type) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(words.getType()).getShape());
    shape[axis] = count;
    return UnpackOp::create(m.b, at(), RankedTensorType::get(shape, type),
                            words, axis, q.bits, offset);
  }

  Value transposed(Value matrix) { return m.transposed(matrix, {1, 0}); }

  Value dequantize(Value codes, Value scales, Value zeros) {
    return m.decoded({codes, scales, zeros, Value(), /*axis=*/1}, at());
  }

  // The file of the matrix, and its name.
  std::string place() {
    for (StringRef ending : {".qweight", ".weight_packed", ".weight"})
      if (const TensorEntry *entry = m.tensor(path + ending.str()))
        return entry->file + ": '" + path + "': ";
    return "'" + path + "': ";
  }

  // Groups that are not all of one size have scales that no axis tells apart.
  bool hasWholeGroups() {
    if (inputs % groups == 0 && (!q.group || inputs % q.group == 0))
      return true;
    m.fail(place() + "expected groups that divide " + Twine(inputs) +
           " inputs, found groups of " + Twine(q.group));
    return false;
  }

  //===-- GPTQ ------------------------------------------------------------===//

  Value buildGptq() {
    if (!hasWholeGroups())
      return m.zeros({outputs, inputs});
    Value packed = m.stored(path + ".qweight", {words(inputs), outputs}, kWord);
    Value scales =
        transposed(m.stored(path + ".scales", {groups, outputs}, kScales));
    Value zeros = m.stored(path + ".qzeros", {groups, words(outputs)}, kWord);
    Order order = orderOf(".g_idx");
    ignoreZeroBias();
    if (m.failed())
      return m.zeros({outputs, inputs});
    auto codes = [&](int64_t offset, Type type) {
      return transposed(
          m.gathered(unpack(packed, 0, inputs, offset, type), order.sorted, 0));
    };
    // In most files all zeros are the middle.
    if (areMiddle(path + ".qzeros"))
      return unsorted(
          dequantize(codes(-(int64_t(1) << (q.bits - 1)), signedType(q.bits)),
                     scales, Value()),
          order);
    zeros = zerosOf(zeros);
    return m.failed() ? m.zeros({outputs, inputs})
                      : unsorted(dequantize(codes(0, unsignedType(q.bits)),
                                            scales, transposed(zeros)),
                                 order);
  }

  // AutoGPTQ wrote a bias for every layer.
  void ignoreZeroBias() {
    const TensorEntry *bias = m.tensor(path + ".bias");
    if (bias && llvm::all_of(bias->data, [](uint8_t byte) { return !byte; }))
      m.ignore(path + ".bias");
  }

  // Whether a tensor repeats one word.
  bool isOf(ArrayRef<uint8_t> data, uint32_t word) {
    for (size_t i = 0; i + 4 <= data.size(); i += 4)
      if (llvm::support::endian::read32le(&data[i]) != word)
        return false;
    return true;
  }

  // A word whose integers are all the same.
  uint32_t repeated(int64_t integer) {
    uint32_t word = 0;
    for (int64_t bit = 0; bit < 32; bit += q.bits)
      word |= uint32_t(integer) << bit;
    return word;
  }

  // Symmetric files may have zeros as they are, whatever their format's name
  // says (GPTQModel 5).
  bool areMiddle(const std::string &name) {
    if (32 % q.bits != 0)
      return false;
    ArrayRef<uint8_t> data = m.tensor(name)->data;
    int64_t middle = int64_t(1) << (q.bits - 1);
    return isOf(data, repeated(middle - q.zerosOffset)) ||
           (q.isSymmetric && isOf(data, repeated(middle)));
  }

  // The zeros of [groups, words]. One less is stored of each word's integers
  // together, so that a zero of 0 borrows from the next (GPTQModel's
  // convert_gptq_v1_to_v2_format_module).
  Value zerosOf(Value stored) {
    ArrayRef<uint8_t> data = m.tensor(path + ".qzeros")->data;
    int64_t largest = (int64_t(1) << q.bits) - 1;
    bool borrows = q.zerosOffset > 0 && hasInteger(data, largest);
    if (!borrows) {
      int64_t last = largest + q.zerosOffset;
      Type type =
          last > 255 ? Type(m.b.getI16Type()) : unsignedType(last > 15 ? 8 : 4);
      return unpack(stored, 1, outputs, q.zerosOffset, type);
    }
    if (32 % q.bits != 0) {
      m.fail("tensor '" + path +
             ".qzeros': expected zeros of 1 or more, as "
             "integers of " +
             Twine(q.bits) +
             " bits borrow from each other's "
             "words, found one of 0");
      return {};
    }
    std::vector<uint8_t> zeros;
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t output = 0; output < outputs; ++output) {
        int64_t bit = output * q.bits;
        int64_t place = group * words(outputs) + bit / 32;
        uint32_t word = llvm::support::endian::read32le(&data[place * 4]);
        zeros.push_back(((word + repeated(1)) >> (bit % 32)) & largest);
      }
    auto type =
        RankedTensorType::get({groups, outputs}, unsignedType(/*bits=*/8));
    return arith::ConstantOp::create(
        m.b, at(), DenseElementsAttr::get(type, ArrayRef(zeros)));
  }

  // Whether rows of words have an integer, but for the rest of the last one.
  bool hasInteger(ArrayRef<uint8_t> data, int64_t integer) {
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t output = 0; output < outputs; ++output) {
        int64_t found = 0;
        for (int64_t k = 0; k < q.bits; ++k) {
          int64_t bit = group * words(outputs) * 32 + output * q.bits + k;
          found |= int64_t(data[bit / 8] >> (bit % 8) & 1) << k;
        }
        if (found == integer)
          return true;
      }
    return false;
  }

  //===-- the order of inputs ---------------------------------------------===//

  /// Inputs in the order of their groups, and where each input is among them;
  /// empty where the inputs of a group are neighbours.
  struct Order {
    SmallVector<int32_t> sorted, places;
  };

  // The groups of the inputs are what counts: files do not always say right
  // what order they have (`desc_act`, `actorder`).
  Order orderOf(StringRef ending) {
    std::string name = path + ending.str();
    if (!m.hasTensor(name))
      return {};
    m.stored(name, {inputs}, kWord);
    if (m.failed())
      return {};
    ArrayRef<uint8_t> data = m.tensor(name)->data;
    int64_t size = inputs / groups;
    SmallVector<int64_t> counts(groups, 0);
    Order order;
    order.sorted.resize(inputs);
    // compressed-tensors: no order.
    if (llvm::all_of(data, [](uint8_t byte) { return byte == 0xff; }))
      return {};
    bool isInOrder = true;
    for (int64_t input = 0; input < inputs; ++input) {
      auto group = int32_t(llvm::support::endian::read32le(&data[input * 4]));
      auto fail = [&](const Twine &expected) {
        m.fail(m.tensor(name)->file + ": tensor '" + name + "': expected " +
               expected + " for input " + Twine(input) + ", found group " +
               Twine(group));
        return Order();
      };
      if (group < 0 || group >= groups)
        return fail("a group below " + Twine(groups));
      if (counts[group] == size)
        return fail("one of the groups that have less than " + Twine(size) +
                    " inputs");
      int64_t place = group * size + counts[group]++;
      order.sorted[place] = int32_t(input);
      order.places.push_back(int32_t(place));
      isInOrder &= place == input;
    }
    return isInOrder ? Order() : order;
  }

  // The matrix of inputs as they are, of one whose inputs are sorted
  // (--heddle-reorder-inputs moves the order to what linear layers read).
  Value unsorted(Value matrix, const Order &order) {
    return m.gathered(matrix, order.places, 1);
  }

  //===-- AWQ -------------------------------------------------------------===//

  Value buildAwq() {
    if (!hasWholeGroups())
      return m.zeros({outputs, inputs});
    if (outputs % 8 != 0)
      m.fail("'" + path +
             "': expected a multiple of 8 outputs, as words have "
             "8 of them, found " +
             Twine(outputs));
    Value packed = m.stored(path + ".qweight", {inputs, words(outputs)}, kWord);
    Value zeros = m.stored(path + ".qzeros", {groups, words(outputs)}, kWord);
    Value scales =
        transposed(m.stored(path + ".scales", {groups, outputs}, kScales));
    if (m.failed())
      return m.zeros({outputs, inputs});
    return dequantize(inOrder(packed, inputs), scales, inOrder(zeros, groups));
  }

  // Integer 4 b + a of a word is column 2 a + b.
  Value inOrder(Value words, int64_t rows) {
    Value integers = unpack(words, 1, outputs, 0, unsignedType(4));
    integers = m.reshaped(integers, {rows, outputs / 8, 2, 4});
    integers = m.transposed(integers, {0, 1, 3, 2});
    return transposed(m.reshaped(integers, {rows, outputs}));
  }

  //===-- compressed-tensors ----------------------------------------------===//

  Value scalesOfRows() {
    std::string name = path + ".weight_scale";
    const TensorEntry *entry = m.tensor(name);
    bool isOne = entry && llvm::product_of(entry->shape) == 1 &&
                 entry->shape.size() <= 1;
    if (!isOne)
      return m.stored(name, {outputs, groups}, kScales);
    // One for the whole matrix.
    Value one = m.reshaped(m.stored(name, entry->shape, kScales), {1, 1});
    return m.repeated(one, {outputs, groups});
  }

  // The shape that a file has beside its matrix.
  void checkShape() {
    std::string name = path + ".weight_shape";
    m.ignore(name);
    const TensorEntry *entry = m.tensor(name);
    if (!entry || entry->type != HEDDLE_TYPE_I64 || entry->data.size() != 16)
      return;
    auto size = [&](int place) {
      return int64_t(llvm::support::endian::read64le(&entry->data[place * 8]));
    };
    if (size(0) != outputs || size(1) != inputs)
      m.fail(entry->file + ": tensor '" + name + "': expected [" +
             Twine(outputs) + ", " + Twine(inputs) + "], found [" +
             Twine(size(0)) + ", " + Twine(size(1)) + "]");
  }

  Value buildPacked() {
    int64_t lowest = -(int64_t(1) << (q.bits - 1));
    checkShape();
    Value packed =
        m.stored(path + ".weight_packed", {outputs, words(inputs)}, kWord);
    Value scales = scalesOfRows(), zeros;
    if (!q.isSymmetric)
      zeros = m.stored(path + ".weight_zero_point", {words(outputs), groups},
                       kWord);
    if (m.failed() || !hasWholeGroups())
      return m.zeros({outputs, inputs});
    Order order = orderOf(".weight_g_idx");
    Type type = signedType(q.bits);
    if (zeros)
      zeros = unpack(zeros, 0, outputs, lowest, type);
    Value codes =
        m.gathered(unpack(packed, 1, inputs, lowest, type), order.sorted, 1);
    return unsorted(dequantize(codes, scales, zeros), order);
  }

  Value buildIntegers() {
    constexpr heddle_type kByte[] = {HEDDLE_TYPE_I8};
    m.ignore(path + ".input_scale");
    m.ignore(path + ".input_zero_point");
    Value codes = m.stored(path + ".weight", {outputs, inputs}, kByte);
    Value scales = scalesOfRows(), zeros;
    if (!q.isSymmetric)
      zeros = m.stored(path + ".weight_zero_point", {outputs, groups}, kByte);
    if (m.failed() || !hasWholeGroups())
      return m.zeros({outputs, inputs});
    Order order = orderOf(".weight_g_idx");
    codes = m.gathered(codes, order.sorted, 1);
    return unsorted(dequantize(codes, scales, zeros), order);
  }

  //===-- MLX -------------------------------------------------------------===//

  Value buildMlx() {
    constexpr heddle_type kUnsignedWord[] = {HEDDLE_TYPE_U32};
    if (inputs % q.group != 0) {
      hasWholeGroups();
      return m.zeros({outputs, inputs});
    }
    Value packed =
        m.stored(path + ".weight", {outputs, words(inputs)}, kUnsignedWord);
    Value scales = m.stored(path + ".scales", {outputs, groups}, kScales);
    Value biases = m.stored(path + ".biases", {outputs, groups}, kScales);
    if (m.failed() || !hasWholeGroups())
      return m.zeros({outputs, inputs});
    DecodedMatrix matrix = {};
    matrix.codes = unpack(packed, 1, inputs, 0, unsignedType(q.bits));
    matrix.scales = scales;
    matrix.minimums = arith::NegFOp::create(m.b, at(), biases);
    matrix.axis = 1;
    return m.decoded(matrix, at());
  }

  //===-- floats of eight bits --------------------------------------------===//

  Value scaled(Value scales) {
    constexpr heddle_type kFloat[] = {HEDDLE_TYPE_F8E4M3};
    m.ignore(path + ".input_scale");
    Value floats = m.stored(path + ".weight", {outputs, inputs}, kFloat);
    if (m.failed())
      return m.zeros({outputs, inputs});
    auto type = RankedTensorType::get({outputs, inputs}, m.b.getF32Type());
    floats = CastOp::create(m.b, at(), type, floats);
    Value product = arith::MulFOp::create(m.b, at(), floats, scales);
    return arith::TruncFOp::create(m.b, at(), type.clone(m.b.getBF16Type()),
                                   product);
  }

  Value buildFloats() {
    groups = 1;
    return scaled(m.repeated(m.inF32(scalesOfRows()), {outputs, inputs}));
  }

  Value buildBlocks() {
    int64_t rows = llvm::divideCeil(outputs, q.blockOutputs);
    int64_t columns = llvm::divideCeil(inputs, q.blockInputs);
    Value scales =
        m.inF32(m.stored(path + ".weight_scale_inv", {rows, columns}, kScales));
    scales = m.reshaped(scales, {rows, 1, columns, 1});
    scales = m.repeated(scales, {rows, q.blockOutputs, columns, q.blockInputs});
    scales =
        m.reshaped(scales, {rows * q.blockOutputs, columns * q.blockInputs});
    return scaled(m.slicedWeight(scales, {0, 0}, {outputs, inputs}));
  }

  ModelBuilder &m;
  QuantizationDescription q;
  std::string path;
  int64_t outputs, inputs, groups;
};

} // namespace

//===-- blocks of ggml ----------------------------------------------------===//

static Value buildBlocks(ModelBuilder &m, const std::string &path,
                         ArrayRef<int64_t> shape) {
  std::string name = path + ".weight";
  const TensorEntry *codes = m.tensor(name + kCodesEnd);
  if (!codes || !codes->part) // a tensor of the file that has such a name
    return {};
  const BlockFormat &format = *findBlockFormat(m.tensor(name)->dtype);
  m.ignore(name);
  DecodedMatrix matrix = {};
  constexpr heddle_type kByte[] = {HEDDLE_TYPE_I8};
  matrix.codes = format.isHalfByte ? m.storedHalfBytes(name + kCodesEnd, shape)
                                   : m.stored(name + kCodesEnd, shape, kByte);
  if (m.failed())
    return m.zeros(shape);
  SmallVector<int64_t> groups(shape);
  groups.back() /= format.group();
  matrix.axis = int64_t(shape.size()) - 1;
  matrix.scales = m.stored(name + kScalesEnd, groups, kScales);
  if (format.hasMinimums())
    matrix.minimums = m.stored(name + kMinimumsEnd, groups, kScales);
  return m.failed() ? m.zeros(shape) : m.decoded(matrix, m.at(path));
}

Value heddle::buildQuantizedMatrix(ModelBuilder &m,
                                   const QuantizationDescription &quantization,
                                   const Twine &path, ArrayRef<int64_t> shape) {
  if (quantization.format == MatrixFormat::Blocks)
    return buildBlocks(m, path.str(), shape);
  if (shape.size() != 2)
    return {};
  return QuantizedMatrix(m, quantization, path, shape[0], shape[1]).build();
}
