// Writes the table of confusable characters from the Unicode data file security/<version>/confusables.txt (UTS 39):
// node .ci/make-confusables.mjs confusables.txt
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, URL } from "node:url";

const text = readFileSync(process.argv[2], "utf8").replace("\ufeff", "");
const version = /^# Version: ([\d.]+)$/m.exec(text)[1];
const codePoints = (field) =>
  field
    .trim()
    .split(/\s+/)
    .map((digits) => Number.parseInt(digits, 16));
const mappings = text
  .split("\n")
  .map((line) => line.replace(/#.*/, ""))
  .filter((line) => line.includes(";"))
  .map((line) => line.split(";"))
  .map(([source, target]) => ({ source: codePoints(source)[0], target: codePoints(target) }))
  .toSorted((one, other) => one.source - other.source);

// Prototypes with the characters that look like them, as differences of code points in base 36.
const groups = new Map();
for (const { source, target } of mappings) {
  const key = target.map((each) => each.toString(36)).join("+");
  groups.set(key, [...(groups.get(key) ?? []), source]);
}
const differences = (sources) =>
  sources.map((each, index) => (each - (sources[index - 1] ?? 0)).toString(36)).join("_");
const table = [...groups].map(([target, sources]) => `${target}=${differences(sources)}`).join(",");

writeFileSync(
  fileURLToPath(new URL("../packages/core/src/objects/confusable-characters.ts", import.meta.url)),
  `// Made by .ci/make-confusables.mjs from the data of UTS 39, version ${version}. Copyright Unicode, Inc.; see unicode.org/license.txt.

/** Prototypes with the characters that look like them. Code points in base 36: \`prototype=character_difference_…\`. */
export const confusableCharacters =
  "${table}";
`,
);
