import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "@swc/core";

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

/** Calls of which a mutant keeps the value before the dot. */
const skippable = new Set(["filter", "slice", "toSorted", "toLowerCase"]);
const swappedCalls = { some: "every", every: "some", min: "max", max: "min" };

/** Files below a place that contain code. */
export function filesOf(root, place) {
  const path = join(root, place);
  if (!statSync(path, { throwIfNoEntry: false })) throw new Error(`There is no ${place}.`);
  if (statSync(path).isFile()) return [place];
  return readdirSync(path, { recursive: true })
    .filter((name) => /(?<!\.d|\.test)\.ts$/.test(name))
    .map((name) => join(place, name));
}

/**
 * Every change of one place of a file: the range of bytes of an expression or a statement, its line, what it was, and what it
 * becomes. A removed statement becomes nothing. Thorough changes also leave out operands, members, calls and assignments, and
 * replace literals.
 */
export function mutantsOf(root, path, { isThorough = false } = {}) {
  const text = readFileSync(join(root, path));
  const lines = text.toString().split("\n");
  const base = parseSync("", { syntax: "typescript" }).span.start;
  const found = [];
  const at = ({ span }) => [span.start - base, span.end - base];
  const textOf = (node) => text.subarray(...at(node)).toString();
  const add = (node, replacement) => {
    const [start, end] = at(node);
    const line = text.subarray(0, start).toString().split("\n").length;
    const was = text.subarray(start, end).toString();
    found.push({ path, start, end, line, code: lines[line - 1].trim(), was, replacement });
  };
  const more = { textOf, add, spanOf: at, text };
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
    if (isThorough) addMore(node, more);
    for (const [name, member] of Object.entries(node))
      if (isVisited(node, name, isThorough)) visit(isThorough ? withoutName(node, member) : member);
  };
  visit(parseSync(text.toString(), { syntax: "typescript", target: "es2022" }).body);
  return found;
}

/** Names of modules, members and symbols, and the texts of errors, are not mutated as texts. */
function isVisited({ type, key, callee }, name, isThorough) {
  if (name === "span") return false;
  if (!isThorough) return true;
  if (type === "ImportDeclaration" || name === "source" || callee?.value === "Symbol") return false;
  if (type !== "KeyValueProperty") return true;
  return name !== "key" && key.value !== "detail";
}

/** The name of a table is the first argument of `table<Row>()(name, …)`: any other would do. */
function withoutName({ type, callee }, member) {
  const isDeclaration = type === "CallExpression" && callee.callee?.value === "table";
  return isDeclaration && Array.isArray(member) && member[0]?.expression?.type === "StringLiteral"
    ? member.slice(1)
    : member;
}

function addMore(node, { textOf, add, spanOf, text }) {
  switch (node.type) {
    case "BinaryExpression":
      if (["&&", "||", "??"].includes(node.operator)) {
        add(node, textOf(node.left));
        add(node, textOf(node.right));
      }
      break;
    case "IfStatement":
      add(node.test, "true");
      break;
    case "ExpressionStatement":
      if (/^(?:Assignment|Update)Expression$/.test(node.expression.type)) add(node, "");
      break;
    case "NumericLiteral":
      add(node, String(node.value + 1));
      break;
    case "BigIntLiteral":
      add(node, `${BigInt(textOf(node).slice(0, -1)) + 1n}n`);
      break;
    case "StringLiteral":
      add(node, '"~"');
      break;
    case "TemplateLiteral":
      for (const each of node.expressions.length > 1 ? node.expressions : []) {
        const [start, end] = spanOf(each);
        const [first, last] = spanOf(node);
        add(node, text.subarray(first, start - 2).toString() + text.subarray(end + 1, last).toString());
      }
      break;
    case "CallExpression":
      addCall(node, { textOf, add });
      break;
    case "NewExpression":
      if (node.callee.value === "Set" && node.arguments?.length === 1) add(node, textOf(node.arguments[0].expression));
      break;
    case "ObjectExpression":
      for (const { start, end } of members(node.properties, spanOf)) add(node, without(node, start, end, spanOf, text));
      break;
    case "ArrayExpression":
      if (node.elements.length > 1)
        for (const { start, end } of members(node.elements, spanOf)) add(node, without(node, start, end, spanOf, text));
      break;
  }
}

function addCall({ span, callee, arguments: given }, { textOf, add }) {
  const node = { span };
  // A call that converts, copies or checks one value is left out.
  if (callee.type === "Identifier" && given.length === 1 && given[0].spread === null)
    add(node, textOf(given[0].expression));
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
  const name = callee.property.value;
  if (skippable.has(name)) add(node, textOf(callee.object));
  if (Object.hasOwn(swappedCalls, name))
    add(node, textOf(callee).slice(0, -name.length) + swappedCalls[name] + textOf(node).slice(textOf(callee).length));
}

/** The ranges of bytes of the members of an object or a list, except functions. */
function members(all, spanOf) {
  return all.flatMap((each) => {
    // A list may have holes; a member may be a name alone, or three dots and what they spread.
    const value = each?.value?.type === undefined ? (each?.arguments ?? each?.expression ?? each) : each.value;
    if (value === null || each.key?.value === "detail") return [];
    if (/Function|Method|etter/.test(`${value.type} ${each.type}`)) return [];
    const [start] = spanOf({ span: each.spread ?? each.key?.span ?? value.span });
    return [{ start, end: spanOf(value)[1] }];
  });
}

/** The text of an object or a list without one member and its comma. */
function without(node, start, end, spanOf, text) {
  const [first, last] = spanOf(node);
  const after = text.subarray(end, last).toString().replace(/^\s*,/, "");
  return text.subarray(first, start).toString() + after;
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
