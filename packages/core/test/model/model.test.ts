import { builtInClasses, type ClassDefinition, type JsonValue, type ObjectId, ServiceError } from "@sallyport/storage";
import {
  type AttributeRequest,
  type ClassRequest,
  initialClasses,
  type NamedClass,
  removeClass,
} from "../../src/index.ts";
import { administrator, type ModelFixture, openModelFixture, outcomeOf } from "./model-fixture.ts";
import { sessionContext } from "../session-context.ts";
import { using } from "../fixture.ts";

describe("audit of model changes", () => {
  let fixture: ModelFixture;

  beforeEach(async () => {
    fixture = await openModelFixture();
  });

  const auditEvents = async () =>
    (await fixture.r.audit.read(0, 100)).map(({ type, className }) => `${type} ${className}`);

  test("records who created, changed and removed which class", async () => {
    await fixture.put("Order");
    await fixture.put("Order", { attributes: [{ name: "Number", type: "string" }] });
    await fixture.remove("Order");
    const { requestId, appKey, origin } = fixture.context;
    const common = {
      requestId,
      outcome: 0,
      appKeyId: appKey.id,
      actorId: administrator.userId,
      subjectId: null,
      address: origin.address,
      appNames: [],
      className: "Order",
      attempts: 1,
    };
    const events = await fixture.r.audit.read(0, 10);
    expect(events).toEqual(
      ["class.created", "class.changed", "class.removed"].map((type) => expect.objectContaining({ ...common, type })),
    );
  });

  test("records nothing for a refusal or without a difference", async () => {
    await fixture.put("Order");
    await fixture.put("Order");
    await fixture.insert({ className: "Order", attributes: {} });
    const nobody = { userId: "2", groups: [], administrator: false };
    const refused = [
      fixture.put("Order", { attributes: [{ name: "Number", type: "string", mandatory: true }] }),
      fixture.put("Other", {}, [1_000]),
      fixture.put("Other", {}, null, nobody),
      fixture.remove("Order"),
      fixture.remove("Nothing"),
      fixture.remove("Image", null, nobody),
    ];
    expect(await Promise.all(refused.map(outcomeOf))).not.toContain("ok");
    expect(await auditEvents()).toEqual(["class.created Order"]);
  });

  test("is committed with the change, or neither is", async () => {
    await fixture.put("Order");
    const context = await sessionContext(fixture, administrator);
    const failing = Object.assign(Object.create(fixture.database.storage) as typeof fixture.database.storage, {
      transaction: (work: Parameters<typeof fixture.database.storage.transaction>[0]) =>
        fixture.database.storage.transaction(async (r, attempt) => {
          await work(r, attempt);
          throw new Error("rolled back");
        }),
    });
    const database = Object.assign(Object.create(fixture.database) as typeof fixture.database, { storage: failing });
    const removal = removeClass(using({ ...context, database }, { indexKeeper: { begin: () => {} } }), {
      name: "Order",
      expectedGenerations: null,
    });
    await expect(removal).rejects.toThrow("rolled back");
    expect(await auditEvents()).toEqual(["class.created Order"]);
    expect((await fixture.structure()).map(({ name }) => name)).toContain("Order");
  });
});

function named(classes: Readonly<Record<string, Partial<ClassRequest>>>): NamedClass[] {
  return Object.entries(classes).map(([name, definition], index) => ({
    name,
    definition: { base: null, attributes: [], rights: [], ...definition },
    pointer: `/classes/${index}`,
  }));
}

async function faultOf(classes: readonly NamedClass[]): Promise<string | undefined> {
  const error = await initialClasses(classes).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as ServiceError).code).toBe(307);
  return (error as ServiceError).detail;
}

const user = builtInClasses.find(({ name }) => name === "User") as (typeof builtInClasses)[number];

describe("classes of a new database", () => {
  test("are the built-in ones by default", async () => {
    expect(await initialClasses([])).toEqual(builtInClasses);
  });

  test("refer to each other and inherit in any order, and extend built-in ones", async () => {
    const boss = { name: "Boss", type: "reference", target: "Manager" } as const;
    const input = {
      Worker: { base: "Person", attributes: [boss] },
      Manager: { base: "Worker" },
      Person: { rights: [{ group: "*", permissions: ["read"] }] },
      User: { attributes: [...user.attributes, boss] },
    } as const;
    const classes = new Map((await initialClasses(named(input))).map((each) => [each.name, each]));
    expect([...classes.keys()]).toEqual([...builtInClasses.map(({ name }) => name), "Worker", "Manager", "Person"]);
    expect(classes.get("Worker")).toEqual({ name: "Worker", base: "Person", attributes: [boss], rights: [] });
    expect(classes.get("Person")?.rights).toEqual([{ group: "*", permissions: ["read"] }]);
    expect(classes.get("User")?.attributes).toEqual([...user.attributes, boss]);
  });

  test.each<[string, Readonly<Record<string, Partial<ClassRequest>>>, string]>([
    ["an invalid name", { A: {} }, "at /classes/0: A class name"],
    [
      "an unknown target",
      { Note: { attributes: [{ name: "Of", type: "reference", target: "Nothing" }] } },
      "at /classes/0/attributes/0/target: There is no class with this name.",
    ],
    [
      "an unknown base",
      { Note: {}, Other: { base: "Nothing" } },
      "at /classes/1/base: There is no class with this name.",
    ],
    [
      "classes that inherit from each other",
      { One: { base: "Two" }, Two: { base: "One" } },
      "at /classes/1/base: A class cannot inherit from itself.",
    ],
    [
      "a group",
      { Note: { rights: [{ group: "3", permissions: ["read"] }] } },
      "at /classes/0/rights/0/group: There is no group with this id or UUID.",
    ],
    [
      "a built-in class without its attributes",
      { User: {} },
      "at /classes/0/attributes: The built-in attribute Name cannot be removed.",
    ],
    [
      "two definitions of an attribute in one inheritance chain",
      {
        Base: { attributes: [{ name: "Text", type: "string" }] },
        Below: { base: "Base", attributes: [{ name: "Text", type: "number" }] },
      },
      "conflicting definitions of Text.",
    ],
  ])("refuses %s with 307 at its position", async (_what, input, detail) => {
    expect(await faultOf(named(input))).toContain(detail);
  });

  test("refuses a duplicate class with 307", async () => {
    const [note] = named({ Note: {} }) as [NamedClass];
    expect(await faultOf([note, { ...note, pointer: "/classes/1" }])).toBe(
      "at /classes/1/name: Another class has this name.",
    );
  });
});

describe("incompatible changes", () => {
  const attributes: readonly AttributeRequest[] = [
    { name: "Name", type: "string" },
    { name: "Size", type: "number" },
    { name: "Any", type: "json" },
    { name: "Buyer", type: "reference", target: "Customer" },
    { name: "Team", type: "collection", target: "Customer" },
  ];
  const without = (name: string) => attributes.filter((attribute) => attribute.name !== name);
  const changed = (name: string, change: Partial<AttributeRequest>) =>
    attributes.map((attribute) => (attribute.name === name ? { ...attribute, ...change } : attribute));
  const ofClass = (
    name: string,
    base: string | null = null,
    own: readonly AttributeRequest[] = [],
  ): ClassDefinition => ({
    name,
    base,
    attributes: own as ClassDefinition["attributes"],
    rights: [],
  });

  describe("incompatible change of a class", () => {
    let fixture: ModelFixture;
    let customer: string;
    let keyCustomer: string;

    beforeEach(async () => {
      fixture = await openModelFixture();
      await fixture.define(
        ofClass("Party"),
        ofClass("Customer", "Party"),
        ofClass("KeyCustomer", "Customer"),
        ofClass("Order", null, attributes),
        ofClass("RushOrder", "Order"),
      );
      [customer, keyCustomer] = (await fixture.insert(
        { className: "Customer", attributes: {} },
        { className: "KeyCustomer", attributes: {} },
      )) as [string, string];
    });

    const order = (values: Record<string, JsonValue>, className = "Order") =>
      fixture.insert({ className, attributes: values });
    const put = (definition: Partial<ClassRequest>, name = "Order") => outcomeOf(fixture.put(name, definition));

    test("is allowed without objects", async () => {
      for (const { name } of attributes) expect(await put({ attributes: without(name) })).toBe("ok");
      expect(await put({ attributes: changed("Name", { type: "number", mandatory: true }) })).toBe("ok");
    });

    test.each<[string, JsonValue]>([
      ["Name", ""],
      ["Size", 0],
      ["Any", false],
      ["Buyer", "ZZZZZZ"],
      ["Team", []],
    ])("is refused while %s has values, in each class of the subtree", async (name, value) => {
      await order({ [name]: value });
      await order({ [name]: value }, "RushOrder");
      await order({ [name]: null });
      await order({});
      const index = attributes.findIndex((attribute) => attribute.name === name);
      const says = `2 objects have a value of ${name}.`;
      expect(await put({ attributes: without(name) })).toBe(`307 at /attributes: ${says}`);
      expect(await put({ attributes: [...without(name), { name, type: name === "Any" ? "string" : "json" }] })).toMatch(
        `307 at /attributes/4/type: ${says}`,
      );
      expect(await put({ attributes: changed(name, { indexed: !["Any", "Team"].includes(name) }) })).toBe("ok");
      expect(index).toBeGreaterThanOrEqual(0);
    });

    test("is allowed when the values are null", async () => {
      await order({ Name: null, Size: null, Any: null, Buyer: null, Team: null });
      expect(await put({ attributes: [] })).toBe("ok");
    });

    test("is refused while objects lack a new mandatory attribute", async () => {
      await order({ Name: "a", Buyer: customer, Team: [] });
      for (const className of ["Order", "RushOrder"]) await order({ Name: null, Buyer: "ZZZZZZ" }, className);
      expect(await put({ attributes: changed("Name", { mandatory: true }) })).toBe(
        "307 at /attributes/0/mandatory: 2 objects have no value of Name.",
      );
      expect(await put({ attributes: changed("Buyer", { mandatory: true }) })).toBe(
        "307 at /attributes/3/mandatory: 2 objects have no value of Buyer.",
      );
      expect(await put({ attributes: changed("Team", { mandatory: true }) })).toBe(
        "307 at /attributes/4/mandatory: 2 objects have no value of Team.",
      );
      expect(await put({ attributes: [...attributes, { name: "New", type: "string", mandatory: true }] })).toBe(
        "307 at /attributes/5/mandatory: 3 objects have no value of New.",
      );
      expect(await put({ attributes: [...attributes, { name: "New", type: "string" }] })).toBe("ok");
    });

    test("ignores what was mandatory before", async () => {
      await order({});
      await fixture.define(ofClass("Order", null, changed("Name", { mandatory: true })));
      expect(
        await put({ attributes: [...changed("Name", { mandatory: true }), { name: "New", type: "string" }] }),
      ).toBe("ok");
    });

    test("is refused while links refer to another target", async () => {
      await order({ Buyer: customer, Team: [customer] });
      for (const [name, index] of [
        ["Buyer", 3],
        ["Team", 4],
      ] as const) {
        const says = `307 at /attributes/${index}/target: 1 objects have a value of ${name}.`;
        for (const target of ["KeyCustomer", "Order"])
          expect(await put({ attributes: changed(name, { target }) })).toBe(says);
      }
      const wider = attributes.map((attribute) =>
        attribute.target === undefined ? attribute : { ...attribute, target: "Party" },
      );
      expect(await put({ attributes: wider })).toBe("ok");
    });

    test("is refused when another base would lose or lack values", async () => {
      await order({ Name: "a" }, "RushOrder");
      await fixture.define(ofClass("Strict", null, [{ name: "Must", type: "string", mandatory: true }]));
      expect(await put({ base: null }, "RushOrder")).toBe("307 at /base: 1 objects have a value of Name.");
      expect(await put({ base: "Strict", attributes }, "RushOrder")).toBe(
        "307 at /base: 1 objects have no value of Must.",
      );
      expect(await put({ base: null, attributes }, "RushOrder")).toBe("ok");
    });

    test("is refused when links would leave the subtree of their target", async () => {
      await order({ Buyer: keyCustomer });
      expect(await put({ base: "Party" }, "KeyCustomer")).toBe(
        "307 at /base: 1 objects of Order reference or may reference such objects in Buyer.",
      );
      await order({ Team: [customer] }, "RushOrder");
      await fixture.define(ofClass("Order", null, without("Buyer")));
      expect(await put({ base: "Party" }, "KeyCustomer")).toBe(
        "307 at /base: 1 objects of RushOrder reference or may reference such objects in Team.",
      );
    });

    test("may move a class out of a subtree without references to it", async () => {
      await order({ Buyer: customer, Team: [] });
      expect(await put({ base: "Party" }, "KeyCustomer")).toBe("ok");
      expect(await put({ base: "Customer" }, "KeyCustomer")).toBe("ok");
    });

    test("may remove an attribute from a class that inherits it", async () => {
      await order({ Name: "a" }, "RushOrder");
      await fixture.define(ofClass("RushOrder", "Order", [{ name: "Name", type: "string" }]));
      expect(await put({ base: "Order" }, "RushOrder")).toBe("ok");
    });
  });

  describe("removal of a class", () => {
    let fixture: ModelFixture;

    beforeEach(async () => {
      fixture = await openModelFixture();
      await fixture.define(
        ofClass("Party"),
        ofClass("Customer", "Party"),
        ofClass("Order", null, [
          { name: "Buyer", type: "reference", target: "Customer" },
          { name: "Next", type: "collection", target: "Order" },
        ]),
      );
    });

    const remove = (name: string) => outcomeOf(fixture.remove(name));

    test.each<[string, RegExp]>([
      ["Nothing", /^304$/],
      ["__proto__", /^304$/],
      ["User", /^307 A built-in class cannot be removed/],
      ["Party", /^307 .*inherit from the class: Customer\./],
      ["Customer", /^307 .*reference the class: Order\.Buyer\./],
    ])("is refused for %s", async (name, expected) => {
      const before = await fixture.generation();
      expect(await remove(name)).toMatch(expected);
      expect(await fixture.generation()).toBe(before);
    });

    test("is refused while objects of it exist", async () => {
      const ids = await fixture.insert(
        { className: "Order", attributes: {} },
        { className: "Order", attributes: {}, readers: [] },
      );
      expect(await remove("Order")).toBe("307 The class has 2 objects, 0 of them in the recycle bin.");
      const go = (id: ObjectId, recycled: boolean) =>
        fixture.database.storage.transaction((r) => r.deletion.delete([id], { recycled, root: id }));
      await go(ids[0] as ObjectId, true);
      expect(await remove("Order")).toBe("307 The class has 2 objects, 1 of them in the recycle bin.");
      await go(ids[1] as ObjectId, false);
      expect(await remove("Order")).toBe("307 The class has 1 objects, 1 of them in the recycle bin.");
    });

    test("is allowed in the right order, including self-references", async () => {
      for (const name of ["Order", "Customer", "Party"]) {
        const { generation } = await fixture.remove(name);
        expect(generation).toBe(await fixture.generation());
      }
      expect((await fixture.structure()).map(({ builtIn }) => builtIn)).not.toContain(false);
      expect(fixture.aligned).toHaveLength(3);
    });

    test("is for administrators only, and checks the generation", async () => {
      const current = await fixture.generation();
      expect(await outcomeOf(fixture.remove("Nothing", null, { userId: "2", groups: [], administrator: false }))).toBe(
        "404",
      );
      expect(await outcomeOf(fixture.remove("Order", [current + 1]))).toMatch(/^713/);
      expect(await outcomeOf(fixture.remove("Order", [current]))).toBe("ok");
    });
  });
});
