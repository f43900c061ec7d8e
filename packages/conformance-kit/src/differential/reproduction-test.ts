import type { Difference } from "./scenario.ts";

/**
 * The source of a test module that runs under Node. It fails while the default export of `module` differs from the
 * reference.
 */
export function reproductionTest({ reference, adapter, seed, scenario, expected }: Difference, module: string): string {
  const title = scenario.kind === "query" ? "answers a query" : "runs these steps";
  return [
    `// Found with the seed ${seed}. The expected values are those of ${reference}.`,
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    'import { answersOf } from "@sallyport/conformance-kit";',
    `import adapter from ${JSON.stringify(module)};`,
    "",
    `const scenario = ${literal(scenario)};`,
    "",
    `const expected = ${literal(expected)};`,
    "",
    `test(${JSON.stringify(`${adapter} ${title} like ${reference}`)}, async () => {`,
    "  assert.deepEqual(await answersOf(adapter, scenario), expected);",
    "});",
    "",
  ].join("\n");
}

/** A value as a source literal: on one line if short, else one member or element per line. */
function literal(value: unknown, indent = ""): string {
  const short = JSON.stringify(value);
  if (typeof value !== "object" || value === null || short.length + indent.length <= 100) return spaced(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((each) => `${inner}${literal(each, inner)},\n`).join("")}${indent}]`;
  return `{\n${Object.entries(value)
    .map(([name, member]) => `${inner}${key(name)}: ${literal(member, inner)},\n`)
    .join("")}${indent}}`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${spaced(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && name !== "__proto__" ? name : JSON.stringify(name);
}
