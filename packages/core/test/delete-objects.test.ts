import {
  type ObjectId,
  passwordAuthentication,
  seesAll,
  type Database,
  ListRecycled,
  PurgeRecycled,
  type SessionContext,
} from "../src/index.ts";
import { deletionClasses, deletionFixture, deletionRights } from "./deletion-fixture.ts";
import { digests, plainCursors } from "./fixture.ts";
import { sessionContext } from "./session-context.ts";

describe("deleting objects", () => {
  const at = deletionFixture();
  const { create, deleteIn, deleted, recycle, restored, live, read, leftOf, restore, remove, errorWith } = at;

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
    await expect(restore.restoreObject(writer, { kind: "id", id })).rejects.toEqual(errorWith(404));
    await expect(restored(id)).rejects.toEqual(errorWith(307));

    await deleted(id, { expectedVersions: [7, 1], recycled: true });
    for (const as of [at.context, writer])
      await expect(deleteIn(as, id, { expectedVersions: [7] })).rejects.toEqual(errorWith(609));
    await expect(restore.restoreObject(writer, { kind: "id", id })).rejects.toEqual(errorWith(404));
    await expect(restored(id)).resolves.toMatchObject({ version: 3 });
    await deleted(id);
    for (const again of [() => deleted(id), () => restored(id), () => deleted(id, { recycled: true })])
      await expect(again()).rejects.toEqual(errorWith(609));
    const uuid = (await at.fixture.r.deletion.find({ kind: "id", id }, seesAll))?.uuid ?? "";
    await expect(
      remove.deleteObject(at.context, { kind: "uuid", uuid }, { recycled: false, expectedVersions: null }),
    ).rejects.toEqual(errorWith(609));

    // An object that was invisible is reported as unknown, not as deleted.
    const administrator = await sessionContext(at.fixture, { administrator: true });
    await deleteIn(administrator, hidden, { recycled: true });
    await expect(deleted(hidden)).rejects.toEqual(errorWith(304));
    await expect(restored(hidden)).rejects.toEqual(errorWith(304));
    await expect(restore.restoreObject(administrator, { kind: "id", id: hidden })).resolves.toMatchObject({
      version: 3,
    });
  });
});

describe("recycle bin", () => {
  const at = deletionFixture();
  const { create, deleteIn, deleted, errorWith, leftOf, read, live, restored } = at;
  const [list, purge] = [new ListRecycled(plainCursors), new PurgeRecycled()];

  const as = (userId: ObjectId, who: Partial<SessionContext["principal"]> = {}) =>
    sessionContext(at.fixture, { groups: ["A1"], userId, ...who });
  const recycle = async (id: ObjectId, context = at.context) => deleteIn(context, id, { recycled: true });
  const listed = async (context = at.context, perPage = 100) => {
    const ids: [ObjectId, ObjectId | null][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list.listRecycled(context, { perPage, cursor });
      ids.push(
        ...page.elements.map((element): [ObjectId, ObjectId | null] => [element["~ObjectID"], element["~DeletedBy"]]),
      );
      if (page.next === null) return ids;
      cursor = page.next;
    }
  };
  const purged = (id: ObjectId, context = at.context) => purge.purgeRecycled(context, { kind: "id", id });
  const all = (context = at.context, allUsers = false) => purge.purgeAllRecycled(context, { allUsers });

  describe("with a quota", () => {
    const limited = (context: SessionContext): SessionContext => {
      const { policy } = context.database;
      const database = Object.create(context.database, {
        policy: { value: { ...policy, objects: { recycleBinPerUser: 3 } } },
      }) as Database;
      return { ...context, database };
    };

    test("refuses a deletion with its cascade beyond the quota of a user, and changes nothing", async () => {
      const [ada, bob] = [limited(await as("AAA")), limited(await as("BBB"))];
      const [owner, other] = [await create(), await create()];
      const [follower] = [await create({ Owner: owner }), await create({ Owner: other })];
      await recycle(owner, ada);
      await expect(recycle(other, ada)).rejects.toEqual(errorWith(718));
      expect(await live(other)).toEqual([other]);
      const single = await create();
      await recycle(single, ada);
      const [next] = [await create()];
      await expect(recycle(next, ada)).rejects.toEqual(errorWith(718));
      await recycle(other, bob);
      await deleteIn(ada, next);
      await purged(follower, ada);
      await recycle(await create(), ada);
      expect((await listed(ada)).length).toBe(2);
    });

    test("keeps the quota during concurrent deletions", async () => {
      const ada = limited(await as("AAA"));
      const things = await Promise.all(Array.from({ length: 6 }, () => create()));
      const codes = await Promise.all(
        things.map((id) =>
          recycle(id, ada).then(
            () => 0,
            ({ code }: { code: number }) => code,
          ),
        ),
      );
      expect(codes.toSorted()).toEqual([0, 0, 0, 718, 718, 718]);
    });
  });

  test("lists their own readable objects to users, and all objects to administrators", async () => {
    const [ada, bob, admin] = [await as("AAA"), await as("BBB"), await as("CCC", { administrator: true, groups: [] })];
    const [one, two, hidden] = [await create(), await create(), await create({}, { readers: ["AAA"] })];
    const follower = await create({ Owner: one });
    for (const [id, who] of [
      [one, ada],
      [two, bob],
      [hidden, ada],
    ] as const)
      await recycle(id, who);
    expect((await listed(ada)).toSorted()).toEqual(
      [
        [hidden, "AAA"],
        [one, "AAA"],
      ].toSorted(),
    );
    expect(await listed(bob)).toEqual([[two, "BBB"]]);
    for (const perPage of [1, 2, 3])
      expect((await listed(admin, perPage)).map(([id]) => id).toSorted()).toEqual([one, two, hidden].toSorted());
    expect(await listed(await as("AAA", { groups: ["ZZ"] }))).toEqual([]);
    await restored(follower);
    expect((await listed(ada)).map(([id]) => id)).toEqual([hidden]);
    const { next } = await list.listRecycled(admin, { perPage: 1, cursor: undefined });
    await expect(list.listRecycled(ada, { perPage: 1, cursor: next as string })).rejects.toEqual(errorWith(307));
    const foreign = await plainCursors.seal(ada, { query: "recycler AAA", position: { values: ["x"], id: "1" } });
    await expect(list.listRecycled(ada, { perPage: 1, cursor: foreign })).rejects.toEqual(errorWith(307));
  });

  test("purges a deletion with its cascade, and clears references", async () => {
    const thing = await create();
    const follower = await create({ Owner: thing });
    const [near, many] = [await create({ Near: thing }), await create({ All: [follower, thing], Crew: [thing] })];
    await recycle(thing);
    expect(await purged(follower)).toBe(2);
    expect([await leftOf(thing), await leftOf(follower)]).toEqual(["deleted", "deleted"]);
    expect([(await read(near)).attributes["Near"], (await read(near)).version]).toEqual([null, 2]);
    expect((await read(many)).attributes).toMatchObject({ All: [], Crew: [] });
    for (const again of [() => purged(thing), () => restored(thing), () => deleted(thing)])
      await expect(again()).rejects.toEqual(errorWith(609));
  });

  test.each([
    ["that never existed", 304, async () => "ZZZZZ"],
    ["that is there", 307, () => create()],
    [
      "that was deleted permanently",
      609,
      async () => {
        const id = await create();
        await deleted(id);
        return id;
      },
    ],
    [
      "that the caller cannot read",
      304,
      async () => {
        const id = await create({}, { readers: ["ZZ"] });
        await recycle(id, await as("AAA", { administrator: true }));
        return id;
      },
    ],
    [
      "of a class whose objects the caller cannot delete",
      404,
      async () => {
        const id = await create();
        await recycle(id);
        at.context = await as("AAA", { groups: ["B2"] });
        return id;
      },
    ],
  ])("does not purge an object %s: %d", async (_title, code, make) => {
    const id = await make();
    await expect(purged(id)).rejects.toEqual(errorWith(code));
  });

  test("keeps what a live object needs, or a locked one refers to", async () => {
    const [needed, shown] = [await create(), await create()];
    const needing = await create({ Kept: needed });
    const pointing = await create({ Near: shown });
    await recycle(needing);
    for (const id of [needed, shown]) await recycle(id);
    await restored(needing);
    await at.fixture.r.sessions.open(
      {
        digest: digests.sha256("other"),
        mode: "session",
        appKeyId: at.context.appKey.id,
        userId: "ZZZ",
        secretVersion: 1,
        appNames: [],
        deviceId: null,
        authenticationMethod: at.context.session.authenticationMethod,
      },
      { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 5 },
    );
    await at.fixture.r.locks.take(pointing, digests.sha256("other"));
    for (const id of [needed, shown]) await expect(purged(id)).rejects.toEqual(errorWith(718));
    const single = await create();
    await recycle(single);
    expect([await all(), await all()]).toEqual([1, 0]);
    expect([await leftOf(needed), await leftOf(shown), await leftOf(single)]).toEqual([
      "recycled",
      "recycled",
      "deleted",
    ]);
    await at.fixture.r.locks.release(pointing, null);
    expect(await all()).toBe(1);
  });

  test("purges all objects that the caller recycled and may delete; administrators purge everything", async () => {
    await at.fixture.define({
      name: "Guest",
      base: "User",
      attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }],
      rights: deletionRights,
    });
    const [ada, bob, admin] = [await as("AAA"), await as("BBB"), await as("CCC", { administrator: true, groups: [] })];
    const [one, two, three, guest] = [
      await create(),
      await create(),
      await create(),
      await create({}, { className: "Guest" }),
    ];
    for (const [id, who] of [
      [one, ada],
      [two, ada],
      [three, bob],
    ] as const)
      await recycle(id, who);
    await at.fixture.database.storage.transaction(({ deletion }) =>
      deletion.delete([guest], { recycled: true, root: guest, deletedBy: "AAA" }),
    );
    await expect(all(ada, true)).rejects.toEqual(errorWith(404));
    // Users are reserved for administrators.
    await expect(purged(guest, ada)).rejects.toEqual(errorWith(404));
    expect(await all(await as("AAA", { groups: ["B2"] }))).toBe(0);
    expect([await all(ada), await all(ada), await all(admin)]).toEqual([2, 0, 0]);
    expect([await leftOf(three), await leftOf(guest)]).toEqual(["recycled", "recycled"]);
    expect([await all(admin, true), await all(admin, true)]).toEqual([2, 0]);
  });

  test("purges 1,000 objects at once", async () => {
    const ids = await at.fixture.insert(
      ...Array.from({ length: 1_002 }, () => ({ className: "Thing", attributes: {} })),
    );
    await at.fixture.database.storage.transaction(async ({ deletion }) => {
      for (const id of ids)
        await deletion.delete([id], { recycled: true, root: id, deletedBy: at.context.principal.userId });
    });
    expect([await all(), await all(), await all()]).toEqual([1_000, 2, 0]);
  });
});
