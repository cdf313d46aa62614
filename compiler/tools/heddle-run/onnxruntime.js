// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// onnxruntime.js MODEL.onnx FOLDER: runs a model with ONNX Runtime. FOLDER/inputs.json has the
// type and dims of each input, whose elements are in FOLDER/N.bin; results are written so, too.

'use strict';

const fs = require('fs');
const ort = require('onnxruntime-node'); // found through NODE_PATH

const arrays = {
  float32: Float32Array, float64: Float64Array, int32: Int32Array, int64: BigInt64Array, int8: Int8Array,
  uint8: Uint8Array, bool: Uint8Array, float16: Uint16Array};

async function main(model, folder) {
  const feeds = {};
  const inputs = JSON.parse(fs.readFileSync(`${folder}/inputs.json`));
  inputs.forEach(({name, type, dims}, index) => {
    const bytes = fs.readFileSync(`${folder}/${index}.bin`);
    const memory = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    feeds[name] = new ort.Tensor(type, new arrays[type](memory), dims);
  });
  const session = await ort.InferenceSession.create(model, {logSeverityLevel: 3});
  const results = await session.run(feeds);
  const described = session.outputNames.map((name, index) => {
    const {type, dims, data} = results[name];
    fs.writeFileSync(`${folder}/result${index}.bin`, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    return {name, type, dims};
  });
  fs.writeFileSync(`${folder}/results.json`, JSON.stringify(described));
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error.message);
  process.exit(1);
});
