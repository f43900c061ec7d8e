import { acceptHook, guardingHook } from "./accept-hook.ts";

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
  ])("takes %s %j", (name, declaration, accepted) => expect(acceptHook(name, declaration)).toEqual(accepted));

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
  ])("refuses, naming %s: %j", (named, declaration) => expect(acceptHook("Any", declaration)).toContain(named));
});

test("a module is a hook by its name alone where that decides who comes in", () => {
  for (const on of ["xRestApi_Authenticate", "xRestApi_DBCreateInit_xRestApiUserProvider"])
    expect(guardingHook(on)).toEqual({ on, classes: [], byDefault: false });
  for (const name of ["xRestApi_FindObjects", "beforeSave", "__proto__", ""])
    expect(guardingHook(name)).toBeUndefined();
});
