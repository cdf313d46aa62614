// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX Runtime as a peer of bench.cpp: onnxruntime.js THREADS CASE MODEL|- NUMBER...
// prints the seconds of rounds, or nothing where it cannot (Peer.h). f32, as its CPU kernels are, and int8 of
// encoders; with its fused operators, its buffers allocated once and its weights packed at
// loading.

'use strict';

const fs = require('fs');
const {Graph, FLOAT, INT8, INT32, INT64} = require('./onnx.js');
const {floats, integers, createSession, answerRounds, timeSession, Decoding, microsoft} =
    require('./session.js');
const {encodeSource, translate} = require('./sequence-to-sequence.js');

const heads = 12, headDim = 64, hidden = heads * headDim;
// A model in one buffer must stay below 2 GiB.
const maximumBytes = 1.5 * 2 ** 30;

const kind = process.argv[3], model = process.argv[4];
const numbers = process.argv.slice(5).map(Number);

// ---- Kernels ----------------------------------------------------------------

// x @ w0 @ w1 ...; a product alone where the shapes do not allow more.
async function matmuls(rows, inputs, outputs, copies) {
  const graph = new Graph();
  let y = graph.input('x', FLOAT, [rows, inputs]);
  for (let i = 0; i < copies; ++i) y = graph.node('MatMul', [y, graph.weight(inputs, outputs)]);
  graph.output(y, FLOAT, [rows, outputs]);
  return timeSession(graph, {x: floats(rows, inputs)}, {[y]: floats(rows, outputs)}, copies);
}

// A graph's input, with values for it in `feeds`.
function addInput(graph, feeds, name, ...shape) {
  feeds[name] = floats(...shape);
  return graph.input(name, FLOAT, shape);
}

async function attentionFull(length) {
  const graph = new Graph(), shape = [1, length, hidden], feeds = {};
  const inputs = ['q', 'k', 'v'].map(name => addInput(graph, feeds, name, ...shape));
  const y = graph.node('MultiHeadAttention', inputs, {num_heads: heads}, microsoft);
  graph.output(y, FLOAT, shape);
  return timeSession(graph, feeds, {[y]: floats(...shape)});
}

// Attention of a sequence to itself, with lengths of keys or a bias for each pair of `biased`
// heads.
async function attentionOf(length, {of = headDim, values = of, lengths, biased} = {}) {
  const graph = new Graph(), feeds = {};
  const inputs = [addInput(graph, feeds, 'q', 1, length, heads * of),
                  addInput(graph, feeds, 'k', 1, length, heads * of),
                  addInput(graph, feeds, 'v', 1, length, heads * values), ''];
  if (lengths) {
    feeds.lengths = integers('int32', [lengths], 1);
    inputs.push(graph.input('lengths', INT32, [1]));
  }
  if (biased) inputs.push('', addInput(graph, feeds, 'bias', 1, biased, length, length));
  const y = graph.node('MultiHeadAttention', inputs, {num_heads: heads}, microsoft);
  const shape = [1, length, heads * values];
  graph.output(y, FLOAT, shape);
  return timeSession(graph, feeds, {[y]: floats(...shape)});
}

// w . tanh(q + k), softmax and a product.
async function attentionAdditive(length) {
  const graph = new Graph(), feeds = {};
  const q = addInput(graph, feeds, 'q', length, 1, headDim);
  const k = addInput(graph, feeds, 'k', 1, length, headDim);
  const terms = graph.node('Tanh', [graph.node('Add', [q, k])]);
  const scores = graph.node('MatMul', [terms, graph.weight(headDim)]);
  const weights = graph.node('Softmax', [scores], {axis: 1});
  const y = graph.node('MatMul', [weights, addInput(graph, feeds, 'v', length, headDim)]);
  graph.output(y, FLOAT, [length, headDim]);
  return timeSession(graph, feeds, {[y]: floats(length, headDim)});
}

// One query over each of `copies` caches in turn. GroupQueryAttention took six times as
// long with many keys.
async function attentionDecode(keys, copies) {
  const graph = new Graph(), shape = [1, 1, hidden], feeds = {};
  let y = addInput(graph, feeds, 'q', ...shape);
  for (let i = 0; i < copies; ++i) {
    const cache = ['keys', 'values'].map(
        name => addInput(graph, feeds, name + i, 1, heads, keys, headDim));
    y = graph.node('MultiHeadAttention', [y, ...cache], {num_heads: heads}, microsoft);
  }
  graph.output(y, FLOAT, shape);
  return timeSession(graph, feeds, {[y]: floats(...shape)}, copies);
}

// GroupQueryAttention skips the triangle that MultiHeadAttention computes and masks.
async function attentionCausal(length, more) {
  const decoding = new Decoding(1, length), {graph, feeds, fetches} = decoding;
  const shape = [1, length, hidden];
  const inputs = ['q', 'k', 'v'].map(name => addInput(graph, feeds, name, ...shape));
  const y = decoding.attention(...inputs, heads, heads, headDim, [], more);
  graph.output(y, FLOAT, shape);
  fetches[y] = floats(...shape);
  decoding.setKeys(length);
  return timeSession(graph, feeds, fetches);
}

// An output for each row of the weight, with as many zeros around as keep the size.
async function convolution(shape, weights, resultShape, {stride = 1, groups = 1} = {}) {
  const graph = new Graph(), feeds = {}, taps = weights.slice(2);
  const y = graph.node('Conv', [addInput(graph, feeds, 'x', ...shape),
                                graph.weight(...weights), graph.weight(weights[0])],
                       {kernel_shape: {integers: taps}, group: groups,
                        strides: {integers: taps.map(() => stride)},
                        pads: {integers: [...taps, ...taps].map(count => count >> 1)}});
  graph.output(y, FLOAT, resultShape);
  return timeSession(graph, feeds, {[y]: floats(...resultShape)});
}

// Runs with each of `copies` sets of tensors in turn.
async function timeCold(graph, y, shape, makeFeeds, copies) {
  graph.output(y, FLOAT, shape);
  const session = await createSession(graph);
  const calls = Array.from({length: copies}, () => [makeFeeds(), {[y]: floats(...shape)}]);
  return answerRounds(async () => {
    for (const [feeds, fetches] of calls) await session.run(feeds, fetches);
  }, copies);
}

// One node over an input of `shape`.
async function tensorOp(copies, shape, resultShape, build) {
  const graph = new Graph();
  const y = build(graph, graph.input('x', FLOAT, shape));
  return timeCold(graph, y, resultShape, () => ({x: floats(...shape)}), copies);
}

const int64s = (graph, name, ...values) => graph.initializer(
    name, INT64, [values.length], Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer));

const tensorOps = {
  softmax: copies => tensorOp(copies, [6144, 512], [6144, 512],
      (graph, x) => graph.node('Softmax', [x], {axis: 1})),
  layer_norm: copies => tensorOp(copies, [512, 768], [512, 768],
      (graph, x) => graph.node('LayerNormalization', [x, graph.weight(768), graph.weight(768)],
                               {axis: 1, epsilon: [1e-12]})),
  gelu: copies => tensorOp(copies, [512, 3072], [512, 3072],
      (graph, x) => graph.node('Gelu', [x], {}, microsoft)),
  transpose: copies => tensorOp(copies, [512, 12, 64], [12, 512, 64],
      (graph, x) => graph.node('Transpose', [x], {perm: {integers: [1, 0, 2]}})),
  column_sums: copies => tensorOp(copies, [6144, 512], [512],
      (graph, x) => graph.node('ReduceSum', [x, int64s(graph, 'axes', 0)], {keepdims: 0})),
  gather_rows: copies => {
    const graph = new Graph(), rows = Array.from({length: 512}, (_, i) => i * 7 % 8192);
    graph.input('x', FLOAT, [8192, 768]);
    graph.input('ids', INT64, [512]);
    const y = graph.node('Gather', ['x', 'ids'], {axis: 0});
    return timeCold(graph, y, [512, 768],
        () => ({x: floats(8192, 768), ids: integers('int64', rows, 512)}), copies);
  },
  conv_1d: () => convolution([1, 80, 3000], [384, 80, 3], [1, 384, 3000]),
  conv_2d_7x7: () => convolution([1, 3, 224, 224], [64, 3, 7, 7], [1, 64, 112, 112], {stride: 2}),
  conv_2d_3x3: () => convolution([1, 64, 56, 56], [64, 64, 3, 3], [1, 64, 56, 56]),
  conv_2d_small: () => convolution([1, 512, 7, 7], [512, 512, 3, 3], [1, 512, 7, 7]),
  conv_2d_depthwise: () =>
      convolution([1, 96, 56, 56], [96, 1, 3, 3], [1, 96, 56, 56], {groups: 96}),
  pool_2d: copies => tensorOp(copies, [1, 64, 112, 112], [1, 64, 56, 56],
      (graph, x) => graph.node('MaxPool', [x], {kernel_shape: {integers: [3, 3]},
          strides: {integers: [2, 2]}, pads: {integers: [1, 1, 1, 1]}})),
  matmul: (heads, rows, depth, columns) => {
    const graph = new Graph(), feeds = {}, shape = [heads, rows, columns];
    const y = graph.node('MatMul', [addInput(graph, feeds, 'a', heads, rows, depth),
                                    addInput(graph, feeds, 'b', heads, depth, columns)]);
    graph.output(y, FLOAT, shape);
    return timeSession(graph, feeds, {[y]: floats(...shape)});
  },
};

// ---- Models -----------------------------------------------------------------

// The decoder that `config` describes, with random weights; logits of the last token.
function buildDecoder(config, decoding) {
  const {graph} = decoding, D = config.hidden_size, F = config.intermediate_size;
  const H = config.num_attention_heads, K = config.num_key_value_heads || H;
  const d = config.head_dim || D / H, epsilon = config.rms_norm_eps;
  const linear = (x, inputs, outputs) =>
      graph.node('MatMul', [x, graph.weight(inputs, outputs)]);
  const rotary = ['cos', 'sin'].map(
      name => graph.initializer(name, FLOAT, [decoding.capacity, d / 2],
                                Buffer.from(floats(decoding.capacity * d / 2).data.buffer)));
  graph.input('ids', INT64, [decoding.batch, 'length']);
  let x = graph.node('Gather', [graph.weight(config.vocab_size, D), 'ids']);
  let normed = graph.node('SimplifiedLayerNormalization', [x, graph.weight(D)], {epsilon: [epsilon]});
  // x + y, normalised, and the sum itself.
  const residual = y => {
    const [sum, , , next] = graph.nodes('SkipSimplifiedLayerNormalization',
                                        [x, y, graph.weight(D)], 4, {epsilon: [epsilon]}, microsoft);
    x = next;
    return sum;
  };
  for (let layer = 0; layer < config.num_hidden_layers; ++layer) {
    const attended = decoding.attention(linear(normed, D, H * d), linear(normed, D, K * d),
                                        linear(normed, D, K * d), H, K, d, rotary);
    normed = residual(linear(attended, H * d, D));
    const gate = graph.node('QuickGelu', [linear(normed, D, F)], {alpha: [1]}, microsoft);
    const product = graph.node('Mul', [gate, linear(normed, D, F)]);
    normed = residual(linear(product, F, D));
  }
  const end = graph.initializer('end', INT64, [], Buffer.from(BigInt64Array.of(-1n).buffer));
  const last = graph.node('Gather', [normed, end], {axis: 1});
  const logits = linear(last, D, config.vocab_size);
  graph.output(logits, FLOAT, [decoding.batch, config.vocab_size]);
  decoding.fetches[logits] = floats(decoding.batch, config.vocab_size);
}

// Reads `length` tokens, or with `tokens` given decodes so many after them.
async function decoder(batch, length, tokens) {
  const path = model + '.onnx.json';
  if (!fs.existsSync(path)) return;
  const config = JSON.parse(fs.readFileSync(path));
  const decoding = new Decoding(batch, length + (tokens || 0));
  buildDecoder(config, decoding);
  const session = await createSession(decoding.graph);
  const ids = count => integers('int64', Array.from({length: batch * count}, (_, i) => i % 50),
                                batch, count);
  if (!tokens) {
    decoding.setKeys(length);
    decoding.feeds.ids = ids(length);
    return answerRounds(() => session.run(decoding.feeds, decoding.fetches));
  }
  decoding.feeds.ids = ids(1);
  return answerRounds(async () => {
    for (let i = 1; i <= tokens; ++i) {
      decoding.setKeys(length + i);
      await session.run(decoding.feeds, decoding.fetches);
    }
  });
}

// The encoder that `config` describes, as ORT's own tool for transformers leaves it; of int8
// activations are quantised as calls go, and attention multiplies f32.
function buildEncoder(config, graph, batch, length, isInt8) {
  const D = config.hidden_size, F = config.intermediate_size;
  const epsilon = [config.layer_norm_eps], numHeads = {num_heads: config.num_attention_heads};
  const scalar = (name, type, bytes) => graph.initializer(name, type, [], Buffer.from(bytes));
  const scale = isInt8 && scalar('scale', FLOAT, Float32Array.of(3e-4).buffer);
  const zero = isInt8 && scalar('zero', INT8, [0]);
  const linear = (x, inputs, outputs) => isInt8
      ? graph.node('DynamicQuantizeMatMul', [x, graph.bytes(inputs, outputs), scale, zero], {},
                   microsoft)
      : graph.node('MatMul', [x, graph.weight(inputs, outputs)]);
  const residual = (y, x) => graph.node(
      'SkipLayerNormalization', [y, x, graph.weight(D), graph.weight(D), graph.weight(D)],
      {epsilon}, microsoft);
  const attention = x => {
    if (!isInt8)
      return graph.node('Attention', [x, graph.weight(D, 3 * D), graph.weight(3 * D)], numHeads,
                        microsoft);
    const [bytes, ofInputs, zeroOfInputs] = graph.nodes('DynamicQuantizeLinear', [x], 3);
    return graph.node('QAttention', [bytes, graph.bytes(D, 3 * D), graph.weight(3 * D), ofInputs,
                                     scale, '', zeroOfInputs, zero], numHeads, microsoft);
  };
  const table = rows => graph.node('Gather', [graph.weight(rows, D), 'ids']);
  graph.input('ids', INT64, [batch, length]);
  const sum = graph.node('Add', [table(config.vocab_size), graph.weight(length, D)]);
  let x = graph.node('LayerNormalization', [sum, graph.weight(D), graph.weight(D)],
                     {axis: 2, epsilon});
  for (let layer = 0; layer < config.num_hidden_layers; ++layer) {
    x = residual(linear(attention(x), D, D), x);
    const inner = graph.node('BiasGelu', [linear(x, D, F), graph.weight(F)], {}, microsoft);
    x = residual(linear(inner, F, D), x);
  }
  graph.output(x, FLOAT, [batch, length, D]);
  return x;
}

async function encoder(batch, length) {
  const path = model + '.onnx.json';
  if (!fs.existsSync(path)) return;
  const config = JSON.parse(fs.readFileSync(path)), graph = new Graph();
  const y = buildEncoder(config, graph, batch, length, model.endsWith('_int8'));
  const ids = Array.from({length: batch * length}, (_, i) => i % 50);
  return timeSession(graph, {ids: integers('int64', ids, batch, length)},
                     {[y]: floats(batch, length, config.hidden_size)});
}

// ---- The command line -------------------------------------------------------

function measure() {
  switch (kind) {
  case 'gemm_f32': return matmuls(...numbers, 1);
  case 'gemv_f32': {
    const [inputs, outputs, copies] = numbers;
    return matmuls(1, inputs, outputs,
                   Math.min(copies, Math.floor(maximumBytes / (4 * inputs * outputs))));
  }
  case 'attention_full': return attentionFull(...numbers);
  case 'attention_causal': return attentionCausal(...numbers);
  case 'attention_plain': return attentionFull(...numbers);
  case 'attention_window': return attentionCausal(...numbers, {local_window_size: 256});
  case 'attention_padding': return attentionOf(...numbers, {lengths: numbers[0] / 2});
  case 'attention_alibi':
  case 'attention_bias': return attentionOf(...numbers, {biased: heads});
  case 'attention_documents': return attentionOf(...numbers, {biased: 1});
  case 'attention_d128': return attentionOf(...numbers, {of: 128});
  case 'attention_values_of_128': return attentionOf(...numbers, {values: 128});
  case 'attention_additive': return attentionAdditive(...numbers);
  case 'attention_decode': return attentionDecode(...numbers);
  case 'encode': return encoder(...numbers);
  case 'encode_source': return encodeSource(model + '.onnx.json', ...numbers);
  case 'translate': return translate(model + '.onnx.json', ...numbers);
  case 'prefill':
  case 'decode': return decoder(...numbers);
  default: return tensorOps[kind] && tensorOps[kind](...numbers);
  }
}

(async () => {
  await measure();
})().catch(error => {
  console.error(`onnxruntime: ${error.message}`);
  process.exit(1);
});
