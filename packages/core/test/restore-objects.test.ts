import type { AttributeDefinition, ClassDefinition, ObjectId } from "../src/index.ts";
import { departureFixture, departureClasses } from "./departure-fixture.ts";
import { sessionContext } from "./session-context.ts";

describe("restoring objects", () => {
  const at = departureFixture();
  const { create, deleted, recycled, restored, live, read, leftOf, restore, gone } = at;

  test("brings back without what is gone for good, and with what can still return", async () => {
    const [deletedOne, recycledOne, liveOne] = [await create(), await create(), await create()];
    const all = [deletedOne, recycledOne, liveOne];
    const source = await create(
      { Near: deletedOne, Owner: recycledOne, Kept: liveOne, All: all, Crew: [deletedOne] },
      {},
    );
    await recycled(source);
    await deleted(deletedOne);
    await recycled(recycledOne);
    const { object } = await restored(source);
    expect(object).toMatchObject({ Near: null, Owner: null, Kept: { "~ObjectID": liveOne }, All: { "~Count": 1 } });
    expect((await read(source)).attributes).toEqual({
      Name: "thing",
      Near: null,
      Owner: recycledOne,
      Kept: liveOne,
      All: [recycledOne, liveOne],
      Crew: [],
    });
    await expect(deleted(liveOne)).rejects.toEqual(gone(718));
    await restored(recycledOne);
    await deleted(recycledOne);
    expect(await live(source)).toEqual([]);
  });

  describe("when the model has changed meanwhile", () => {
    const [thing, ...others] = departureClasses as [ClassDefinition, ...ClassDefinition[]];
    const defineWith = async (
      changed: Partial<Record<string, Partial<AttributeDefinition> | null>>,
      more: readonly AttributeDefinition[] = [],
    ) => {
      const kept = thing.attributes
        .filter(({ name }) => changed[name] !== null)
        .map((attribute) => ({ ...attribute, ...changed[attribute.name] }));
      await at.fixture.define({ ...thing, attributes: [...kept, ...more] }, ...others);
      at.context = await sessionContext(at.fixture, { groups: ["A1"] });
    };
    const refused = (detail: string) =>
      expect.objectContaining({ code: 307, detail: `An object of the class Thing does not fit: ${detail}.` });

    const unnamed = expect.objectContaining({
      code: 307,
      detail: "An object of the class Thing does not fit its class as that is now.",
    });

    test.each<[string, string | null, Parameters<typeof defineWith>]>([
      ["an attribute is gone", null, [{ Size: null }]],
      [
        "an attribute that the caller may not read has another type",
        null,
        [{ Name: { type: "number", read: ["B2"] } }],
      ],
      [
        "an attribute that the caller may read has another type",
        "Name is not made for the value that it had",
        [{ Name: { type: "number", read: ["A1"] } }],
      ],
      ["an attribute has another type", "Name is not made for the value that it had", [{ Name: { type: "number" } }]],
      [
        "a text would be a date of another form",
        "Date is not made for the value that it had",
        [{ Date: { type: "date" } }],
      ],
      ["a text would be a reference", "Name is not made for the value that it had", [{ Name: { type: "reference" } }]],
      ["a list would be a collection", "Any is not made for the value that it had", [{ Any: { type: "collection" } }]],
      [
        "a reference would be a collection",
        "Near is not made for the value that it had",
        [{ Near: { type: "collection" } }],
      ],
      [
        "a reference is made for another class",
        "Near is not made for the value that it had",
        [{ Near: { target: "Other" } }],
      ],
      [
        "a collection is made for another class",
        "All is not made for the value that it had",
        [{ All: { target: "Other" } }],
      ],
      ["an attribute is mandatory", "Kept is mandatory, and has no value", [{ Kept: { mandatory: true } }]],
      [
        "a new attribute is mandatory",
        "New is mandatory, and has no value",
        [{}, [{ name: "New", type: "string", mandatory: true }]],
      ],
    ])("leaves an object in the recycler that does not fit: %s", async (_, detail, changes) => {
      await defineWith({}, [
        { name: "Date", type: "string" },
        { name: "Any", type: "json" },
      ]);
      const target = await create();
      const attributes = {
        Name: "THING",
        Date: "2026-01-31T10:00+02:00",
        Size: 7,
        Any: ["A1"],
        Near: target,
        All: [target],
        Other: null,
      };
      const [id] = (await at.fixture.insert({
        className: "Thing",
        attributes,
        links: { Near: [target], All: [target] },
      })) as [ObjectId];
      await recycled(id);
      const before = [
        { name: "Date", type: "string" },
        { name: "Any", type: "json" },
      ] as const;
      const [changed, more = []] = changes;
      const extra = before.map((attribute) => ({ ...attribute, ...changed[attribute.name] }));
      await defineWith(changed, [...extra, ...more]);
      await expect(restored(id)).rejects.toEqual(detail === null ? unnamed : refused(detail));
      expect([await leftOf(id), await live(id)]).toEqual(["recycled", []]);
      await defineWith({}, before);
      await restored(id);
      expect((await read(id)).attributes).toEqual(attributes);
    });

    test("brings back what has become more than it was", async () => {
      const target = await create();
      const [id] = (await at.fixture.insert({
        className: "Thing",
        attributes: { Name: "thing", Near: target, Old: null },
        links: { Near: [target] },
      })) as [ObjectId];
      await recycled(id);
      await defineWith({ Name: { type: "json" }, Near: { target: "Thing" }, Size: null }, [
        { name: "New", type: "string" },
      ]);
      await restored(id);
      expect((await read(id)).attributes).toEqual({ Name: "thing", Near: target, Old: null });
    });

    test("leaves an object in the recycler that lacks a reference by now", async () => {
      const target = await create();
      const id = await create({ Needed: target, Parts: [target] }, { className: "Strict" });
      await recycled(id);
      await deleted(target);
      await expect(restored(id)).rejects.toEqual(
        expect.objectContaining({
          code: 307,
          detail: "An object of the class Strict does not fit: Needed is mandatory, and has no value.",
        }),
      );
      expect(await leftOf(id)).toBe("recycled");
    });

    test("leaves all in the recycler when one does not fit, and does not name what the caller does not see", async () => {
      const root = await create();
      const child = await create({ Owner: root }, { attributes: { Owner: root, Size: 7 }, readers: ["XYZ"] });
      await recycled(root);
      await defineWith({ Size: null });
      await expect(restored(root)).rejects.toEqual(
        expect.objectContaining({ code: 307, detail: "An object that would return with it does not fit its class." }),
      );
      const administrator = await sessionContext(at.fixture, { administrator: true });
      await expect(restore.run(administrator, { kind: "id", id: root })).rejects.toEqual(
        refused("there is no attribute Size any more"),
      );
      expect([await leftOf(root), await leftOf(child)]).toEqual(["recycled", "recycled"]);
    });

    test("leaves an object in the recycler that is pointed to by what is no longer made for its class", async () => {
      const id = await create({}, { className: "Other" });
      const source = await create({ Near: id });
      await recycled(id);
      await defineWith({ Near: { target: "Thing" } });
      await expect(restored(id)).rejects.toEqual(
        expect.objectContaining({
          code: 307,
          detail: "Something points to it by an attribute, which is no longer made for its class.",
        }),
      );
      const administrator = await sessionContext(at.fixture, { administrator: true });
      await expect(restore.run(administrator, { kind: "id", id })).rejects.toEqual(
        expect.objectContaining({
          code: 307,
          detail: "Something points to it by Thing.Near, which is no longer made for its class.",
        }),
      );
      await deleted(source);
      await restored(id);
    });
  });
});
