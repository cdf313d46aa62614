// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX graph as a function of the heddle dialect.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_GRAPHTRANSLATOR_H
#define HEDDLE_COMPILER_IMPORT_ONNX_GRAPHTRANSLATOR_H

#include "compiler/Import/ImportedModel.h"
#include "compiler/Import/Onnx/GraphValue.h"
#include "compiler/Import/Onnx/OnnxFile.h"
#include "compiler/Import/Onnx/OnnxTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

namespace heddle::onnx {

/// Translates the graph of one file, node after node. Every value has its sizes
/// at once, so that what graphs compute of shapes is known when it is needed.
class GraphTranslator {
public:
  /// `file` has to outlive this. The function is the module's last. Sizes of
  /// inputs are numbers where `fixedSizes` has their names.
  GraphTranslator(const OnnxFile &file, mlir::ModuleOp module,
                  const std::map<std::string, int64_t> &fixedSizes);

  /// Adds the function @run. What is wrong is an error that names the node;
  /// MLIR's diagnostics may have said it already.
  llvm::Error translate();

  const NodeCounts &counts() const { return nodeCounts; }

  /// The tensors of Constant nodes and of graphs in attributes, by the names of
  /// their weights.
  TensorSource takeConstants();

private:
  friend class Node;

  /// A call of a function of the model, whose nodes are being translated.
  struct Call {
    const FunctionProto *function;
    llvm::StringMap<const AttributeProto *> attributes;
    std::string place; ///< of messages: the node
  };
  /// The values of a graph: those of the model's, and on top of it of each body
  /// that is being translated.
  struct Scope {
    llvm::StringMap<GraphValue> values;
    /// Whether ops of it may read no value of an op outside.
    bool isIsolated = false;
    /// Functions read no value outside.
    std::optional<Call> call;
  };
  /// The value of that name, or null. Bodies read those of graphs around them.
  GraphValue *lookup(llvm::StringRef name);
  GraphValue &define(llvm::StringRef name) {
    return scopes.back().values[name];
  }
  void translateNodes(llvm::ArrayRef<NodeProto> nodes,
                      llvm::ArrayRef<llvm::StringRef> outputs);
  void translateNode(const NodeProto &proto);
  void count(const NodeProto &node);
  /// Translates a graph in an attribute where `b` stands, and gives its
  /// results; those of an isolated one are tensors.
  llvm::SmallVector<GraphValue> translateBody(const GraphProto &graph,
                                              llvm::ArrayRef<GraphValue> inputs,
                                              bool isIsolated);

  /// The function of the model that the node calls, or null.
  const FunctionProto *findFunction(const NodeProto &node) const;
  void translateCall(const NodeProto &node, const FunctionProto &function);
  void addAttributes(Call &call, const NodeProto &node);
  /// The innermost one, or null.
  const Call *currentCall() const;
  /// The attribute, or that of the call that it stands for; null where that has
  /// none.
  const AttributeProto *resolve(const AttributeProto &attribute) const;

  /// Keeps a tensor that is no initializer of the model's graph.
  const TensorEntry *keep(OwnedTensor tensor);

  llvm::Error addInputs();
  bool addBranch(const ValueInfoProto &input);
  void checkFixedSizes();
  mlir::Type typeOf(const ValueInfoProto &input);
  mlir::Type elementTypeOf(int32_t dataType, const llvm::Twine &place);
  SizeAttr sizeOf(const TensorShapeProto::Dimension &dimension,
                  llvm::StringRef input, int64_t axis);
  void addOutputs();
  void declareLimits();

  mlir::Value tensorOf(GraphValue &value, llvm::StringRef name);
  /// The value as integers, if they are known: few of them; else null.
  const KnownIntegers *knownOf(GraphValue &value);
  mlir::Value constantOf(const KnownIntegers &integers);
  std::string symbolOf(llvm::StringRef weight) const;
  mlir::Value weightOf(const TensorEntry &entry);
  /// One of integers of 4 bits.
  mlir::Value halvesOf(const TensorEntry &entry);
  /// Whether it follows from the file alone.
  bool isOfWeights(mlir::Value value);
  /// The version of the operators of that domain; none where the model imports
  /// none.
  std::optional<int64_t> versionOf(llvm::StringRef domain) const;

  void fail(const llvm::Twine &message);
  llvm::Error takeError() const;

  const OnnxFile &file;
  const std::map<std::string, int64_t> &fixedSizes;
  llvm::StringMap<bool> symbols; ///< of inputs
  mlir::OpBuilder b;             ///< ops of the function
  mlir::OpBuilder declarations;  ///< heddle.weight
  mlir::OpBuilder constants;     ///< heddle.weight_ref, arith.constant
  mlir::func::FuncOp function;
  std::deque<Scope> scopes; ///< outermost first; their values stay in place
  /// The least and the most that symbols may be.
  llvm::StringMap<std::pair<int64_t, int64_t>> limits;
  llvm::DenseMap<mlir::Operation *, bool> areOfWeights;
  std::deque<TensorEntry> keptTensors;
  llvm::StringSet<> tensorNames; ///< of all tensors
  std::vector<std::vector<uint8_t>> memory;
  NodeCounts nodeCounts;
  int64_t nodeCount = 0;
  std::optional<std::string> firstError;
};

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_GRAPHTRANSLATOR_H
