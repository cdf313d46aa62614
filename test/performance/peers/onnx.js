// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes ONNX: just enough of protobuf and of onnx.proto for a benchmark's graphs.
// A message is a list of buffers, which are joined once, at the end.

'use strict';

const FLOAT = 1, INT8 = 3, INT32 = 6, INT64 = 7; // TensorProto.DataType

function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push(value % 128 + 128);
  return Buffer.from([...bytes, value]);
}

const integer = (field, value) => [varint(field * 8), varint(value)];
const float = (field, value) => {
  const data = Buffer.alloc(4);
  data.writeFloatLE(value);
  return [varint(field * 8 + 5), data];
};

// A string, bytes, or a message made of `parts`.
function nested(field, ...parts) {
  const buffers = parts.flat(Infinity).map(
      part => typeof part === 'string' ? Buffer.from(part) : part);
  const size = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  return [varint(field * 8 + 2), varint(size), ...buffers];
}

// An integer, [a number] as f32, or several integers: {integers: [1, 0]}.
function attribute(name, value) {
  if (value.integers)
    return nested(5, nested(1, name), value.integers.map(each => integer(8, each)),
                  integer(20, 7));
  return Array.isArray(value)
      ? nested(5, nested(1, name), float(2, value[0]), integer(20, 1))
      : nested(5, nested(1, name), integer(3, value), integer(20, 2));
}

// A dimension is a number or a name.
function valueInfo(field, name, type, shape) {
  const dimensions = shape.map(extent => nested(
      1, typeof extent === 'number' ? integer(1, extent) : nested(2, extent)));
  return nested(field, nested(1, name),
                nested(2, nested(1, integer(1, type), nested(2, dimensions))));
}

// Random numbers, at most `scale`, as the bytes of f32: no two weights are alike, of whose memory
// somebody could keep one copy.
let seed = Date.now() | 0;
const random = () => (seed = Math.imul(seed, 1664525) + 1013904223 | 0) / 2 ** 31;
function randomBytes(count, scale) {
  const values = new Float32Array(count);
  for (let i = 0; i < count; ++i) values[i] = random() * scale;
  return Buffer.from(values.buffer);
}

class Graph {
  parts = [];
  names = 0;

  // Adds a node and returns the names of its results.
  nodes(op, inputs, count, attributes = {}, domain = '') {
    const outputs = Array.from({length: count}, () => `v${this.names++}`);
    this.parts.push(nested(
        1, inputs.map(name => nested(1, name)), outputs.map(name => nested(2, name)),
        nested(4, op), Object.entries(attributes).map(([name, value]) => attribute(name, value)),
        nested(7, domain)));
    return outputs;
  }

  node(op, inputs, attributes = {}, domain = '') {
    return this.nodes(op, inputs, 1, attributes, domain)[0];
  }

  // Matrices are scaled so that activations keep their size.
  weight(...shape) {
    const name = `w${this.names++}`, count = shape.reduce((a, b) => a * b);
    this.initializer(name, FLOAT, shape, randomBytes(count, Math.sqrt(3 / shape[0])));
    return name;
  }

  // The same of i8, of all values.
  bytes(...shape) {
    const count = shape.reduce((a, b) => a * b);
    return this.initializer(`w${this.names++}`, INT8, shape,
                            Buffer.from(Int8Array.from({length: count}, () =>
                                random() * 127).buffer));
  }

  initializer(name, type, shape, bytes) {
    this.parts.push(nested(5, shape.map(extent => integer(1, extent)), integer(2, type),
                           nested(8, name), nested(9, bytes)));
    return name;
  }

  input(name, type, shape) {
    this.parts.push(valueInfo(11, name, type, shape));
    return name;
  }

  output(name, type, shape) { this.parts.push(valueInfo(12, name, type, shape)); }

  model() {
    const opset = (domain, version) => nested(8, nested(1, domain), integer(2, version));
    return Buffer.concat([integer(1, 8), opset('', 17), opset('com.microsoft', 1),
                          nested(7, nested(2, 'peer'), this.parts)].flat(Infinity));
  }
}

module.exports = {Graph, FLOAT, INT8, INT32, INT64};
