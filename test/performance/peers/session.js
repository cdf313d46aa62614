// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions of ONNX Runtime, their tensors and their times.

'use strict';

const fs = require('fs');
const {Graph, FLOAT, INT32} = require('./onnx.js');
const ort = require('onnxruntime-node'); // found through NODE_PATH

const microsoft = 'com.microsoft'; // the domain of fused operators
const patience = 0.2; // seconds of a round
const threads = Number(process.argv[2]);

const floats = (...shape) => new ort.Tensor(
    'float32', new Float32Array(shape.reduce((a, b) => a * b)).fill(0.01), shape);
const integers = (type, values, ...shape) => new ort.Tensor(
    type, type === 'int64' ? BigInt64Array.from(values.map(BigInt)) : Int32Array.from(values),
    shape);

const createSession = graph => ort.InferenceSession.create(graph.model(), {
  intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential',
  graphOptimizationLevel: 'all'});

// For each line of the input the seconds of one of the `parts` of `run`, at its best in a round.
async function answerRounds(run, parts = 1) {
  await run(); // to warm up
  const request = Buffer.alloc(1);
  while (fs.readSync(0, request) === 1) {
    const end = performance.now() + patience * 1000;
    let best = Infinity;
    do {
      const start = performance.now();
      await run();
      best = Math.min(best, performance.now() - start);
    } while (performance.now() < end);
    console.log(best / 1000 / parts);
  }
}

async function timeSession(graph, feeds, fetches, parts) {
  const session = await createSession(graph);
  return answerRounds(() => session.run(feeds, fetches), parts);
}

// Inputs of a graph that decodes; caches are read and written in place.
class Decoding {
  graph = new Graph();
  feeds = {};
  fetches = {};

  constructor(batch, capacity) {
    this.batch = batch;
    this.capacity = capacity;
    this.graph.input('last', INT32, [batch]);
    this.graph.input('total', INT32, [1]);
  }

  // After this call each sequence has `keys` keys.
  setKeys(keys) {
    this.feeds.last = integers('int32', Array(this.batch).fill(keys - 1), this.batch);
    this.feeds.total = integers('int32', [keys], 1);
  }

  attention(q, k, v, heads, kvHeads, headDim, rotary, more = {}) {
    const shape = [this.batch, kvHeads, this.capacity, headDim];
    const past = ['k', 'v'].map(
        name => this.graph.input(`${name}${this.graph.names++}`, FLOAT, shape));
    const [y, ...present] = this.graph.nodes(
        'GroupQueryAttention', [q, k, v, ...past, 'last', 'total', ...rotary], 3,
        {num_heads: heads, kv_num_heads: kvHeads, do_rotary: rotary.length ? 1 : 0, ...more},
        microsoft);
    present.forEach((name, i) => {
      this.graph.output(name, FLOAT, shape);
      this.feeds[past[i]] = this.fetches[name] = floats(...shape);
    });
    return y;
  }
}

module.exports = {floats, integers, createSession, answerRounds, timeSession, Decoding, microsoft};
