// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What Hugging Face's own engine makes of texts and ids: node judge.js REQUEST, an array of
// {tokenizer: path or object, texts: [text], ids: [[id]], pairs: [[text, text or null, maximum
// length, strategy]]}. Prints, for each, {error} or {plain: [[id]], special: [[id]], decoded:
// [text], others: [text], pairs: [[[id], [type]] or null]}: ids of the texts without and with
// special tokens, and the texts of `plain` and `ids`, from which special tokens are left out;
// ids and types of pairs, null where the engine refuses to cut them.

const fs = require("fs");
const {Tokenizer} = require("@anush008/tokenizers");

const strategies = {longest_first: "LongestFirst", only_first: "OnlyFirst", only_second: "OnlySecond"};

async function answer({tokenizer, texts, ids, pairs}) {
  const engine = typeof tokenizer === "string" ? Tokenizer.fromFile(tokenizer)
                                               : Tokenizer.fromString(JSON.stringify(tokenizer));
  engine.disableTruncation();
  engine.disablePadding();
  const result = {plain: [], special: [], decoded: [], others: [], pairs: []};
  for (const text of texts) {
    for (const [name, addSpecialTokens] of [["plain", false], ["special", true]])
      result[name].push((await engine.encode(text, null, {addSpecialTokens})).getIds());
    result.decoded.push(await engine.decode(result.plain.at(-1), true));
  }
  for (const list of ids)
    result.others.push(await engine.decode(list, true));
  for (const [first, second, length, strategy] of pairs ?? []) {
    engine.disableTruncation();
    try {
      if (length)
        engine.setTruncation(length, {strategy: strategies[strategy]});
      const encoding = await engine.encode(first, second, {addSpecialTokens: true});
      result.pairs.push([encoding.getIds(), encoding.getTypeIds()]);
    } catch {
      result.pairs.push(null);
    }
  }
  return result;
}

(async () => {
  const answers = [];
  for (const request of JSON.parse(fs.readFileSync(process.argv[2])))
    answers.push(await answer(request).catch(error => ({error: String(error)})));
  console.log(JSON.stringify(answers));
})();
