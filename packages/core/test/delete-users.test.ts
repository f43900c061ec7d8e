import { type ClassDefinition, type ObjectId, passwordEntrance, type SessionContext } from "../src/index.ts";
import { departureFixture, departureRights } from "./departure-fixture.ts";
import { sessionContext } from "./session-context.ts";

describe("deleting users and groups", () => {
  const at = departureFixture();
  const { create, deleteIn, deleted, live, read, leftOf, restore, gone } = at;

  test("removes the account of a user and ends his sessions, and leaves others theirs", async () => {
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
          entrance: passwordEntrance,
        },
        { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 5 },
      );
    }
    const administrator = await sessionContext(at.fixture, { administrator: true });
    await deleteIn(administrator, user, { recycled: true });
    expect((await r.accounts.list("database", null, 9)).map(({ userId }) => userId)).toEqual([other]);
    expect(await r.sessions.count()).toBe(1);
    await restore.run(administrator, { kind: "id", id: user });
    expect((await r.accounts.list("database", null, 9)).map(({ userId }) => userId)).toEqual([other]);
    await deleteIn(administrator, user);
    expect(await leftOf(user)).toBe("deleted");
  });

  test("leaves users to administrators, also those that would go with something else", async () => {
    const { accounts } = at.fixture.r;
    await at.fixture.define({
      name: "Guest",
      base: "User",
      attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }],
      rights: departureRights,
    });
    const thing = await create();
    const guest = await create({ Host: thing }, { className: "Guest" });
    await accounts.create({ userId: guest, loginName: "guest", secret: "", administrator: true }, "guest");
    for (const id of [guest, thing]) {
      for (const bin of [false, true]) await expect(deleted(id, { recycled: bin })).rejects.toEqual(gone(404));
    }
    expect(await live(guest, thing)).toEqual([guest, thing].toSorted());
    expect((await accounts.find({ realm: "database", loginName: "guest" }, [])).account?.userId).toBe(guest);
  });

  test("says that users are not the caller's to delete before it says what keeps them", async () => {
    const { r, context: asked } = at.fixture;
    await at.fixture.define({
      name: "Guest",
      base: "User",
      attributes: [{ name: "Host", type: "reference", onDelete: "cascade" }],
      rights: departureRights,
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
        entrance: passwordEntrance,
      },
      { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 5 },
    );
    const administrator = await sessionContext(at.fixture, { administrator: true });
    const outcomes = (as: SessionContext) =>
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

  test("keeps groups to which classes give rights, and names such classes to those who can read them", async () => {
    const group = await create({}, { className: "UserGroup" });
    const thing = await create();
    const below = await create({ Owner: thing }, { className: "Team" });
    const team: ClassDefinition = {
      name: "Team",
      base: "UserGroup",
      attributes: [{ name: "Owner", type: "reference", onDelete: "cascade" }],
      rights: departureRights,
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
      await at.fixture.define({ ...userGroup, rights: departureRights }, team, ...definitions);
      return sessionContext(at.fixture, { groups: ["A1"] });
    };
    at.context = await withRights(secret);
    const refused = (detail: string) => expect.objectContaining({ code: 718, detail });
    for (const input of [{ recycled: true }, { recycled: false }]) {
      for (const id of [group, below, thing])
        await expect(deleted(id, input)).rejects.toEqual(refused("A class gives rights to a group that would go."));
    }
    at.context = await withRights({ ...secret, rights: [{ group, permissions: [] }, ...departureRights] });
    await expect(deleted(group)).rejects.toEqual(refused("The class Secret gives rights to a group that would go."));
    await deleted(thing);
    at.context = await withRights({ ...secret, rights: [] });
    const [kept] = (await at.fixture.insert({ className: "Thing", attributes: {}, readers: [group] })) as [ObjectId];
    await deleted(group);
    expect([await live(group, below, thing, kept), (await read(kept)).readers]).toEqual([[kept], [group]]);
  });

  test("lets nobody delete himself or the last administrator, also not with something else", async () => {
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
      expect.objectContaining({ code: 718, detail: "Nobody deletes himself." }),
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
