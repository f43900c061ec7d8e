import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "@swc/core";

/** Where the code of each area is. */
export const areas = {
  gate: ["packages/core/src/access/gate", "packages/core/src/access/sessions", "packages/http/src/pipeline/admit.ts"],
  "secure mode": [
    "packages/core/src/access/channels",
    "packages/http/src/pipeline/secure-exchange.ts",
    "packages/crypto/src/channels",
  ],
  rights: [
    "packages/core/src/model",
    "packages/core/src/objects/object-readers.ts",
    "packages/core/src/objects/write-object.ts",
  ],
  query: ["packages/core/src/objects/query", "packages/storage-memory/src/query", "packages/storage-knex/src/query"],
  "record store": [
    "packages/storage-memory/src/memory-record-repository.ts",
    "packages/storage-knex/src/knex-record-repository.ts",
    "packages/storage-knex/src/dialects/postgres/statements/record-statements.ts",
  ],
  archive: [
    "apps/server/src/archive",
    "packages/storage-knex/src/dialects/postgres/archive",
    "packages/core/src/archive",
  ],
  macros: ["packages/core/src/execution", "packages/macros/src/pool", "packages/macros/src/worker"],
  identity: ["packages/core/src/identities", "packages/identity-passport/src"],
  drain: ["apps/server/src/composition/start-server.ts", "packages/http/src/connections"],
};

const swapped = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "&&": "||",
  "||": "&&",
};

/** Files below a place that contain code. */
function filesOf(root, place) {
  const path = join(root, place);
  if (!statSync(path, { throwIfNoEntry: false })) throw new Error(`There is no ${place}.`);
  if (statSync(path).isFile()) return [place];
  return readdirSync(path, { recursive: true })
    .filter((name) => /(?<!\.d|\.test)\.ts$/.test(name))
    .map((name) => join(place, name));
}

/**
 * Every change of one place of a file: the range of bytes of an expression or a statement, what it was, and what it becomes.
 * A removed statement becomes nothing.
 */
function mutantsOf(root, path) {
  const text = readFileSync(join(root, path));
  const base = parseSync("", { syntax: "typescript" }).span.start;
  const found = [];
  const at = ({ span }) => [span.start - base, span.end - base];
  const textOf = (node) => text.subarray(...at(node)).toString();
  const add = (node, replacement) => {
    const [start, end] = at(node);
    const line = text.subarray(0, start).toString().split("\n").length;
    found.push({ path, start, end, line, was: text.subarray(start, end).toString(), replacement });
  };
  const visit = (node) => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    // Types are not code, but what they are attached to is.
    if (node.type?.startsWith("Ts")) {
      visit(node.expression ?? node.param);
      return;
    }
    if (node.type === "BinaryExpression" && node.operator in swapped) {
      const [start, end] = [at(node.left)[1], at(node.right)[0]];
      const between = text.subarray(start, end).toString();
      if (between.trim() === node.operator)
        add(node, textOf(node.left) + between.replace(node.operator, swapped[node.operator]) + textOf(node.right));
    }
    if (node.type === "UnaryExpression" && node.operator === "!") add(node, textOf(node.argument));
    if (node.type === "BooleanLiteral") add(node, String(!node.value));
    if (node.type === "IfStatement") add(node.test, "false");
    if (node.type === "ConditionalExpression") add(node.test, `!(${textOf(node.test)})`);
    if (node.type === "ThrowStatement") add(node, "");
    if (node.type === "ExpressionStatement" && /^(?:Await|Call)Expression$/.test(node.expression.type)) add(node, "");
    for (const [name, member] of Object.entries(node)) if (name !== "span") visit(member);
  };
  visit(parseSync(text.toString(), { syntax: "typescript", target: "es2022" }).body);
  return found;
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const overlaps = (one, other) => one.path === other.path && one.start < other.end && other.start < one.end;

/** Mutants that a seed draws, the same number from each area; no two of them are in one place. */
export function draw(root, seed, count) {
  const random = randomFrom(seed);
  const names = Object.keys(areas);
  const lists = new Map(
    names.map((name) => [
      name,
      areas[name].flatMap((place) => filesOf(root, place)).flatMap((path) => mutantsOf(root, path)),
    ]),
  );
  const drawn = [];
  while (drawn.length < count) {
    const area = names[drawn.length % names.length];
    const list = lists.get(area);
    if (list.length === 0) throw new Error(`The area ${area} has no mutants left.`);
    const [mutant] = list.splice(Math.floor(random() * list.length), 1);
    if (!drawn.some((other) => overlaps(mutant, other))) drawn.push({ number: drawn.length + 1, area, ...mutant });
  }
  return drawn;
}
