import type { Case } from "./case.ts";

const execute = (title: string, name: string, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "demo",
  method: "POST",
  path: `/v1/execute/${name}`,
  expect: { code, lacks: ["node_modules", "at async", "MacroFault"] },
  ...more,
});

const noNames = ["1st", "a-b", "a.b", "a%20b", "%C3%A9t%C3%A9", "$x", "a".repeat(129), "..%2e", "Echo()"];

/** Names that mean something to an object, and nothing to a library of macros. */
const nothings = ["NoSuchMacro", "__proto__", "constructor", "toString", "_", "a".repeat(128)];

/** Executing macros, as far as it needs none: what macros do stands in the suite of macros. */
export const macroCases: readonly Case[] = [
  ...noNames.map((name) => execute(`refuses ${name.slice(0, 20)} as the name of a macro`, name, 400)),
  ...nothings.map((name) => execute(`finds no macro ${name.slice(0, 20)}`, name, 710)),
  execute("finds no macro for an administrator either", "NoSuchMacro", 710, { as: "admin" }),
  execute(
    "says no more of a macro that there is not when its checker is to be skipped",
    "NoSuchMacro?skipChecker=true",
    710,
  ),
  execute("refuses another word than true and false for skipChecker", "NoSuchMacro?skipChecker=yes", 307),
  execute("takes any JSON", "NoSuchMacro", 710, { json: '[1, null, "a"]' }),
  execute("refuses a body that is no JSON", "NoSuchMacro", 311, {
    json: "{",
    modes: ["session", "token", "encrypted"],
  }),
  execute("refuses a message that is no JSON", "NoSuchMacro", 312, { json: "{", modes: ["secure"] }),
  execute("refuses a body with names that reach a prototype", "NoSuchMacro", 307, { json: '[{"__proto__": 1}]' }),
  execute("is executed with POST only", "NoSuchMacro", 305, {
    method: "GET",
    expect: { code: 305, beforeSession: true, headers: { allow: "POST" } },
  }),
  { title: "needs a session to execute", method: "POST", path: "/v1/execute/Echo", expect: { code: 200 } },
];
