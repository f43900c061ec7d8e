import { type ObjectId, passwordAuthentication, seesAll } from "@sallyport/storage";
import { deletionClasses, deletionFixture } from "./deletion-fixture.ts";
import { sessionContext } from "../session-context.ts";
import { restoreObject, deleteObject } from "../../src/index.ts";

describe("deleting objects", () => {
  const at = deletionFixture();
  const { create, deleteIn, deleted, recycle, restored, live, read, leftOf, errorWith } = at;

  test("clears references at a permanent deletion, and keeps them while the object can be restored", async () => {
    const [gone1, stays] = [await create(), await create()];
    const source = await create({ Near: gone1, All: [stays, gone1], Crew: [gone1] });
    await recycle(gone1);
    expect(await read(source)).toMatchObject({
      version: 1,
      attributes: { Near: gone1, All: [stays, gone1], Crew: [gone1] },
    });
    await restored(gone1);
    await deleted(gone1);
    expect(await read(source)).toMatchObject({
      version: 2,
      attributes: { Name: "thing", Near: null, All: [stays], Crew: [] },
    });
    expect([await live(gone1, stays), await leftOf(gone1)]).toEqual([[stays], "deleted"]);
  });

  test("clears a reference beside a reference to an object in the recycle bin", async () => {
    const [one, other] = [await create(), await create()];
    const source = await create({ All: [one, other] });
    await recycle(one);
    await deleted(other);
    expect((await read(source)).attributes).toMatchObject({ All: [one] });
    await restored(one);
    expect(await at.fixture.r.deletion.referrers([one], { attributes: null, limit: 9 })).toHaveLength(1);
  });

  test.each([
    ["Strict", "Needed"],
    ["Thing", "Kept"],
  ])("refuses to delete the target of %s.%s, permanently or not", async (className, name) => {
    const id = await create();
    const source = await create({ [name]: id }, { className });
    for (const input of [{ recycled: true }, { recycled: false }]) {
      await expect(deleted(id, input)).rejects.toEqual(
        expect.objectContaining({
          code: 718,
          detail: `An object of the class ${className} requires this one in ${name}.`,
        }),
      );
    }
    expect(await live(id, source)).toEqual([id, source]);
    await deleted(source);
    await deleted(id);
    expect(await live(id, source)).toEqual([]);
  });

  test("does not name a referring attribute that the caller may not read", async () => {
    const classes = deletionClasses.map((each) => ({
      ...each,
      attributes: each.attributes.map((attribute) =>
        attribute.name === "Kept" ? { ...attribute, onDelete: "refuse" as const, read: ["B2"] } : attribute,
      ),
    }));
    const [hidden, foreign] = [await create(), await create()];
    await at.fixture.define(...classes, {
      name: "Vault",
      base: null,
      attributes: [{ name: "Holds", type: "reference", onDelete: "refuse" }],
      rights: [],
    });
    const context = await sessionContext(at.fixture, { groups: ["A1"] });
    await create({ Kept: hidden });
    await create({ Holds: foreign }, { className: "Vault" });
    for (const id of [hidden, foreign]) {
      for (const intoBin of [true, false]) {
        await expect(deleteIn(context, id, { recycled: intoBin })).rejects.toEqual(
          expect.objectContaining({ code: 718, detail: "Another object requires this one." }),
        );
      }
    }
    const administrator = await sessionContext(at.fixture, { administrator: true });
    await expect(deleteIn(administrator, hidden)).rejects.toEqual(
      expect.objectContaining({ code: 718, detail: "An object of the class Thing requires this one in Kept." }),
    );
  });

  test("follows the rule of the referring class, not of another class with the same attribute", async () => {
    const id = await create();
    const other = await create({ Kept: id }, { className: "Other" });
    await recycle(id);
    expect((await read(other)).attributes["Kept"]).toBe(id);
    await restored(id);
    await deleted(id);
    expect((await read(other)).attributes["Kept"]).toBeNull();
  });

  test.each([true, false])("cascades to dependents and their dependents (recycled: %s)", async (recycled) => {
    const root = await create();
    const [child, foreign] = [
      await create({ Owner: root }),
      await create({ Owner: root }, { className: "Foreign", readers: [] }),
    ];
    const [grandchild, shared] = [
      await create({ Owners: [child] }),
      await create({ Owners: [child, foreign], Near: root }),
    ];
    const bystander = await create({ Near: grandchild });
    await deleted(root, { recycled });
    const objects = [root, child, foreign, grandchild, shared];
    expect(await live(...objects, bystander)).toEqual([bystander]);
    expect((await read(bystander)).attributes["Near"]).toBe(recycled ? grandchild : null);
    for (const id of objects) expect(await leftOf(id)).toBe(recycled ? "recycled" : "deleted");
    if (!recycled) return;
    const { object, version } = await restored(shared);
    expect([object["~ObjectID"], version]).toEqual([shared, 3]);
    expect(await live(...objects)).toEqual(objects.toSorted());
    expect((await read(shared)).attributes).toMatchObject({ Owners: [child, foreign], Near: root });
    await deleted(root);
    expect(await live(...objects)).toEqual([]);
  });

  test("stops at cycles of dependents", async () => {
    const [one, other] = [await create(), await create()];
    const by = { session: null };
    await at.fixture.r.objects.update(
      [
        {
          id: one,
          attributes: { Owner: other, Kept: one },
          links: { Owner: [other], Kept: [one] },
          expectedVersions: null,
        },
      ],
      by,
    );
    await at.fixture.r.objects.update(
      [
        {
          id: other,
          attributes: { Owner: one, Kept: one },
          links: { Owner: [one], Kept: [one] },
          expectedVersions: null,
        },
      ],
      by,
    );
    await deleted(other);
    expect(await live(one, other)).toEqual([]);
  });

  test("deletes an object that only its own dependents need, in any order of discovery", async () => {
    const root = await create();
    const first = await create({ Owner: root });
    await create({ Owner: first, Kept: root });
    await create({ Owner: root, Kept: first });
    await deleted(root);
    expect(await live(root, first)).toEqual([]);
  });

  test("refuses the whole deletion when another object needs a dependent", async () => {
    const root = await create();
    const child = await create({ Owner: root });
    const keeper = await create({ Kept: child, Near: root });
    await expect(deleted(root)).rejects.toEqual(errorWith(718));
    expect(await live(root, child, keeper)).toEqual([root, child, keeper]);
    expect(await read(keeper)).toMatchObject({ version: 1 });
  });

  test("refuses when another session has locked the object, or one that the deletion deletes or changes", async () => {
    const { r, context: asked } = at.fixture;
    const root = await create();
    const [child, losing] = [await create({ Owner: root }), await create({ Near: root })];
    const policy = { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 5 };
    for (const digest of ["a".repeat(64), at.context.sessionDigest]) {
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
        policy,
      );
    }
    for (const id of [root, child, losing]) {
      expect(await r.locks.take(id, "a".repeat(64))).toBe("locked");
      await expect(deleted(id)).rejects.toEqual(errorWith(718));
      await expect(deleted(root)).rejects.toEqual(errorWith(718));
      await r.locks.release(id, null);
    }
    // A recoverable deletion changes no referring object.
    await r.locks.take(losing, "a".repeat(64));
    await recycle(root);
    await restored(root);
    await r.locks.release(losing, null);
    for (const id of [root, child, losing]) expect(await r.locks.take(id, at.context.sessionDigest)).toBe("locked");
    await deleted(root);
    expect(await live(root, child, losing)).toEqual([losing]);
  });

  test("refuses a cascade over more than 10,000 objects or references", async () => {
    const [root, other] = [await create(), await create()];
    const belongs = (owner: ObjectId) => ({
      className: "Thing",
      attributes: { Owner: owner },
      links: { Owner: [owner] },
    });
    await at.fixture.insert(...Array.from({ length: 9_999 }, () => belongs(root)));
    await at.fixture.insert(
      ...Array.from({ length: 10_001 }, () => ({
        className: "Thing",
        attributes: { Near: other },
        links: { Near: [other] },
      })),
    );
    await expect(deleted(other)).rejects.toEqual(errorWith(718));
    await recycle(other);
    await deleted(root);
    expect(await at.fixture.r.objects.count({ classes: ["Thing"] }, seesAll)).toBe(10_001);
    const next = await create();
    await at.fixture.insert(...Array.from({ length: 10_000 }, () => belongs(next)));
    await expect(recycle(next)).rejects.toEqual(errorWith(718));
  }, 30_000);

  test("refuses a cascade over more than 64 MiB", async () => {
    const root = await create();
    const large = {
      className: "Thing",
      attributes: { Owner: root, Text: "x".repeat(1_000_000) },
      links: { Owner: [root] },
    };
    const ids = await at.fixture.insert(...Array.from({ length: 70 }, () => large));
    await expect(recycle(root)).rejects.toEqual(errorWith(718));
    for (const id of ids.slice(0, 10)) await deleted(id);
    await recycle(root);
    expect(await at.fixture.r.objects.count({ classes: ["Thing"] }, seesAll)).toBe(0);
  }, 30_000);

  test("checks existence first, then the right, then the version", async () => {
    const [id, hidden] = [await create(), await create({}, { readers: ["XYZ"] })];
    const [foreign] = await at.fixture.insert({ className: "Foreign", attributes: {} });
    const writer = await sessionContext(at.fixture, { groups: ["B2"] });
    for (const each of [hidden, foreign as ObjectId, "ZZZZ"]) {
      await expect(deleted(each, { expectedVersions: [7] })).rejects.toEqual(errorWith(304));
      await expect(restored(each)).rejects.toEqual(errorWith(304));
    }
    for (const expectedVersions of [null, [7]])
      await expect(deleteIn(writer, id, { expectedVersions })).rejects.toEqual(errorWith(404));
    for (const expectedVersions of [[7], [2, 3], []])
      await expect(deleted(id, { expectedVersions })).rejects.toEqual(errorWith(713));
    await expect(restoreObject(writer, { kind: "id", id })).rejects.toEqual(errorWith(404));
    await expect(restored(id)).rejects.toEqual(errorWith(307));

    await deleted(id, { expectedVersions: [7, 1], recycled: true });
    for (const as of [at.context, writer])
      await expect(deleteIn(as, id, { expectedVersions: [7] })).rejects.toEqual(errorWith(609));
    await expect(restoreObject(writer, { kind: "id", id })).rejects.toEqual(errorWith(404));
    await expect(restored(id)).resolves.toMatchObject({ version: 3 });
    await deleted(id);
    for (const again of [() => deleted(id), () => restored(id), () => deleted(id, { recycled: true })])
      await expect(again()).rejects.toEqual(errorWith(609));
    const uuid = (await at.fixture.r.deletion.find({ kind: "id", id }, seesAll))?.uuid ?? "";
    await expect(
      deleteObject(at.context, { kind: "uuid", uuid }, { recycled: false, expectedVersions: null }),
    ).rejects.toEqual(errorWith(609));

    // An object that was invisible is reported as unknown, not as deleted.
    const administrator = await sessionContext(at.fixture, { administrator: true });
    await deleteIn(administrator, hidden, { recycled: true });
    await expect(deleted(hidden)).rejects.toEqual(errorWith(304));
    await expect(restored(hidden)).rejects.toEqual(errorWith(304));
    await expect(restoreObject(administrator, { kind: "id", id: hidden })).resolves.toMatchObject({
      version: 3,
    });
  });
});
