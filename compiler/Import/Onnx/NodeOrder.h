// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which nodes of an ONNX graph are translated.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_NODEORDER_H
#define HEDDLE_COMPILER_IMPORT_ONNX_NODEORDER_H

#include "compiler/Import/Onnx/Messages.h"

#include "llvm/Support/Error.h"

namespace heddle::onnx {

/// Those of `nodes` that the outputs need, each behind those that it needs
/// itself, also for graphs in its attributes. `isGiven` says of which values
/// the graph has no node.
llvm::Expected<std::vector<const NodeProto *>>
orderNodes(llvm::ArrayRef<NodeProto> nodes,
           llvm::ArrayRef<llvm::StringRef> outputs,
           llvm::function_ref<bool(llvm::StringRef)> isGiven);

/// "node 'encoder/MatMul' (MatMul)"
std::string describe(const NodeProto &node);

/// The names of what a graph gives.
std::vector<llvm::StringRef> outputNames(const GraphProto &graph);

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_NODEORDER_H
