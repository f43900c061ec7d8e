import { builtInClasses, type GivenClass, initialClasses, type NamedClass, ServiceError } from "../../src/index.ts";

function named(classes: Readonly<Record<string, Partial<GivenClass>>>): NamedClass[] {
  return Object.entries(classes).map(([name, definition], index) => ({
    name,
    definition: { base: null, attributes: [], rights: [], ...definition },
    pointer: `/classes/${index}`,
  }));
}

async function faultOf(given: readonly NamedClass[]): Promise<string | undefined> {
  const error = await initialClasses(given).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as ServiceError).code).toBe(307);
  return (error as ServiceError).detail;
}

const user = builtInClasses.find(({ name }) => name === "User") as (typeof builtInClasses)[number];

describe("the classes of a new database", () => {
  test("are the built-in ones unless others are given", async () => {
    expect(await initialClasses([])).toEqual(builtInClasses);
  });

  test("point to each other and inherit in any order, and add to built-in ones", async () => {
    const boss = { name: "Boss", type: "reference", target: "Manager" } as const;
    const given = {
      Worker: { base: "Person", attributes: [boss] },
      Manager: { base: "Worker" },
      Person: { rights: [{ group: "*", permissions: ["read"] }] },
      User: { attributes: [...user.attributes, boss] },
    } as const;
    const classes = new Map((await initialClasses(named(given))).map((each) => [each.name, each]));
    expect([...classes.keys()]).toEqual([...builtInClasses.map(({ name }) => name), "Worker", "Manager", "Person"]);
    expect(classes.get("Worker")).toEqual({ name: "Worker", base: "Person", attributes: [boss], rights: [] });
    expect(classes.get("Person")?.rights).toEqual([{ group: "*", permissions: ["read"] }]);
    expect(classes.get("User")?.attributes).toEqual([...user.attributes, boss]);
  });

  test.each<[string, Readonly<Record<string, Partial<GivenClass>>>, string]>([
    ["a name that is none", { A: {} }, "at /classes/0: the name of a class"],
    [
      "a target that is nowhere",
      { Note: { attributes: [{ name: "Of", type: "reference", target: "Nothing" }] } },
      "at /classes/0/attributes/0/target: there is no such class.",
    ],
    ["a base that is nowhere", { Note: {}, Other: { base: "Nothing" } }, "at /classes/1/base: there is no such class."],
    [
      "classes that inherit from each other",
      { One: { base: "Two" }, Two: { base: "One" } },
      "at /classes/1/base: a class cannot inherit from itself.",
    ],
    [
      "a group",
      { Note: { rights: [{ group: "3", permissions: ["read"] }] } },
      "at /classes/0/rights/0/group: there is no such group.",
    ],
    [
      "a built-in class without its attributes",
      { User: {} },
      "at /classes/0/attributes: the built-in attribute Name cannot be removed.",
    ],
    [
      "two definitions of an attribute along a line",
      {
        Base: { attributes: [{ name: "Text", type: "string" }] },
        Below: { base: "Base", attributes: [{ name: "Text", type: "number" }] },
      },
      "Text in two ways.",
    ],
  ])("%s: 307 at its place", async (_what, given, detail) => {
    expect(await faultOf(named(given))).toContain(detail);
  });

  test("a class that stands there twice: 307", async () => {
    const [note] = named({ Note: {} }) as [NamedClass];
    expect(await faultOf([note, { ...note, pointer: "/classes/1" }])).toBe(
      "at /classes/1/name: another class has this name.",
    );
  });
});
