import type { JsonValue } from "@sallyport/storage";
import { acceptHook, fallbackHook } from "./accept-hook.ts";
import { MacroFault } from "./macro-fault.ts";
import { LineAllowance } from "./macro-runtime.ts";
import { acceptDeclaration } from "./module-inspector.ts";

const max = { timeout: 5_000, cpu: 1_000, memory: 16 * 1_048_576, hostCalls: 10, resultBytes: 100 };
const accept = (declaration: Record<string, JsonValue>, name = "Macro", code = "") =>
  acceptDeclaration({ name, code }, { run: true, ...declaration }, max);

describe("module declaration", () => {
  test("defaults to a macro for administrators with all limits at their maximum", () => {
    const module = { name: "Macro", code: "", checksInput: false };
    expect(accept({})).toEqual({
      kind: "macro",
      name: "Macro",
      module,
      access: null,
      skipCheck: null,
      transaction: true,
      limits: max,
      readsCaller: false,
    });
  });

  test("validates its inputs against the declared schema", () => {
    expect([{ input: {} }, { input: true }, {}].map((declaration) => accept(declaration).module.checksInput)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    ["everyone", { groups: null, apps: null }, null],
    [{ groups: ["A"] }, { groups: ["A"], apps: null }, null],
    [{ apps: ["a", "b"], groups: [] }, { groups: [], apps: ["a", "b"] }, null],
    [{}, null, null],
    [{ skipCheck: { groups: ["B"] } }, null, { groups: ["B"], apps: null }],
  ])("restricts access: %j", (access, expected, skipCheck) => {
    expect(accept({ access })).toMatchObject({ access: expected, skipCheck });
  });

  test("lowers the limits; a shorter total time also shortens the running time", () => {
    expect(accept({ timeout: 200, memory: 2 })).toMatchObject({
      limits: { timeout: 200, cpu: 200, memory: 2 * 1_048_576, hostCalls: 10 },
    });
    expect(accept({ timeout: 5_000 })).toMatchObject({ limits: { timeout: 5_000, cpu: 1_000 } });
  });

  test("records whether the module reads the caller's names", () => {
    expect(accept({}, "Macro", "run: ({ caller }) => caller.name")).toMatchObject({ readsCaller: true });
  });

  test.each([
    ["a hook by its declaration", "Macro", { on: "beforeSave", classes: ["Invoice"] }],
    ["a hook by its name", "xRestApi_FindObjects", { classes: ["Invoice"] }],
  ])("is %s", (_what, name, declaration) => {
    expect(accept(declaration, name)).toMatchObject({
      kind: "hook",
      name,
      hook: { on: "on" in declaration ? declaration.on : name, classes: ["Invoice"], byDefault: false },
    });
  });

  test.each([
    [{ run: "text" }, "run: A function is expected."],
    [{ timeout: 5_001 }, "timeout: An integer from 1 to 5000 (milliseconds) is expected."],
    [{ timeout: 0 }, "timeout: An integer from 1 to 5000 (milliseconds) is expected."],
    [{ memory: 17 }, "memory: An integer from 1 to 16 (MiB) is expected."],
    [{ memory: 1.5 }, "memory: An integer from 1 to 16 (MiB) is expected."],
    [{ transaction: "no" }, "transaction: true or false is expected."],
    [{ check: "no" }, "check: A function is expected."],
    [{ access: "nobody" }, 'access: "everyone" or an object with groups and apps is expected.'],
    [{ access: { group: ["A"] } }, "access.group: Unknown member."],
    [{ access: { groups: "A" } }, "access.groups: An array of at most 100 names is expected."],
    [{ access: { groups: [" "] } }, "access.groups: An array of at most 100 names is expected."],
    [{ access: { skipCheck: { skipCheck: {} } } }, "access.skipCheck.skipCheck: Unknown member."],
    [{ acces: "everyone" }, "acces: Unknown member of a macro."],
    [
      JSON.parse('{"__proto__": {"access": "everyone"}}') as Record<string, JsonValue>,
      "__proto__: Unknown member of a macro.",
    ],
  ])("refuses an invalid declaration and tells the author why: %j", (declaration, message) => {
    const members = Object.fromEntries([["run", true as JsonValue], ...Object.entries(declaration)]);
    const accepting = () => acceptDeclaration({ name: "Macro", code: "" }, members, max);
    expect(accepting).toThrow(MacroFault);
    expect(accepting).toThrow(message);
  });
});

describe("acceptHook", () => {
  test.each([
    [
      "Any",
      { on: "beforeSave", classes: ["Customer"], run: true },
      { on: "beforeSave", classes: ["Customer"], byDefault: false },
    ],
    [
      "xRestApi_FindObjects",
      { classes: ["Customer", "Invoice"], byDefault: true, timeout: 100 },
      { on: "xRestApi_FindObjects", classes: ["Customer", "Invoice"], byDefault: true },
    ],
    [
      "xRestApi_DBCreateInit_xRestApiUserProvider",
      {},
      { on: "xRestApi_DBCreateInit_xRestApiUserProvider", classes: [], byDefault: false },
    ],
    ["xRestApi_Authenticate", { timeout: 100 }, { on: "xRestApi_Authenticate", classes: [], byDefault: false }],
    [
      "xRestApi_FindObjects",
      { on: "afterDelete", classes: ["Customer"] },
      { on: "afterDelete", classes: ["Customer"], byDefault: false },
    ],
  ])("accepts %s %j", (name, declaration, accepted) => expect(acceptHook(name, declaration)).toEqual(accepted));

  test.each([
    ["on", { on: "beforeRead", classes: ["Customer"] }],
    ["on", { on: ["beforeSave"], classes: ["Customer"] }],
    ["on", { classes: ["Customer"] }],
    ["classes", { on: "beforeSave" }],
    ["classes", { on: "beforeSave", classes: [] }],
    ["classes", { on: "beforeSave", classes: "Customer" }],
    ["classes", { on: "beforeSave", classes: ["customer list"] }],
    ["classes", { on: "beforeSave", classes: Array.from({ length: 201 }, (_, index) => `Class${index}`) }],
    ["classes", { on: "xRestApi_DBCreateInit_xRestApiUserProvider", classes: ["User"] }],
    ["xRestApi_Authenticate", { on: "xRestApi_Authenticate" }],
    ["byDefault", { on: "beforeSave", classes: ["Customer"], byDefault: true }],
    ["byDefault", { on: "xRestApi_FindObjects", classes: ["Customer"], byDefault: "yes" }],
    ["access", { on: "beforeSave", classes: ["Customer"], access: "everyone" }],
  ])("refuses %s: %j", (named, declaration) => expect(acceptHook("Any", declaration)).toContain(named));
});

test("a module is a hook by its name alone where that name decides about admission", () => {
  for (const on of ["xRestApi_Authenticate", "xRestApi_DBCreateInit_xRestApiUserProvider"])
    expect(fallbackHook(on)).toEqual({ on, classes: [], byDefault: false });
  for (const name of ["xRestApi_FindObjects", "beforeSave", "__proto__", ""])
    expect(fallbackHook(name)).toBeUndefined();
});

const written = (lines: readonly string[]): string[] => {
  const allowance = new LineAllowance();
  return lines.flatMap((line) => allowance.take(line) ?? []);
};
const last = "further log lines of this execution are omitted";

test("a macro logs a limited number of lines, then one note that lines are omitted", () => {
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
  expect(written(lines)).toEqual(lines);
  expect(written([...lines, "one more", "two more"])).toEqual([...lines, last]);
});

test("a macro logs fewer lines when they are long", () => {
  const line = "x".repeat(65_536);
  expect(written([line, line, "", "a", "b"])).toEqual([line, line, "", last]);
});
