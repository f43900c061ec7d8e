import { builtInClasses } from "@sallyport/storage";
import { type AttributeRequest, type ClassRequest, alignIndexes } from "../../src/index.ts";
import { type ModelFixture, openModelFixture, outcomeOf } from "./model-fixture.ts";

const text = (name: string): AttributeRequest => ({ name, type: "string" });
const user = builtInClasses.find(({ name }) => name === "User") as (typeof builtInClasses)[number];

describe("PutClass", () => {
  let fixture: ModelFixture;

  beforeEach(async () => {
    fixture = await openModelFixture();
    await fixture.put("Party", { attributes: [text("Name")] });
    await fixture.put("Customer", { base: "Party", attributes: [text("Number")] });
    await fixture.put("KeyCustomer", { base: "Customer", attributes: [text("Since")] });
  });

  const put = (name: string, definition: Partial<ClassRequest>) => outcomeOf(fixture.put(name, definition));

  test("returns the resulting class", async () => {
    const group = await fixture.group();
    const { structure, generation } = await fixture.put("Order", {
      base: "Party",
      attributes: [
        { name: "Total", type: "number", mandatory: true, indexed: true },
        { name: "Buyer", type: "reference", target: "Customer", mandatory: true },
        { name: "Notes", type: "collection", target: "Order", mandatory: true, onDelete: "cascade" },
        { name: "Scan", type: "file" },
      ],
      rights: [
        { group: "*", permissions: ["write", "read"] },
        { group, permissions: [] },
      ],
    });
    expect(generation).toBe(await fixture.generation());
    const plain = { mandatory: false, indexed: false, inherited: false };
    expect(structure).toEqual({
      name: "Order",
      base: "Party",
      builtIn: false,
      attributes: [
        { name: "Name", type: "string", ...plain, inherited: true },
        { name: "Total", type: "number", ...plain, mandatory: true, indexed: true, indexState: "building" },
        { name: "Buyer", type: "reference", target: "Customer", ...plain, mandatory: true, onDelete: "refuse" },
        { name: "Notes", type: "collection", target: "Order", ...plain, mandatory: true, onDelete: "cascade" },
        { name: "Scan", type: "file", ...plain, onDelete: "clear" },
      ],
      permissions: ["read", "create", "write", "delete"],
      rights: [
        { group: "*", permissions: ["read", "write"] },
        { group, permissions: [] },
      ],
    });
    expect(await fixture.structure()).toContainEqual(structure);
  });

  test("takes a group by its UUID, and a deleted one if it was listed before", async () => {
    const id = await fixture.group();
    const [group] = await fixture.r.objects.get([id], { classes: null, principals: null });
    const { structure } = await fixture.put("Order", { rights: [{ group: group?.uuid ?? "", permissions: ["read"] }] });
    expect(structure.rights).toEqual([{ group: id, permissions: ["read"] }]);
    await fixture.define({
      name: "Odd",
      base: null,
      attributes: [],
      rights: [{ group: "ZZZ", permissions: ["read"] }],
    });
    expect(await put("Odd", { rights: [{ group: "ZZZ", permissions: ["write"] }] })).toBe("ok");
  });

  test("changes nothing without a difference, in any notation", async () => {
    const definition: Partial<ClassRequest> = {
      attributes: [
        { name: "A", type: "string", indexed: true },
        { name: "B", type: "number" },
      ],
    };
    await fixture.put("Order", definition);
    const before = await fixture.generation();
    await fixture.put("Order", {
      attributes: [
        { indexed: true, mandatory: false, type: "string", name: "A" },
        { name: "B", type: "number", onDelete: undefined },
      ],
    });
    expect(await fixture.generation()).toBe(before);
    await fixture.put("Order", { attributes: definition.attributes?.toReversed() ?? [] });
    expect(await fixture.generation()).toBe(before + 1);
  });

  test("requests a check of the indexes", async () => {
    const before = fixture.aligned.length;
    await fixture.put("Order");
    await outcomeOf(fixture.put("Order", { base: "Nothing" }));
    expect(fixture.aligned.slice(before)).toEqual([fixture.database]);
  });

  test("is for administrators only, for any request", async () => {
    const principal = { userId: "2", groups: [], administrator: false };
    for (const name of ["Order", "Party", "nothing at all"]) {
      expect(await outcomeOf(fixture.put(name, { base: "Nothing" }, [99], principal))).toBe("404");
    }
  });

  test("checks the expected generation before anything else", async () => {
    const current = await fixture.generation();
    expect(await outcomeOf(fixture.put("Order", { base: "Nothing" }, [current - 1]))).toMatch(/^713/);
    expect(await outcomeOf(fixture.put("Order", {}, []))).toMatch(/^713/);
    expect(await outcomeOf(fixture.put("Order", {}, [current - 1, current]))).toBe("ok");
    expect(await outcomeOf(fixture.put("Order", {}, [current]))).toMatch(/^713/);
  });

  test("loses no concurrent changes of classes", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Order${index}`);
    await Promise.all(names.map((name) => fixture.put(name)));
    expect((await fixture.structure()).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  const oneAttribute = (attribute: AttributeRequest): Partial<ClassRequest> => ({
    attributes: [text("First"), attribute],
  });
  const link = { name: "Link", type: "reference", target: "Party" } as const;
  test.each<[string, string, Partial<ClassRequest>, RegExp]>([
    ["a name without a lower-case letter", "ORDER", {}, /^307 at \/: A class name/],
    ["a name with another character", "Or-der", {}, /^307 at \/: A class name/],
    ["a name that is too long", `O${"x".repeat(63)}`, {}, /^307 at \/: A class name/],
    ["an unknown base", "Order", { base: "Nothing" }, /^307 at \/base: There is no class with/],
    ["itself as its base", "Order", { base: "Order" }, /^307 at \/base: A class cannot inherit from itself/],
    [
      "a subclass as its base",
      "Party",
      { base: "KeyCustomer", attributes: [text("Name")] },
      /^307 at \/base: A class cannot inherit from itself/,
    ],
    [
      "an attribute named with a blank",
      "Order",
      oneAttribute(text("a b")),
      /^307 at \/attributes\/1\/name: An attribute name/,
    ],
    [
      "an attribute named constructor",
      "Order",
      oneAttribute(text("constructor")),
      /^307 at \/attributes\/1\/name: An attribute name/,
    ],
    ["a duplicate attribute", "Order", oneAttribute(text("First")), /^307 at \/attributes\/1\/name: Another/],
    [
      "a reference without a target",
      "Order",
      oneAttribute({ name: "Link", type: "reference" }),
      /^307 at \/attributes\/1\/target: An attribute of type reference requires/,
    ],
    [
      "a collection of an unknown class",
      "Order",
      oneAttribute({ ...link, type: "collection", target: "Nothing" }),
      /^307 at \/attributes\/1\/target: There is no/,
    ],
    [
      "a text with a target",
      "Order",
      oneAttribute({ ...text("Link"), target: "Party" }),
      /^307 at \/attributes\/1\/target: An attribute of type string cannot have a/,
    ],
    [
      "a file with a target",
      "Order",
      oneAttribute({ name: "Link", type: "file", target: "File" }),
      /^307 at \/attributes\/1\/target: An attribute of type file cannot have a/,
    ],
    [
      "an index over JSON",
      "Order",
      oneAttribute({ name: "Any", type: "json", indexed: true }),
      /^307 at \/attributes\/1\/indexed: An attribute of type json/,
    ],
    [
      "an index over a collection",
      "Order",
      oneAttribute({ ...link, type: "collection", indexed: true }),
      /^307 at \/attributes\/1\/indexed: An attribute of type collection/,
    ],
    [
      "a deletion rule for a text",
      "Order",
      oneAttribute({ ...text("Link"), onDelete: "clear" }),
      /^307 at \/attributes\/1\/onDelete: An attribute of type string/,
    ],
    [
      "a mandatory reference that is cleared",
      "Order",
      oneAttribute({ ...link, mandatory: true, onDelete: "clear" }),
      /^307 at \/attributes\/1\/onDelete: A mandatory attribute/,
    ],
    [
      "an inherited attribute with another definition",
      "Order",
      { base: "Customer", attributes: [text("More"), { name: "Name", type: "number" }] },
      /^307 at \/attributes\/1\/name: Party and Order have conflicting definitions of Name/,
    ],
    [
      "an attribute that a subclass defines differently",
      "Party",
      { attributes: [text("Name"), { ...text("Since"), mandatory: true }] },
      /^307 at \/attributes\/1\/name: Party and KeyCustomer have conflicting definitions of Since/,
    ],
    [
      "a base that defines an attribute of a subclass differently",
      "Customer",
      { base: "Odd", attributes: [text("Number")] },
      /^307 at \/base: Odd and KeyCustomer have conflicting definitions of Since/,
    ],
    [
      "an unknown group",
      "Order",
      { rights: [{ group: "ZZZ", permissions: [] }] },
      /^307 at \/rights\/0\/group: There is no/,
    ],
    [
      "a group by its name",
      "Order",
      { rights: [{ group: "Sales", permissions: [] }] },
      /^307 at \/rights\/0\/group: There is no/,
    ],
    [
      "everyone twice",
      "Order",
      {
        rights: [
          { group: "*", permissions: ["read"] },
          { group: "*", permissions: [] },
        ],
      },
      /^307 at \/rights\/1\/group: .* twice/,
    ],
    ["a built-in class with a base", "User", { ...user, base: "Party" }, /^307 at \/base: The base of a built-in/],
    [
      "a built-in class without one of its attributes",
      "User",
      { attributes: user.attributes.slice(1) },
      /^307 at \/attributes: The built-in attribute Name/,
    ],
    [
      "a built-in attribute of another type",
      "User",
      { attributes: [{ name: "Name", type: "number", mandatory: true }, ...user.attributes.slice(1)] },
      /^307 at \/attributes\/0: The members type, target and mandatory of a built-in/,
    ],
    [
      "a built-in mandatory attribute that is optional",
      "User",
      { attributes: [text("Name"), ...user.attributes.slice(1)] },
      /^307 at \/attributes\/0: The members type, target and mandatory of a built-in/,
    ],
    [
      "more attributes than a body may have",
      "Order",
      { attributes: Array.from({ length: 501 }, (_, index) => text(`A${index}`)) },
      /^307 at \/attributes: The class Order would have more than 500/,
    ],
    [
      "more indexes than a database may have",
      "Order",
      { attributes: Array.from({ length: 201 }, (_, index) => ({ ...text(`A${index}`), indexed: true })) },
      /^307 at \/attributes: A model can have at most 200/,
    ],
  ])("refuses %s", async (_what, name, definition, expected) => {
    await fixture.define({ name: "Odd", base: null, attributes: [{ name: "Since", type: "date" }], rights: [] });
    const before = await fixture.generation();
    expect(await put(name, definition)).toMatch(expected);
    expect(await fixture.generation()).toBe(before);
  });

  test("refuses a group that is another object", async () => {
    const [id] = await fixture.insert({ className: "File", attributes: { Name: "plan" } });
    expect(await put("Order", { rights: [{ group: id as string, permissions: [] }] })).toMatch(
      /^307 at \/rights\/0\/group: There is no/,
    );
  });

  test("refuses an inheritance chain that is too long", async () => {
    for (let depth = 1; depth <= 20; depth += 1)
      await fixture.put(`Level${depth}`, { base: depth === 1 ? null : `Level${depth - 1}` });
    expect(await put("Level21", { base: "Level20" })).toMatch(
      /^307 at \/base: The inheritance chain of Level21 would have more than 20/,
    );
    expect(await put("Level1", { base: "Party" })).toMatch(
      /^307 at \/base: The inheritance chain of Level20 would have more than 20/,
    );
  });

  test("lets a built-in class of an older release stay without newer attributes, until it has them", async () => {
    const name = { name: "Name", type: "string", mandatory: true } as const;
    const older = { attributes: [name, { name: "Content", type: "file" } as const] };
    await fixture.define({ name: "File", base: null, ...older, rights: [] });
    expect(await put("File", older)).toBe("ok");
    const newer = { attributes: [...older.attributes, { name: "Size", type: "number" } as const] };
    expect(await put("File", newer)).toBe("ok");
    expect(await put("File", older)).toMatch(/^307 at \/attributes: The built-in attribute Size/);
  });

  test("lets an attribute move to a base class, and a built-in class grow", async () => {
    expect(await put("Party", { attributes: [text("Name"), text("Number")] })).toBe("ok");
    expect(await put("Customer", { base: "Party" })).toBe("ok");
    const { structure } = await fixture.put("User", {
      attributes: [{ ...text("Name"), mandatory: true, indexed: true }, ...user.attributes.slice(1), text("Phone")],
      rights: [{ group: "*", permissions: ["read"] }],
    });
    expect(structure).toMatchObject({ builtIn: true, rights: [{ group: "*", permissions: ["read"] }] });
  });
});

describe("ReadStructure", () => {
  let fixture: ModelFixture;
  let group: string;
  beforeEach(async () => {
    fixture = await openModelFixture();
    group = await fixture.group();
    await fixture.put("Secret", { attributes: [{ name: "Hidden", type: "string" }] });
    await fixture.put("Order", {
      base: "Secret",
      attributes: [
        { name: "Of", type: "reference", target: "Secret" },
        { name: "Next", type: "reference", target: "Order" },
      ],
      rights: [
        { group: "*", permissions: ["read"] },
        { group, permissions: ["create", "write"] },
      ],
    });
    await fixture.put("Inbox", { rights: [{ group: "*", permissions: ["create"] }] });
  });

  const principal = (...groups: string[]) => ({ userId: "2", groups, administrator: false });

  test("shows the caller's readable attributes and own permissions, without the rights of others", async () => {
    const [order, ...others] = await fixture.structure(principal());
    expect(others).toEqual([]);
    expect(order).toMatchObject({ name: "Order", permissions: ["read"] });
    expect(order).not.toHaveProperty("rights");
    expect((await fixture.structure(principal(group)))[0]?.permissions).toEqual(["read", "create", "write"]);
  });

  test("omits classes that the caller may not read", async () => {
    const [order] = await fixture.structure(principal());
    expect(order).toMatchObject({
      base: null,
      attributes: [
        { name: "Hidden", inherited: true },
        { name: "Of", target: null },
        { name: "Next", target: "Order" },
      ],
    });
    expect(JSON.stringify(order)).not.toContain("Secret");
  });

  test("reports an index as ready when lists of the whole subtree use it", async () => {
    const attributes = [{ name: "Total", type: "number", indexed: true }] as const;
    await fixture.put("Base", { attributes });
    await fixture.put("Below", { base: "Base" });
    const stateOf = async (name: string) =>
      (await fixture.structure()).find((each) => each.name === name)?.attributes[0]?.indexState;
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["building", "building"]);
    const { storage } = fixture.database;
    await storage.alignIndexes([{ className: "Base", attribute: "Total", type: "number" }]);
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["building", "building"]);
    await storage.alignIndexes([{ className: "Below", attribute: "Total", type: "number" }]);
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["building", "ready"]);
    expect(await alignIndexes(storage)).toEqual({
      built: [{ className: "Base", attribute: "Total", type: "number" }],
      removed: 0,
      left: [],
    });
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["ready", "ready"]);
  });

  test("shows an administrator everything", async () => {
    const classes = await fixture.structure();
    expect(classes.map(({ name }) => name)).toEqual([
      "User",
      "UserGroup",
      "Image",
      "File",
      "xRestApiUserProvider",
      "Secret",
      "Order",
      "Inbox",
    ]);
    expect(classes.find(({ name }) => name === "Order")).toMatchObject({
      base: "Secret",
      rights: [{ group: "*" }, { group }],
      permissions: ["read", "create", "write", "delete"],
    });
  });
});
