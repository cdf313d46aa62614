// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoders whose decoders read them: Whisper and T5, with random weights, as ORT's own tool for
// transformers leaves them. Keys and values of the source are computed once.

'use strict';

const fs = require('fs');
const {Graph, FLOAT, INT64} = require('./onnx.js');
const {floats, integers, createSession, answerRounds, Decoding, microsoft} = require('./session.js');

// Sizes that both families have, by the names of their configs.
function describe(file) {
  const c = JSON.parse(fs.readFileSync(file)), isT5 = c.model_type === 't5';
  const heads = isT5 ? c.num_heads : c.encoder_attention_heads;
  return {isT5, heads, hidden: c.d_model, headDim: isT5 ? c.d_kv : c.d_model / heads,
          inner: isT5 ? c.d_ff : c.encoder_ffn_dim, vocabulary: c.vocab_size,
          layers: isT5 ? c.num_layers : c.encoder_layers,
          decoderLayers: isT5 ? c.num_decoder_layers || c.num_layers : c.decoder_layers,
          bins: c.num_mel_bins, positions: c.max_target_positions};
}

// Layers whose norms come first: T5's scale alone, have no biases, and do not scale scores.
class Layers {
  constructor(graph, shape) { Object.assign(this, {graph, ...shape}); }

  // A product with a matrix, and a bias but for T5.
  linear(x, inputs, outputs) {
    const y = this.graph.node('MatMul', [x, this.graph.weight(inputs, outputs)]);
    return this.isT5 ? y : this.graph.node('Add', [y, this.graph.weight(outputs)]);
  }

  begin(x) {
    this.x = x;
    const D = this.graph.weight(this.hidden);
    return this.isT5
        ? this.graph.node('SimplifiedLayerNormalization', [x, D], {epsilon: [1e-6]})
        : this.graph.node('LayerNormalization', [x, D, this.graph.weight(this.hidden)],
                          {axis: 2, epsilon: [1e-5]});
  }

  // x + y matrix, normalised; the sum is the next x.
  residual(y, inputs) {
    const product = this.graph.node('MatMul', [y, this.graph.weight(inputs, this.hidden)]);
    const D = () => this.graph.weight(this.hidden);
    const [normed, , , sum] = this.isT5
        ? this.graph.nodes('SkipSimplifiedLayerNormalization', [this.x, product, D()], 4,
                           {epsilon: [1e-6]}, microsoft)
        : this.graph.nodes('SkipLayerNormalization', [this.x, product, D(), D(), D()], 4,
                           {epsilon: [1e-5]}, microsoft);
    this.x = sum;
    return normed;
  }

  feedForward(normed) {
    const product = this.graph.node('MatMul', [normed, this.graph.weight(this.hidden, this.inner)]);
    const changed = this.isT5 ? this.graph.node('Relu', [product])
        : this.graph.node('BiasGelu', [product, this.graph.weight(this.inner)], {}, microsoft);
    return this.residual(changed, this.inner);
  }

  scale() { return this.isT5 ? {scale: [1]} : {}; }
  width() { return this.heads * this.headDim; }
}

// [1, bins, 2 * source] of a recording, or ids, to [1, source, hidden].
function embedSource(graph, shape, feeds, source) {
  const D = shape.hidden;
  if (shape.isT5) {
    graph.input('ids', INT64, [1, source]);
    feeds.ids = integers('int64', Array.from({length: source}, (_, i) => i % 50), 1, source);
    return graph.node('Gather', [graph.weight(shape.vocabulary, D), 'ids']);
  }
  feeds.features = floats(1, shape.bins, 2 * source);
  let x = graph.input('features', FLOAT, [1, shape.bins, 2 * source]);
  for (const [inputs, stride] of [[shape.bins, 1], [D, 2]]) {
    const y = graph.node('Conv', [x, graph.weight(D, inputs, 3), graph.weight(D)],
                         {kernel_shape: {integers: [3]}, strides: {integers: [stride]},
                          pads: {integers: [1, 1]}});
    x = graph.node('Gelu', [y], {}, microsoft);
  }
  x = graph.node('Transpose', [x], {perm: {integers: [0, 2, 1]}});
  return graph.node('Add', [x, graph.weight(source, D)]);
}

// A function that encodes, and the keys and values that it leaves for each layer of the decoder.
async function encoderOf(shape, source) {
  const graph = new Graph(), layers = new Layers(graph, shape), feeds = {}, fetches = {};
  const {hidden: D, heads, headDim} = shape, width = layers.width();
  const bias = shape.isT5 && graph.weight(1, heads, source, source);
  let normed = layers.begin(embedSource(graph, shape, feeds, source));
  for (let layer = 0; layer < shape.layers; ++layer) {
    const inputs = [0, 1, 2].map(() => layers.linear(normed, D, width));
    const attended = graph.node(
        'MultiHeadAttention', [...inputs, ...(shape.isT5 ? ['', '', bias] : [])],
        {num_heads: heads, ...layers.scale()}, microsoft);
    normed = layers.feedForward(layers.residual(attended, width));
  }
  const split = graph.initializer('split', INT64, [4], Buffer.from(
      BigInt64Array.of(1n, BigInt(source), BigInt(heads), BigInt(headDim)).buffer));
  const sizes = [1, heads, source, headDim];
  const cross = [];
  for (let i = 0; i < 2 * shape.decoderLayers; ++i) {
    const parts = graph.node('Reshape', [layers.linear(normed, D, width), split]);
    const y = graph.node('Transpose', [parts], {perm: {integers: [0, 2, 1, 3]}});
    graph.output(y, FLOAT, sizes);
    cross.push(fetches[y] = floats(...sizes));
  }
  const session = await createSession(graph);
  return {encode: () => session.run(feeds, fetches), cross};
}

// A function that decodes the id of that place over the keys and values of a source.
async function decoderOf(shape, source, tokens, cross) {
  const decoding = new Decoding(1, tokens), {graph, feeds, fetches} = decoding;
  const layers = new Layers(graph, shape);
  const {hidden: D, heads, headDim, isT5} = shape, width = layers.width();
  graph.input('ids', INT64, [1, 1]);
  feeds.ids = integers('int64', [7], 1, 1);
  let x = graph.node('Gather', [graph.weight(shape.vocabulary, D), 'ids']);
  if (isT5) {
    graph.input('bias', FLOAT, [1, heads, 1, 'keys']);
  } else {
    graph.input('place', INT64, [1, 1]);
    x = graph.node('Add', [x, graph.node('Gather', [graph.weight(shape.positions, D), 'place'])]);
  }
  let normed = layers.begin(x);
  for (let layer = 0; layer < shape.decoderLayers; ++layer) {
    const packed = layers.linear(normed, D, 3 * width);
    const attended = decoding.attention(packed, '', '', heads, heads, headDim,
                                        isT5 ? ['', '', '', 'bias'] : [],
                                        {do_rotary: 0, ...layers.scale()});
    normed = layers.residual(attended, width);
    const query = layers.linear(normed, D, width);
    const keysAndValues = [0, 1].map(i => {
      const name = `source${2 * layer + i}`;
      feeds[name] = cross[2 * layer + i];
      return graph.input(name, FLOAT, [1, heads, source, headDim]);
    });
    const read = graph.node('MultiHeadAttention', [query, ...keysAndValues],
                            {num_heads: heads, ...layers.scale()}, microsoft);
    normed = layers.feedForward(layers.residual(read, width));
  }
  const logits = graph.node('MatMul', [normed, graph.weight(D, shape.vocabulary)]);
  graph.output(logits, FLOAT, [1, 1, shape.vocabulary]);
  fetches[logits] = floats(1, 1, shape.vocabulary);
  const session = await createSession(graph);
  const places = Array.from({length: tokens}, (_, i) => isT5
      ? {bias: floats(1, heads, 1, i + 1)} : {place: integers('int64', [i], 1, 1)});
  return place => {
    decoding.setKeys(place + 1);
    Object.assign(feeds, places[place]);
    return session.run(feeds, fetches);
  };
}

async function encodeSource(file, source) {
  if (!fs.existsSync(file)) return;
  const {encode} = await encoderOf(describe(file), source);
  return answerRounds(encode);
}

async function translate(file, source, tokens) {
  if (!fs.existsSync(file)) return;
  const shape = describe(file), {encode, cross} = await encoderOf(shape, source);
  const decode = await decoderOf(shape, source, tokens, cross);
  return answerRounds(async () => {
    await encode();
    for (let place = 0; place < tokens; ++place) await decode(place);
  });
}

module.exports = {encodeSource, translate};
