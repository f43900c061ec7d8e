import { type AttributeDefinition, type ClassDefinition, DeleteObject, type DeleteObjectInput, type NewObject, type ObjectId, RestoreObject, seesAll, type SessionContext, type StoredObject } from "../src/index.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { sessionContext } from "./session-context.ts";

const everything = ["read", "create", "write", "delete"] as const;
const rights = [{ group: "A1", permissions: everything }, { group: "B2", permissions: ["read", "write", "create"] }] as const;
const classes: ClassDefinition[] = [
  {
    name: "Thing",
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Size", type: "number" },
      { name: "Near", type: "reference" },
      { name: "All", type: "collection" },
      { name: "Kept", type: "reference", onDelete: "refuse" },
      { name: "Crew", type: "collection" },
      { name: "Owner", type: "reference", onDelete: "cascade" },
      { name: "Owners", type: "collection", onDelete: "cascade" },
    ],
    rights,
  },
  { name: "Strict", base: "Thing", attributes: [{ name: "Needed", type: "reference", mandatory: true }, { name: "Parts", type: "collection", mandatory: true }], rights },
  // The same name with another rule.
  { name: "Other", base: null, attributes: [{ name: "Name", type: "string" }, { name: "Kept", type: "reference" }, { name: "Near", type: "reference", onDelete: "cascade" }], rights },
  { name: "Foreign", base: null, attributes: [{ name: "Name", type: "string" }, { name: "Owner", type: "reference", onDelete: "cascade" }], rights: [] },
];

describe("deleting objects", () => {
  let fixture: Fixture;
  let context: SessionContext;
  const [remove, restore] = [new DeleteObject(), new RestoreObject()];
  const gone = (code: number) => expect.objectContaining({ code });

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(...classes);
    context = await sessionContext(fixture, { groups: ["A1"] });
  });

  /** Creates an object that points to others by these attributes. */
  const create = async (links: Readonly<Record<string, ObjectId | readonly ObjectId[]>> = {}, more: Partial<NewObject> = {}): Promise<ObjectId> => {
    const object = { className: "Thing", attributes: { Name: "thing", ...links }, links: Object.fromEntries(Object.entries(links).map(([name, ids]) => [name, [ids].flat()])), ...more };
    return (await fixture.insert(object))[0] as ObjectId;
  };
  const deleteIn = (as: SessionContext, id: ObjectId, input: Partial<DeleteObjectInput> = {}) => remove.run(as, { kind: "id", id }, { recycled: false, expectedVersions: null, ...input });
  const deleted = (id: ObjectId, input?: Partial<DeleteObjectInput>) => deleteIn(context, id, input);
  const recycled = (id: ObjectId) => deleted(id, { recycled: true });
  const restored = (id: ObjectId) => restore.run(context, { kind: "id", id });
  const live = async (...ids: ObjectId[]) => (await fixture.r.objects.get(ids, seesAll)).map(({ id }) => id).toSorted();
  const read = async (id: ObjectId) => (await fixture.r.objects.get([id], seesAll))[0] as StoredObject;
  const leftOf = async (id: ObjectId) => (await fixture.r.departures.find({ kind: "id", id }, seesAll))?.kind;

  test("clears what points to an object for good, and leaves it where the object can return", async () => {
    const [gone1, stays] = [await create(), await create()];
    const source = await create({ Near: gone1, All: [stays, gone1], Crew: [gone1] });
    await recycled(gone1);
    expect(await read(source)).toMatchObject({ version: 1, attributes: { Near: gone1, All: [stays, gone1], Crew: [gone1] } });
    await restored(gone1);
    await deleted(gone1);
    expect(await read(source)).toMatchObject({ version: 2, attributes: { Name: "thing", Near: null, All: [stays], Crew: [] } });
    expect([await live(gone1, stays), await leftOf(gone1)]).toEqual([[stays], "deleted"]);
  });

  test("clears what points to an object beside what is in the recycler", async () => {
    const [one, other] = [await create(), await create()];
    const source = await create({ All: [one, other] });
    await recycled(one);
    await deleted(other);
    expect((await read(source)).attributes).toMatchObject({ All: [one] });
    await restored(one);
    expect(await fixture.r.departures.referrers([one], { attributes: null, limit: 9 })).toHaveLength(1);
  });

  test.each([["Strict", "Needed"], ["Thing", "Kept"]])("refuses to delete what %s.%s points to, for good and not", async (className, name) => {
    const id = await create();
    const source = await create({ [name]: id }, { className });
    for (const input of [{ recycled: true }, { recycled: false }]) {
      await expect(deleted(id, input)).rejects.toEqual(expect.objectContaining({ code: 718, detail: `An object of the class ${className} needs it as ${name}.` }));
    }
    expect(await live(id, source)).toEqual([id, source]);
    await deleted(source);
    await deleted(id);
    expect(await live(id, source)).toEqual([]);
  });

  test("looks at the rule of the class, not of another with an attribute of the same name", async () => {
    const id = await create();
    const other = await create({ Kept: id }, { className: "Other" });
    await recycled(id);
    expect((await read(other)).attributes["Kept"]).toBe(id);
    await restored(id);
    await deleted(id);
    expect((await read(other)).attributes["Kept"]).toBeNull();
  });

  test.each([true, false])("takes along what belongs to an object, and what belongs to that (recycled: %s)", async (intoRecycler) => {
    const root = await create();
    const [child, foreign] = [await create({ Owner: root }), await create({ Owner: root }, { className: "Foreign", readers: [] })];
    const [grandchild, shared] = [await create({ Owners: [child] }), await create({ Owners: [child, foreign], Near: root })];
    const bystander = await create({ Near: grandchild });
    await deleted(root, { recycled: intoRecycler });
    const going = [root, child, foreign, grandchild, shared];
    expect(await live(...going, bystander)).toEqual([bystander]);
    expect((await read(bystander)).attributes["Near"]).toBe(intoRecycler ? grandchild : null);
    for (const id of going) expect(await leftOf(id)).toBe(intoRecycler ? "recycled" : "deleted");
    if (!intoRecycler) return;
    const { object, version } = await restored(shared);
    expect([object["~ObjectID"], version]).toEqual([shared, 3]);
    expect(await live(...going)).toEqual(going.toSorted());
    expect((await read(shared)).attributes).toMatchObject({ Owners: [child, foreign], Near: root });
    await deleted(root);
    expect(await live(...going)).toEqual([]);
  });

  test("ends where objects belong to one another, or to themselves", async () => {
    const [one, other] = [await create(), await create()];
    const by = { session: null };
    await fixture.r.objects.update([{ id: one, attributes: { Owner: other, Kept: one }, links: { Owner: [other], Kept: [one] }, expectedVersions: null }], by);
    await fixture.r.objects.update([{ id: other, attributes: { Owner: one, Kept: one }, links: { Owner: [one], Kept: [one] }, expectedVersions: null }], by);
    await deleted(other);
    expect(await live(one, other)).toEqual([]);
  });

  test("lets an object go that is needed only by what goes with it, from whichever side that is found", async () => {
    const root = await create();
    const first = await create({ Owner: root });
    await create({ Owner: first, Kept: root });
    await create({ Owner: root, Kept: first });
    await deleted(root);
    expect(await live(root, first)).toEqual([]);
  });

  test("refuses all when something that would go with it is needed", async () => {
    const root = await create();
    const child = await create({ Owner: root });
    const keeper = await create({ Kept: child, Near: root });
    await expect(deleted(root)).rejects.toEqual(gone(718));
    expect(await live(root, child, keeper)).toEqual([root, child, keeper]);
    expect(await read(keeper)).toMatchObject({ version: 1 });
  });

  test("refuses when another session has locked it, or what goes or changes with it", async () => {
    const { r, context: asked } = fixture;
    const root = await create();
    const [child, losing] = [await create({ Owner: root }), await create({ Near: root })];
    const policy = { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0 };
    for (const digest of ["a".repeat(64), context.sessionDigest]) {
      await r.sessions.open({ digest, mode: "session", appKeyId: asked.appKey.id, userId: "ZZZ", secretVersion: 1, appNames: [], deviceId: null }, policy);
    }
    for (const id of [root, child, losing]) {
      expect(await r.locks.take(id, "a".repeat(64))).toBe("taken");
      await expect(deleted(id)).rejects.toEqual(gone(718));
      await expect(deleted(root)).rejects.toEqual(gone(718));
      await r.locks.release(id, null);
    }
    // What can return takes nothing from those who point to it.
    await r.locks.take(losing, "a".repeat(64));
    await recycled(root);
    await restored(root);
    await r.locks.release(losing, null);
    for (const id of [root, child, losing]) expect(await r.locks.take(id, context.sessionDigest)).toBe("taken");
    await deleted(root);
    expect(await live(root, child, losing)).toEqual([losing]);
  });

  test("refuses to take more than 10,000 objects or references along", async () => {
    const [root, other] = [await create(), await create()];
    const belongs = (owner: ObjectId) => ({ className: "Thing", attributes: { Owner: owner }, links: { Owner: [owner] } });
    await fixture.insert(...Array.from({ length: 9_999 }, () => belongs(root)));
    await fixture.insert(...Array.from({ length: 10_001 }, () => ({ className: "Thing", attributes: { Near: other }, links: { Near: [other] } })));
    await expect(deleted(other)).rejects.toEqual(gone(718));
    await recycled(other);
    await deleted(root);
    expect(await fixture.r.objects.count({ classes: ["Thing"] }, seesAll)).toBe(10_001);
    const next = await create();
    await fixture.insert(...Array.from({ length: 10_000 }, () => belongs(next)));
    await expect(recycled(next)).rejects.toEqual(gone(718));
  }, 30_000);

  test("asks whether the object is there, then for the right, then for the version", async () => {
    const [id, hidden] = [await create(), await create({}, { readers: ["XYZ"] })];
    const [foreign] = await fixture.insert({ className: "Foreign", attributes: {} });
    const writer = await sessionContext(fixture, { groups: ["B2"] });
    for (const each of [hidden, foreign as ObjectId, "ZZZZ"]) {
      await expect(deleted(each, { expectedVersions: [7] })).rejects.toEqual(gone(304));
      await expect(restored(each)).rejects.toEqual(gone(304));
    }
    for (const expectedVersions of [null, [7]]) await expect(deleteIn(writer, id, { expectedVersions })).rejects.toEqual(gone(404));
    for (const expectedVersions of [[7], [2, 3], []]) await expect(deleted(id, { expectedVersions })).rejects.toEqual(gone(713));
    await expect(restore.run(writer, { kind: "id", id })).rejects.toEqual(gone(404));
    await expect(restored(id)).rejects.toEqual(gone(307));

    await deleted(id, { expectedVersions: [7, 1], recycled: true });
    for (const as of [context, writer]) await expect(deleteIn(as, id, { expectedVersions: [7] })).rejects.toEqual(gone(609));
    await expect(restore.run(writer, { kind: "id", id })).rejects.toEqual(gone(404));
    await expect(restored(id)).resolves.toMatchObject({ version: 3 });
    await deleted(id);
    for (const again of [() => deleted(id), () => restored(id), () => deleted(id, { recycled: true })]) await expect(again()).rejects.toEqual(gone(609));
    const uuid = (await fixture.r.departures.find({ kind: "id", id }, seesAll))?.uuid ?? "";
    await expect(remove.run(context, { kind: "uuid", uuid }, { recycled: false, expectedVersions: null })).rejects.toEqual(gone(609));

    // What could not be seen is not known to have been there.
    const administrator = await sessionContext(fixture, { administrator: true });
    await deleteIn(administrator, hidden, { recycled: true });
    await expect(deleted(hidden)).rejects.toEqual(gone(304));
    await expect(restored(hidden)).rejects.toEqual(gone(304));
    await expect(restore.run(administrator, { kind: "id", id: hidden })).resolves.toMatchObject({ version: 3 });
  });

  test("brings back without what is gone for good, and with what can still return", async () => {
    const [deletedOne, recycledOne, liveOne] = [await create(), await create(), await create()];
    const all = [deletedOne, recycledOne, liveOne];
    const source = await create({ Near: deletedOne, Owner: recycledOne, Kept: liveOne, All: all, Crew: [deletedOne] }, {});
    await recycled(source);
    await deleted(deletedOne);
    await recycled(recycledOne);
    const { object } = await restored(source);
    expect(object).toMatchObject({ Near: null, Owner: null, Kept: { "~ObjectID": liveOne }, All: { "~Count": 1 } });
    expect((await read(source)).attributes).toEqual({ Name: "thing", Near: null, Owner: recycledOne, Kept: liveOne, All: [recycledOne, liveOne], Crew: [] });
    await expect(deleted(liveOne)).rejects.toEqual(gone(718));
    await restored(recycledOne);
    await deleted(recycledOne);
    expect(await live(source)).toEqual([]);
  });

  describe("when the model has changed meanwhile", () => {
    const [thing, ...others] = classes as [ClassDefinition, ...ClassDefinition[]];
    const defineWith = async (changed: Partial<Record<string, Partial<AttributeDefinition> | null>>, more: readonly AttributeDefinition[] = []) => {
      const kept = thing.attributes.filter(({ name }) => changed[name] !== null).map((attribute) => ({ ...attribute, ...changed[attribute.name] }));
      await fixture.define({ ...thing, attributes: [...kept, ...more] }, ...others);
      context = await sessionContext(fixture, { groups: ["A1"] });
    };
    const refused = (detail: string) => expect.objectContaining({ code: 307, detail: `An object of the class Thing does not fit: ${detail}.` });

    test.each<[string, string, Parameters<typeof defineWith>]>([
      ["an attribute is gone", "there is no attribute Size any more", [{ Size: null }]],
      ["an attribute has another type", "Name is not made for the value that it had", [{ Name: { type: "number" } }]],
      ["a text would be a date of another form", "Date is not made for the value that it had", [{ Date: { type: "date" } }]],
      ["a text would be a reference", "Name is not made for the value that it had", [{ Name: { type: "reference" } }]],
      ["a list would be a collection", "Any is not made for the value that it had", [{ Any: { type: "collection" } }]],
      ["a reference would be a collection", "Near is not made for the value that it had", [{ Near: { type: "collection" } }]],
      ["a reference is made for another class", "Near is not made for the value that it had", [{ Near: { target: "Other" } }]],
      ["a collection is made for another class", "All is not made for the value that it had", [{ All: { target: "Other" } }]],
      ["an attribute is mandatory", "Kept is mandatory, and has no value", [{ Kept: { mandatory: true } }]],
      ["a new attribute is mandatory", "New is mandatory, and has no value", [{}, [{ name: "New", type: "string", mandatory: true }]]],
    ])("leaves an object in the recycler that does not fit: %s", async (_, detail, changes) => {
      await defineWith({}, [{ name: "Date", type: "string" }, { name: "Any", type: "json" }]);
      const target = await create();
      const attributes = { Name: "THING", Date: "2026-01-31T10:00+02:00", Size: 7, Any: ["A1"], Near: target, All: [target], Other: null };
      const [id] = (await fixture.insert({ className: "Thing", attributes, links: { Near: [target], All: [target] } })) as [ObjectId];
      await recycled(id);
      const before = [{ name: "Date", type: "string" }, { name: "Any", type: "json" }] as const;
      const [changed, more = []] = changes;
      const extra = before.map((attribute) => ({ ...attribute, ...changed[attribute.name] }));
      await defineWith(changed, [...extra, ...more]);
      await expect(restored(id)).rejects.toEqual(refused(detail));
      expect([await leftOf(id), await live(id)]).toEqual(["recycled", []]);
      await defineWith({}, before);
      await restored(id);
      expect((await read(id)).attributes).toEqual(attributes);
    });

    test("brings back what has become more than it was", async () => {
      const target = await create();
      const [id] = (await fixture.insert({ className: "Thing", attributes: { Name: "thing", Near: target, Old: null }, links: { Near: [target] } })) as [ObjectId];
      await recycled(id);
      await defineWith({ Name: { type: "json" }, Near: { target: "Thing" }, Size: null }, [{ name: "New", type: "string" }]);
      await restored(id);
      expect((await read(id)).attributes).toEqual({ Name: "thing", Near: target, Old: null });
    });

    test("leaves an object in the recycler that lacks a reference by now", async () => {
      const target = await create();
      const id = await create({ Needed: target, Parts: [target] }, { className: "Strict" });
      await recycled(id);
      await deleted(target);
      await expect(restored(id)).rejects.toEqual(expect.objectContaining({ code: 307, detail: "An object of the class Strict does not fit: Needed is mandatory, and has no value." }));
      expect(await leftOf(id)).toBe("recycled");
    });

    test("leaves all in the recycler when one does not fit, and does not name what the caller does not see", async () => {
      const root = await create();
      const child = await create({ Owner: root }, { attributes: { Owner: root, Size: 7 }, readers: ["XYZ"] });
      await recycled(root);
      await defineWith({ Size: null });
      await expect(restored(root)).rejects.toEqual(expect.objectContaining({ code: 307, detail: "An object that would return with it does not fit its class." }));
      const administrator = await sessionContext(fixture, { administrator: true });
      await expect(restore.run(administrator, { kind: "id", id: root })).rejects.toEqual(refused("there is no attribute Size any more"));
      expect([await leftOf(root), await leftOf(child)]).toEqual(["recycled", "recycled"]);
    });

    test("leaves an object in the recycler that is pointed to by what is no longer made for its class", async () => {
      const id = await create({}, { className: "Other" });
      const source = await create({ Near: id });
      await recycled(id);
      await defineWith({ Near: { target: "Thing" } });
      await expect(restored(id)).rejects.toEqual(expect.objectContaining({ code: 307, detail: "Something points to it by an attribute, which is no longer made for its class." }));
      const administrator = await sessionContext(fixture, { administrator: true });
      await expect(restore.run(administrator, { kind: "id", id })).rejects.toEqual(expect.objectContaining({ code: 307, detail: "Something points to it by Thing.Near, which is no longer made for its class." }));
      await deleted(source);
      await restored(id);
    });
  });

  test("removes the account of a user and ends his sessions, and leaves others theirs", async () => {
    const { r, context: asked } = fixture;
    const [user, other] = (await fixture.insert({ className: "User", attributes: { Name: "user" } }, { className: "User", attributes: { Name: "other" } })) as [ObjectId, ObjectId];
    for (const [userId, loginName] of [[user, "user"], [other, "other"]] as const) {
      await r.accounts.create({ userId, loginName, secret: "", administrator: false }, loginName);
      await r.sessions.open(
        { digest: userId.padStart(64, "0").toLowerCase(), mode: "session", appKeyId: asked.appKey.id, userId, secretVersion: 1, appNames: [], deviceId: null },
        { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0 },
      );
    }
    const administrator = await sessionContext(fixture, { administrator: true });
    await deleteIn(administrator, user, { recycled: true });
    expect((await r.accounts.list(null, 9)).map(({ userId }) => userId)).toEqual([other]);
    expect(await r.sessions.count()).toBe(1);
    await restore.run(administrator, { kind: "id", id: user });
    expect((await r.accounts.list(null, 9)).map(({ userId }) => userId)).toEqual([other]);
    await deleteIn(administrator, user);
    expect(await leftOf(user)).toBe("deleted");
  });

  test("leaves users to administrators, also those that would go with something else", async () => {
    const { accounts } = fixture.r;
    await fixture.define({ name: "Guest", base: "User", attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }], rights });
    const thing = await create();
    const guest = await create({ Host: thing }, { className: "Guest" });
    await accounts.create({ userId: guest, loginName: "guest", secret: "", administrator: true }, "guest");
    for (const id of [guest, thing]) {
      for (const bin of [false, true]) await expect(deleted(id, { recycled: bin })).rejects.toEqual(gone(404));
    }
    expect(await live(guest, thing)).toEqual([guest, thing].toSorted());
    expect((await accounts.forProof("guest", [])).account?.userId).toBe(guest);
  });

  test("lets nobody delete himself or the last administrator, also not with something else", async () => {
    const { r } = fixture;
    await fixture.define({ name: "Guest", base: "User", attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }], rights: [] });
    const thing = await create();
    const [self, last] = (await fixture.insert(
      { className: "User", attributes: { Name: "self" } },
      { className: "Guest", attributes: { Name: "last", Host: thing }, links: { Host: [thing] } },
    )) as [ObjectId, ObjectId];
    await r.accounts.create({ userId: last, loginName: "last", secret: "", administrator: true }, "last");
    const administrator = await sessionContext(fixture, { administrator: true, userId: self });
    await expect(deleteIn(administrator, self)).rejects.toEqual(expect.objectContaining({ code: 718, detail: "Nobody deletes himself." }));
    for (const id of [last, thing]) {
      await expect(deleteIn(administrator, id, { recycled: true })).rejects.toEqual(expect.objectContaining({ code: 718, detail: "The last administrator cannot be deleted." }));
    }
    expect(await live(self, last, thing)).toHaveLength(3);
    await r.accounts.create({ userId: self, loginName: "self", secret: "", administrator: true }, "self");
    await deleteIn(administrator, thing);
    expect(await live(self, last, thing)).toEqual([self]);
  });
});
