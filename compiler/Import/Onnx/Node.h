// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node of an ONNX graph, as those see it who make ops of it.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_NODE_H
#define HEDDLE_COMPILER_IMPORT_ONNX_NODE_H

#include "compiler/Import/Onnx/GraphTranslator.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/StringSet.h"

namespace heddle::onnx {

/// Inputs, attributes and results of one node. A mistake is kept by the
/// translator (`fail`), and what is asked for afterwards has any value, so that
/// translators of operators need not look at each.
class Node {
public:
  Node(GraphTranslator &graph, const NodeProto &proto, int64_t version);

  /// The version of the set of operators that the model was written for.
  int64_t version() const { return opset; }
  llvm::StringRef op() const { return proto.opType; }
  void fail(const llvm::Twine &message);
  bool failed() const { return graph.firstError.has_value(); }

  //===-- inputs ----------------------------------------------------------===//

  int64_t inputCount() const { return proto.input.size(); }
  /// Optional inputs have no name, or are missing at the end.
  bool hasInput(int64_t index) const;
  mlir::Value input(int64_t index);
  /// One that has to be of floats.
  mlir::Value floats(int64_t index);
  /// The input as integers, if they are known: few of them.
  const KnownIntegers *known(int64_t index);
  const KnownIntegers *known(GraphValue &value) { return graph.knownOf(value); }
  /// The input in all forms that it has.
  GraphValue value(int64_t index);
  mlir::Value asTensor(GraphValue &value);
  /// Integers that have to be known as expressions of sizes, or as numbers.
  Sizes sizes(int64_t index);
  llvm::SmallVector<int64_t> numbers(int64_t index);
  /// The only element of a constant input.
  std::optional<double> constantNumber(int64_t index);
  /// Whether an input is a tensor of the file.
  bool isStored(int64_t index);
  /// Whether it follows from such tensors alone.
  bool isOfWeights(int64_t index);

  //===-- attributes ------------------------------------------------------===//

  bool hasAttribute(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  double number(llvm::StringRef name, double otherwise);
  std::string string(llvm::StringRef name, llvm::StringRef otherwise);
  llvm::SmallVector<int64_t> integerList(llvm::StringRef name);
  std::vector<llvm::StringRef> stringList(llvm::StringRef name);
  /// Null where there is none.
  const TensorEntry *tensor(llvm::StringRef name);
  /// Null where there is none.
  const GraphProto *graphAttribute(llvm::StringRef name);
  /// Translates such a graph where `b` stands, and gives its results.
  llvm::SmallVector<GraphValue>
  translateBody(const GraphProto &body, llvm::ArrayRef<GraphValue> inputs);
  /// The same of one whose ops read values of their own block alone.
  llvm::SmallVector<mlir::Value> translateIsolated(const GraphProto &body,
                                                   mlir::ValueRange inputs);
  /// Fails if there is an attribute that nobody has asked for.
  void checkAttributes();

  //===-- results ---------------------------------------------------------===//

  int64_t resultCount() const { return proto.output.size(); }
  bool hasResult(int64_t index) const;
  void setResult(mlir::Value tensor, int64_t index = 0);
  void setResult(KnownIntegers integers, int64_t index = 0);
  void setResult(const GraphValue &value, int64_t index);
  /// A tensor of an attribute.
  void setStored(const TensorEntry &tensor);

  //===-- ops -------------------------------------------------------------===//

  mlir::OpBuilder &b;
  mlir::Location loc;

  /// An op with one result, of elements of `type`, whose sizes follow.
  template <typename Op, typename... Args>
  mlir::Value make(mlir::Type type, Args &&...args) {
    if (failed())
      return {};
    auto op = Op::create(b, loc, mlir::RankedTensorType::get({}, type),
                         std::forward<Args>(args)...);
    resolve(op);
    return op->getResult(0);
  }
  /// An op of `arith` or `math` on tensors of equal sizes.
  template <typename Op, typename... Args> mlir::Value map(Args &&...args) {
    return failed() ? mlir::Value()
                    : b.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
  /// Fails if an op is wrong, of those from that one on.
  void verifyOps(mlir::Block::iterator first);
  /// Gives the results of a new op their sizes.
  void resolve(mlir::Operation *op);

  SizeAttr size(int64_t number) {
    return SizeAttr::number(b.getContext(), number);
  }
  mlir::ArrayAttr array(llvm::ArrayRef<SizeAttr> sizes) {
    return toArray(b.getContext(), sizes);
  }
  mlir::Value constant(double number, mlir::Type type);
  /// A number as a tensor of the type and the sizes of another one.
  mlir::Value like(mlir::Value x, double number);
  /// A size as a scalar of integers.
  mlir::Value fromSize(SizeAttr size, mlir::Type type);
  mlir::Value reshaped(mlir::Value x, llvm::ArrayRef<SizeAttr> sizes);
  mlir::Value transposed(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value cast(mlir::Value x, mlir::Type type);
  /// Broadcast to one shape (NumPy's rule).
  llvm::SmallVector<mlir::Value> broadcast(mlir::ValueRange tensors);
  /// What is broadcast together, where a size that a caller chooses is that
  /// which others make up, or 1: a mask of `total` tokens beside `past +
  /// length` scores. Calls check it.
  llvm::SmallVector<mlir::Value> withComputedSizes(mlir::ValueRange tensors);
  mlir::Value broadcastTo(mlir::Value x, llvm::ArrayRef<SizeAttr> sizes);
  /// Calls check that the size is one of these, where it is the caller's.
  void limitSize(SizeAttr size, int64_t least, int64_t most);
  /// The first `count` parts along an axis, if there may be so many: calls
  /// check it where `count` is the caller's. Null otherwise.
  mlir::Value firstOf(mlir::Value x, int64_t axis, SizeAttr count);
  /// An axis that may count from the end; one that is none is a failure.
  int64_t axis(int64_t axis, int64_t rank);
  llvm::SmallVector<int64_t> axes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  mlir::Type elementType(int64_t dataType);

  static int64_t rankOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType()).getRank();
  }

private:
  void checkSizes(llvm::ArrayRef<SizeAttr> sizes);
  GraphValue *find(int64_t index);
  const AttributeProto *attribute(llvm::StringRef name,
                                  AttributeProto::Type type);

  GraphTranslator &graph;
  const NodeProto &proto;
  int64_t opset;
  llvm::StringSet<> asked; ///< attributes
};

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_NODE_H
