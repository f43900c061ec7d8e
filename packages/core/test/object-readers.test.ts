import { type ClassDefinition, GetReaders, type Principal, SetReaders, type SingleReference } from "../src/index.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { sessionContext } from "./session-context.ts";

const rights = [{ group: "*", permissions: ["read", "write"] }] as const;

describe("readers", () => {
  let fixture: Fixture;
  /** Ids: what is written, a user and a group that everybody may write, and users and groups that are hidden. */
  let ids: { note: string; user: string; group: string; chief: string; hiddenUser: string; hiddenGroup: string };
  beforeEach(async () => {
    fixture = await openFixture();
    const { classes } = await fixture.r.model.load();
    const opened = classes
      .filter(({ name }) => name === "User" || name === "UserGroup")
      .map((each) => ({ ...each, rights }));
    const chief: ClassDefinition = { name: "Chief", base: "User", attributes: [], rights };
    await fixture.define(...opened, chief, { name: "Note", base: null, attributes: [], rights });
    const one = async (className: string, readers: string[] | null = null) =>
      (await fixture.insert({ className, attributes: {}, readers }))[0] as string;
    ids = {
      note: await one("Note"),
      user: await one("User"),
      group: await one("UserGroup"),
      chief: await one("Chief"),
      hiddenUser: await one("User", []),
      hiddenGroup: await one("UserGroup", []),
    };
  });

  const to = (id: string): SingleReference => ({ kind: "id", id });
  const set = async (who: Partial<Principal>, id: string, readers: readonly string[] | null) =>
    new SetReaders().run(await sessionContext(fixture, who), to(id), { readers, expectedVersions: null }).then(
      (outcome) => outcome.readers,
      ({ code }: { code: number }) => code,
    );

  test("name the own user and groups though these are hidden, and of others those that are seen, of any class of users", async () => {
    const caller = { userId: ids.hiddenUser, groups: [ids.hiddenGroup, "GONE"] };
    expect(await set(caller, ids.note, [ids.hiddenUser])).toEqual([ids.hiddenUser]);
    expect(await set(caller, ids.note, [ids.chief, ids.hiddenGroup, ids.user, ids.group])).toEqual([
      ids.chief,
      ids.hiddenGroup,
      ids.user,
      ids.group,
    ]);
    // Being in a group that is gone, or that is none, names it no more than anything else.
    expect(await set(caller, ids.note, ["GONE"])).toBe(307);
    const another = { userId: ids.user, groups: [] };
    expect(await set(another, ids.note, null)).toBeNull();
    expect([
      await set(another, ids.note, [ids.user, ids.hiddenUser]),
      await set(another, ids.note, [ids.user, ids.hiddenGroup]),
    ]).toEqual([307, 307]);
  });

  test("of users and groups are the administrators' matter, whoever may write these", async () => {
    const caller = { userId: ids.user, groups: [ids.group] };
    for (const id of [ids.user, ids.group, ids.chief]) {
      expect(await set(caller, id, [ids.user])).toBe(404);
      await expect(new GetReaders().run(await sessionContext(fixture, caller), to(id))).rejects.toMatchObject({
        code: 404,
      });
      expect(await set({ administrator: true }, id, [ids.user])).toEqual([ids.user]);
      expect(await new GetReaders().run(await sessionContext(fixture, { administrator: true }), to(id))).toEqual({
        readers: [ids.user],
        version: 2,
      });
    }
  });
});
