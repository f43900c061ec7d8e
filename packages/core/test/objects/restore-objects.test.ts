import {
  type AttributeDefinition,
  type ClassDefinition,
  type ObjectId,
  passwordAuthentication,
} from "@sallyport/storage";
import { restoreObject, type ObjectContext } from "../../src/index.ts";
import { deletionClasses, deletionFixture, deletionRights } from "./deletion-fixture.ts";
import { sessionContext } from "../session-context.ts";

describe("restoring objects", () => {
  const at = deletionFixture();
  const { create, deleted, recycle, restored, live, read, leftOf, errorWith } = at;

  test("restores without permanently deleted objects, and with those that can still be restored", async () => {
    const [deletedOne, recycledOne, liveOne] = [await create(), await create(), await create()];
    const all = [deletedOne, recycledOne, liveOne];
    const source = await create(
      { Near: deletedOne, Owner: recycledOne, Kept: liveOne, All: all, Crew: [deletedOne] },
      {},
    );
    await recycle(source);
    await deleted(deletedOne);
    await recycle(recycledOne);
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
    await expect(deleted(liveOne)).rejects.toEqual(errorWith(718));
    await restored(recycledOne);
    await deleted(recycledOne);
    expect(await live(source)).toEqual([]);
  });

  describe("after a change of the model", () => {
    const [thing, ...others] = deletionClasses as [ClassDefinition, ...ClassDefinition[]];
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
      expect.objectContaining({ code: 307, detail: `An object does not match its class Thing: ${detail}.` });

    const unnamed = expect.objectContaining({
      code: 307,
      detail: "An object does not match its class Thing.",
    });

    test.each<[string, string | null, Parameters<typeof defineWith>]>([
      ["an attribute is removed", null, [{ Size: null }]],
      [
        "an attribute that the caller may not read has another type",
        null,
        [{ Name: { type: "number", read: ["B2"] } }],
      ],
      [
        "an attribute that the caller may read has another type",
        "the attribute Name does not accept its value",
        [{ Name: { type: "number", read: ["A1"] } }],
      ],
      ["an attribute has another type", "the attribute Name does not accept its value", [{ Name: { type: "number" } }]],
      [
        "a text would be a date of another form",
        "the attribute Date does not accept its value",
        [{ Date: { type: "date" } }],
      ],
      [
        "a text would be a reference",
        "the attribute Name does not accept its value",
        [{ Name: { type: "reference" } }],
      ],
      [
        "a list would be a collection",
        "the attribute Any does not accept its value",
        [{ Any: { type: "collection" } }],
      ],
      [
        "a reference would be a collection",
        "the attribute Near does not accept its value",
        [{ Near: { type: "collection" } }],
      ],
      [
        "a reference has another target class",
        "the attribute Near does not accept its value",
        [{ Near: { target: "Other" } }],
      ],
      [
        "a collection has another target class",
        "the attribute All does not accept its value",
        [{ All: { target: "Other" } }],
      ],
      ["an attribute is mandatory", "the mandatory attribute Kept has no value", [{ Kept: { mandatory: true } }]],
      [
        "a new attribute is mandatory",
        "the mandatory attribute New has no value",
        [{}, [{ name: "New", type: "string", mandatory: true }]],
      ],
    ])("keeps an object in the recycle bin that does not fit: %s", async (_, detail, changes) => {
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
      await recycle(id);
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

    test("restores values that fit a wider definition", async () => {
      const target = await create();
      const [id] = (await at.fixture.insert({
        className: "Thing",
        attributes: { Name: "thing", Near: target, Old: null },
        links: { Near: [target] },
      })) as [ObjectId];
      await recycle(id);
      await defineWith({ Name: { type: "json" }, Near: { target: "Thing" }, Size: null }, [
        { name: "New", type: "string" },
      ]);
      await restored(id);
      expect((await read(id)).attributes).toEqual({ Name: "thing", Near: target, Old: null });
    });

    test("keeps an object in the recycle bin that lacks a reference by now", async () => {
      const target = await create();
      const id = await create({ Needed: target, Parts: [target] }, { className: "Strict" });
      await recycle(id);
      await deleted(target);
      await expect(restored(id)).rejects.toEqual(
        expect.objectContaining({
          code: 307,
          detail: "An object does not match its class Strict: the mandatory attribute Needed has no value.",
        }),
      );
      expect(await leftOf(id)).toBe("recycled");
    });

    test("keeps all in the recycle bin when one does not fit, and does not name what the caller cannot see", async () => {
      const root = await create();
      const child = await create({ Owner: root }, { attributes: { Owner: root, Size: 7 }, readers: ["XYZ"] });
      await recycle(root);
      await defineWith({ Size: null });
      await expect(restored(root)).rejects.toEqual(
        expect.objectContaining({ code: 307, detail: "Another object to restore does not match its class." }),
      );
      const administrator = await sessionContext(at.fixture, { administrator: true });
      await expect(restoreObject(administrator, { kind: "id", id: root })).rejects.toEqual(
        refused("the attribute Size no longer exists"),
      );
      expect([await leftOf(root), await leftOf(child)]).toEqual(["recycled", "recycled"]);
    });

    test("keeps an object in the recycle bin when a reference to it no longer fits its class", async () => {
      const id = await create({}, { className: "Other" });
      const source = await create({ Near: id });
      await recycle(id);
      await defineWith({ Near: { target: "Thing" } });
      await expect(restored(id)).rejects.toEqual(
        expect.objectContaining({
          code: 307,
          detail: "The object is referenced by an attribute, which no longer accepts its class.",
        }),
      );
      const administrator = await sessionContext(at.fixture, { administrator: true });
      await expect(restoreObject(administrator, { kind: "id", id })).rejects.toEqual(
        expect.objectContaining({
          code: 307,
          detail: "The object is referenced by Thing.Near, which no longer accepts its class.",
        }),
      );
      await deleted(source);
      await restored(id);
    });
  });
});

describe("deleting users and groups", () => {
  const at = deletionFixture();
  const { create, deleteIn, deleted, live, read, leftOf, errorWith } = at;

  test("removes the account of a user and ends its sessions, and keeps those of others", async () => {
    const { r, context: asked } = at.fixture;
    const [user, other] = (await at.fixture.insert(
      { className: "User", attributes: { Name: "user" } },
      { className: "User", attributes: { Name: "other" } },
    )) as [ObjectId, ObjectId];
    for (const [userId, loginName] of [
      [user, "user"],
      [other, "other"],
    ] as const) {
      await r.accounts.create({ userId, loginName, secret: "", administrator: false }, loginName);
      await r.sessions.open(
        {
          digest: userId.padStart(64, "0").toLowerCase(),
          mode: "session",
          appKeyId: asked.appKey.id,
          userId,
          secretVersion: 1,
          appNames: [],
          deviceId: null,
          authenticationMethod: passwordAuthentication,
        },
        { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 5 },
      );
    }
    const administrator = await sessionContext(at.fixture, { administrator: true });
    await deleteIn(administrator, user, { recycled: true });
    expect((await r.accounts.list("database", null, 9)).map(({ userId }) => userId)).toEqual([other]);
    expect(await r.sessions.count()).toBe(1);
    await restoreObject(administrator, { kind: "id", id: user });
    expect((await r.accounts.list("database", null, 9)).map(({ userId }) => userId)).toEqual([other]);
    await deleteIn(administrator, user);
    expect(await leftOf(user)).toBe("deleted");
  });

  test("reserves users for administrators, including users deleted by a cascade", async () => {
    const { accounts } = at.fixture.r;
    await at.fixture.define({
      name: "Guest",
      base: "User",
      attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }],
      rights: deletionRights,
    });
    const thing = await create();
    const guest = await create({ Host: thing }, { className: "Guest" });
    await accounts.create({ userId: guest, loginName: "guest", secret: "", administrator: true }, "guest");
    for (const id of [guest, thing]) {
      for (const bin of [false, true]) await expect(deleted(id, { recycled: bin })).rejects.toEqual(errorWith(404));
    }
    expect(await live(guest, thing)).toEqual([guest, thing].toSorted());
    expect((await accounts.find({ realm: "database", loginName: "guest" }, [])).account?.userId).toBe(guest);
  });

  test("refuses users for lack of rights before it names what needs them", async () => {
    const { r, context: asked } = at.fixture;
    await at.fixture.define({
      name: "Guest",
      base: "User",
      attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }],
      rights: deletionRights,
    });
    const thing = await create();
    const guest = await create({ Host: thing }, { className: "Guest" });
    const [byThing, byGuest] = [await create({ Kept: thing }), await create({ Kept: guest })];
    const digest = "a".repeat(64);
    await r.sessions.open(
      {
        digest,
        mode: "session",
        appKeyId: asked.appKey.id,
        userId: "ZZZ",
        secretVersion: 1,
        appNames: [],
        deviceId: null,
        authenticationMethod: passwordAuthentication,
      },
      { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 5 },
    );
    const administrator = await sessionContext(at.fixture, { administrator: true });
    const outcomes = (as: ObjectContext) =>
      Promise.all(
        [guest, thing].map((id) =>
          deleteIn(as, id).then(
            () => 0,
            ({ code }: { code: number }) => code,
          ),
        ),
      );

    expect([await outcomes(at.context), await outcomes(administrator)]).toEqual([
      [404, 404],
      [718, 718],
    ]);
    for (const id of [byThing, byGuest]) await deleted(id);
    for (const id of [guest, thing]) {
      await r.locks.take(id, digest);
      expect(await outcomes(at.context)).toEqual([404, 404]);
      await r.locks.release(id, null);
    }
    expect(await live(guest, thing)).toEqual([guest, thing].toSorted());
    expect(await outcomes(administrator)).toEqual([0, 0]);
  });

  test("keeps groups with rights on classes, and names these classes to callers who can read them", async () => {
    const group = await create({}, { className: "UserGroup" });
    const thing = await create();
    const below = await create({ Owner: thing }, { className: "Team" });
    const team: ClassDefinition = {
      name: "Team",
      base: "UserGroup",
      attributes: [{ name: "Owner", type: "reference", onDelete: "cascade" }],
      rights: deletionRights,
    };
    const userGroup = (await at.fixture.r.model.load()).classes.find(
      ({ name }) => name === "UserGroup",
    ) as ClassDefinition;
    const secret: ClassDefinition = {
      name: "Secret",
      base: null,
      attributes: [],
      rights: [
        { group, permissions: ["read"] },
        { group: below, permissions: [] },
      ],
    };
    const withRights = async (...definitions: ClassDefinition[]) => {
      await at.fixture.define({ ...userGroup, rights: deletionRights }, team, ...definitions);
      return sessionContext(at.fixture, { groups: ["A1"] });
    };
    at.context = await withRights(secret);
    const refused = (detail: string) => expect.objectContaining({ code: 718, detail });
    for (const input of [{ recycled: true }, { recycled: false }]) {
      for (const id of [group, below, thing])
        await expect(deleted(id, input)).rejects.toEqual(
          refused("A class grants rights to a group that would be deleted."),
        );
    }
    at.context = await withRights({ ...secret, rights: [{ group, permissions: [] }, ...deletionRights] });
    await expect(deleted(group)).rejects.toEqual(
      refused("The class Secret grants rights to a group that would be deleted."),
    );
    await deleted(thing);
    at.context = await withRights({ ...secret, rights: [] });
    const [kept] = (await at.fixture.insert({ className: "Thing", attributes: {}, readers: [group] })) as [ObjectId];
    await deleted(group);
    expect([await live(group, below, thing, kept), (await read(kept)).readers]).toEqual([[kept], [group]]);
  });

  test("refuses self-deletion and the deletion of the last administrator, also by a cascade", async () => {
    const { r } = at.fixture;
    await at.fixture.define({
      name: "Guest",
      base: "User",
      attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }],
      rights: [],
    });
    const thing = await create();
    const [self, last] = (await at.fixture.insert(
      { className: "User", attributes: { Name: "self" } },
      { className: "Guest", attributes: { Name: "last", Host: thing }, links: { Host: [thing] } },
    )) as [ObjectId, ObjectId];
    await r.accounts.create({ userId: last, loginName: "last", secret: "", administrator: true }, "last");
    const administrator = await sessionContext(at.fixture, { administrator: true, userId: self });
    await expect(deleteIn(administrator, self)).rejects.toEqual(
      expect.objectContaining({ code: 718, detail: "Users cannot delete themselves." }),
    );
    for (const id of [last, thing]) {
      await expect(deleteIn(administrator, id, { recycled: true })).rejects.toEqual(
        expect.objectContaining({ code: 718, detail: "The last administrator cannot be deleted." }),
      );
    }
    expect(await live(self, last, thing)).toHaveLength(3);
    await r.accounts.create({ userId: self, loginName: "self", secret: "", administrator: true }, "self");
    await deleteIn(administrator, thing);
    expect(await live(self, last, thing)).toEqual([self]);
  });
});
