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

/** Names with a meaning for objects, and none for a macro library. */
const nothings = ["NoSuchMacro", "__proto__", "constructor", "toString", "_", "a".repeat(128)];

/** Executing macros without any macros; the suite of macros has the others. */
export const macroCases: readonly Case[] = [
  ...noNames.map((name) => execute(`refuses ${name.slice(0, 20)} as a macro name`, name, 400)),
  ...nothings.map((name) => execute(`finds no macro ${name.slice(0, 20)}`, name, 710)),
  execute("finds no unknown macro for an administrator either", "NoSuchMacro", 710, { as: "admin" }),
  execute("reveals no more about an unknown macro with skipChecker", "NoSuchMacro?skipChecker=true", 710),
  execute("refuses values of skipChecker other than true and false", "NoSuchMacro?skipChecker=yes", 307),
  execute("accepts any JSON", "NoSuchMacro", 710, { json: '[1, null, "a"]' }),
  execute("refuses a body of invalid JSON", "NoSuchMacro", 311, {
    json: "{",
    modes: ["session", "token", "encrypted"],
  }),
  execute("refuses a message of invalid JSON", "NoSuchMacro", 312, { json: "{", modes: ["secure"] }),
  execute("refuses a body with names of prototype properties", "NoSuchMacro", 307, { json: '[{"__proto__": 1}]' }),
  execute("executes with POST only", "NoSuchMacro", 305, {
    method: "GET",
    expect: { code: 305, beforeSession: true, headers: { allow: "POST" } },
  }),
  { title: "requires a session to execute", method: "POST", path: "/v1/execute/Echo", expect: { code: 200 } },
];
