// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels' buffers hold, in the order of the reference evaluator's values.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYBUFFERS_H
#define HEDDLE_COMPILER_VERIFY_VERIFYBUFFERS_H

#include "compiler/Reference/Values.h"
#include "runtime/heddle_abi.h"

namespace heddle {

/// Element `index` of dense `data`, put into the element that `tensor` gets
/// next.
void appendElement(heddle_type type, const void *data, int64_t index,
                   reference::Tensor &tensor);

/// The element type of a kernel's buffer.
heddle_type typeOf(const heddle_buffer &buffer);

/// All elements of a buffer, the outermost dimension slowest, as a tensor of
/// `shape`; an error where it has another number of them. Kernels split
/// channels into several dimensions and join leading ones into rows, but in
/// this order they are always a tensor's elements in its own.
llvm::Expected<reference::Tensor> readBuffer(const heddle_buffer &buffer,
                                             llvm::ArrayRef<int64_t> shape);

/// The dense elements of an argument.
reference::Tensor readTensor(heddle_type type, const void *data,
                             llvm::ArrayRef<int64_t> shape);

/// Makes doubles of `got` differ from those of `want` where integers do.
void separate(reference::Tensor &got, const reference::Tensor &want);

/// The buffers of one layer.
using CacheBuffers = std::map<CachePart, const heddle_buffer *>;

/// One layer's keys or values, of `storage`'s sizes: the numbers that elements
/// stand for. Keys lie as [batch][kv head][block of 32 positions][d][32],
/// values as [batch][kv head][position][d], scales as [batch][kv
/// head][position]; keys and values become [batch][position][kv head][d].
std::vector<double> readCachePart(const CacheBuffers &buffers, CachePart part,
                                  const reference::CacheStorage &storage);

/// Fills the keys and values of `storage` with what an entry point's cache
/// holds: the parts of each layer, dense.
void readCache(const void *memory, reference::CacheStorage &storage);

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYBUFFERS_H
