import type { ObjectId } from "@sallyport/storage";
import {
  type Database,
  type SessionContext,
  listRecycled,
  purgeRecycled,
  purgeAllRecycled,
  type ObjectContext,
} from "../../src/index.ts";
import { deletionFixture, deletionRights } from "./deletion-fixture.ts";
import { digests, plainCursors } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";

/** Deleted objects that can be restored. */
describe("recycle bin", () => {
  const at = deletionFixture();
  const { create, deleteIn, deleted, errorWith, leftOf, read, live, restored } = at;

  const as = (userId: ObjectId, who: Partial<SessionContext["principal"]> = {}) =>
    sessionContext(at.fixture, { groups: ["A1"], userId, ...who });
  const recycle = async (id: ObjectId, context = at.context) => deleteIn(context, id, { recycled: true });
  const listed = async (context = at.context, perPage = 100) => {
    const ids: [ObjectId, ObjectId | null][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listRecycled(context, { perPage, cursor });
      ids.push(
        ...page.elements.map((element): [ObjectId, ObjectId | null] => [element["~ObjectID"], element["~DeletedBy"]]),
      );
      if (page.next === null) return ids;
      cursor = page.next;
    }
  };
  const purged = (id: ObjectId, context = at.context) => purgeRecycled(context, { kind: "id", id });
  const all = (context = at.context, allUsers = false) => purgeAllRecycled(context, { allUsers });

  describe("with a quota", () => {
    const limited = (context: ObjectContext): ObjectContext => {
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
    const { next } = await listRecycled(admin, { perPage: 1, cursor: undefined });
    await expect(listRecycled(ada, { perPage: 1, cursor: next as string })).rejects.toEqual(errorWith(307));
    const foreign = await plainCursors.seal(ada, { query: "recycler AAA", position: { values: ["x"], id: "1" } });
    await expect(listRecycled(ada, { perPage: 1, cursor: foreign })).rejects.toEqual(errorWith(307));
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
