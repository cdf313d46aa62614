// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the builders of all kinds of models share: weights that come from
// tensors of a checkpoint, and small ops around them. Every op's location is a
// name, such as "model.layers.0.self_attn.q_proj", so that whatever is said
// about the op says which part of the model it belongs to.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_MODELBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_MODELBUILDER_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/Import/Models/BlockDescription.h"
#include "compiler/Import/Models/QuantizationDescription.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// Integers along `axis` of a matrix, and what they are decoded with: a scale,
/// what stands for 0, and what is subtracted at last, of each group of them.
/// Zeros and minimums may be null.
struct DecodedMatrix {
  mlir::Value codes, scales = {}, zeros = {}, minimums = {};
  int64_t axis = 0;
};

class ModelBuilder {
public:
  /// `quantization` is how matrices are stored, if they are quantised.
  ModelBuilder(const TensorSource &tensors, const ImportOptions &options,
               std::optional<QuantizationDescription> quantization,
               mlir::MLIRContext &context)
      : b(&context), tensors(tensors), options(options),
        quantization(quantization), declarations(&context),
        references(&context) {}

  /// Says where weights and references to them are made: before a function and
  /// before its first op.
  void startFunction(mlir::Operation *function, mlir::Operation *first);

  /// An op that does nothing, to be erased.
  mlir::Operation *begin();

  const ImportOptions &getOptions() const { return options; }
  mlir::Location at(const llvm::Twine &path) {
    return mlir::NameLoc::get(b.getStringAttr(path));
  }

  //===-- weights ---------------------------------------------------------===//

  /// The tensor of that name, or null.
  const TensorEntry *tensor(const llvm::Twine &name) const {
    return tensors.find(name.str());
  }
  bool hasTensor(const llvm::Twine &name) const { return tensor(name); }
  /// The tensor of that name, which must have this shape and one of `types`, as
  /// it is stored.
  mlir::Value stored(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<heddle_type> types);
  /// Integers that fit 4 bits, with the sign of their type.
  mlir::Value storedHalfBytes(const llvm::Twine &name,
                              llvm::ArrayRef<int64_t> shape);
  /// A matrix of floats, of which parts and stacks are decoded, too.
  mlir::Value decoded(const DecodedMatrix &matrix, mlir::Location loc);
  /// A tensor, if it is there, that the model does not need.
  void ignore(const llvm::Twine &name) { read.insert(name.str()); }
  /// The tensor of that name, which must have this shape. What is wrong with it
  /// becomes the builder's failure, and the value one that has the shape. `why`
  /// says what asks for the tensor, if that is not plain.
  mlir::Value weight(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape,
                     llvm::StringRef why = "");
  /// The matrices of all experts, each [inputs, outputs].
  mlir::Value experts(const llvm::Twine &name, int64_t count, int64_t inputs,
                      int64_t outputs);
  /// Matrices of linear layers, [outputs, inputs], and their biases. Without a
  /// bias null.
  mlir::Value matrix(const llvm::Twine &path, int64_t outputs, int64_t inputs);
  mlir::Value bias(const llvm::Twine &path, int64_t outputs, bool exists);
  /// What is stored, as f32.
  mlir::Value inF32(mlir::Value weight);
  /// A weight that a norm multiplies by.
  mlir::Value normWeight(const NormDescription &norm, const llvm::Twine &path,
                         llvm::ArrayRef<int64_t> shape);
  /// A tensor without a meaning of its own, whose elements are `values`.
  mlir::Value constant(llvm::ArrayRef<double> values);

  /// Whether matrices are stored as [inputs, outputs].
  bool hasTransposedMatrices = false;

  //===-- ops -------------------------------------------------------------===//

  mlir::Value linear(mlir::Value x, const llvm::Twine &path, int64_t outputs,
                     bool hasBias);
  /// The linear layer that made `y` has a matrix of which numbers of so many
  /// bits may be made, and no fewer: as many as llama.cpp leaves to a head, or
  /// those of a float, where it chooses what others compute.
  static mlir::Value withLeastBits(mlir::Value y, int64_t bits);
  static constexpr int64_t kBitsOfHead = 8, kBitsOfChoice = 32;
  mlir::Value norm(mlir::Value x, const NormDescription &norm,
                   const llvm::Twine &path);
  mlir::Value scaled(mlir::Value x, double factor, const llvm::Twine &path);
  mlir::Value add(mlir::Value x, mlir::Value y, const llvm::Twine &path);
  /// With `other` broadcast to the sizes of x.
  mlir::Value multiply(mlir::Value x, mlir::Value other,
                       const llvm::Twine &path);
  mlir::Value plus(mlir::Value x, mlir::Value other, const llvm::Twine &path);
  mlir::Value divide(mlir::Value x, mlir::Value other, const llvm::Twine &path);
  /// Each element in [-limit, limit].
  mlir::Value limited(mlir::Value x, double limit, const llvm::Twine &path);
  mlir::Value atLeast(mlir::Value x, double limit, const llvm::Twine &path);
  mlir::Value atMost(mlir::Value x, double limit, const llvm::Twine &path);
  /// The `count` largest of the last dimension, in descending order.
  TopKOp topOf(mlir::Value x, int64_t count, const llvm::Twine &path);
  /// Along `axis`, or the last one.
  mlir::Value reduced(ReductionKind kind, mlir::Value x, mlir::Location loc,
                      bool keepSizes = false,
                      std::optional<int64_t> axis = std::nullopt);
  /// Which of `depth` numbers are among those of the last dimension.
  mlir::Value oneHot(mlir::Value indices, int64_t depth, mlir::Location loc);
  /// [batch, length, ..] with other channels, of as many elements.
  mlir::Value reshapedTokens(mlir::Value x, llvm::ArrayRef<int64_t> channels);
  /// The same, repeated along dimensions of size 1.
  mlir::Value repeatedTokens(mlir::Value x, llvm::ArrayRef<int64_t> channels);
  mlir::Value concat(mlir::ValueRange parts, int64_t axis);
  /// Matrices of one shape, as [count, outputs, inputs].
  mlir::Value stacked(mlir::ValueRange matrices);
  /// Along dimensions of size 1.
  mlir::Value repeated(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// A part of a weight, along its first dimension.
  mlir::Value rows(mlir::Value weight, int64_t first, int64_t count);
  mlir::Value reshaped(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value slicedWeight(mlir::Value weight, llvm::ArrayRef<int64_t> offsets,
                           llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<int64_t> steps = {});
  mlir::Value transposed(mlir::Value weight,
                         llvm::ArrayRef<int64_t> permutation);
  /// As many parts of `x` along `axis` as it has, chosen by i32 indices; `x`
  /// itself where there are none.
  mlir::Value gathered(mlir::Value x, llvm::ArrayRef<int32_t> indices,
                       int64_t axis);
  mlir::Value gathered(mlir::Value x, mlir::Value indices, int64_t axis);
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape);

  /// `pattern` with the number in place of '#'.
  static std::string numbered(llvm::StringRef pattern, int64_t number);

  static int64_t channelsOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType()).getShape().back();
  }

  //===-- errors ----------------------------------------------------------===//

  bool failed() const { return !firstError.empty(); }
  void fail(const llvm::Twine &message);
  llvm::Error takeError() const;
  /// Records a failure if there is a tensor that nothing has read and whose
  /// name has none of these endings and beginnings.
  void checkAllRead(llvm::ArrayRef<std::string> ignoredEnds,
                    llvm::ArrayRef<std::string> ignoredStarts);
  /// The same if `copy` is there and is not equal to `tensor`.
  void checkCopy(const llvm::Twine &copy, const llvm::Twine &tensor);

  mlir::OpBuilder b; ///< ops of the function

private:
  /// A tensor that must have this shape and one of `types`; null after a
  /// failure.
  const TensorEntry *checked(llvm::StringRef name,
                             llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<heddle_type> types,
                             llvm::StringRef why = "");
  /// A part of codes, scales and zeros, so that contractions decode what it is;
  /// null where these have no such part.
  mlir::Value slicedCodes(mlir::Value weight, llvm::ArrayRef<int64_t> offsets,
                          llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<int64_t> steps);
  /// A reference to the tensor's heddle.weight.
  mlir::Value refer(const TensorEntry &entry, mlir::Type element);
  mlir::Type elementTypeOf(const TensorEntry &entry);
  /// The tensor of a norm that is `path` and `name`, or, in old files,
  /// `oldName`.
  std::string nameOfNorm(const NormDescription &norm, const llvm::Twine &path,
                         llvm::StringRef name, llvm::StringRef oldName) const;

  const TensorSource &tensors;
  const ImportOptions &options;
  std::optional<QuantizationDescription> quantization;
  mlir::OpBuilder declarations; ///< heddle.weight
  mlir::OpBuilder references;   ///< heddle.weight_ref
  llvm::StringMap<mlir::Value> known;
  llvm::DenseMap<mlir::Value, DecodedMatrix> decodedMatrices;
  llvm::StringSet<> read;
  std::string firstError;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_MODELBUILDER_H
