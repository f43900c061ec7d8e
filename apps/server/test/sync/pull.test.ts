import { isFullRun } from "@sallyport/test-kit/scope";
import { ofDatabase, type Principal, seesAll, type StoredObject } from "@sallyport/storage";
import { visibilityOf, setSyncEnabled, administrationOf, readSync, removeSyncSchema } from "@sallyport/core";
import { modes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { Follower, type Session, SyncFixture } from "./sync-fixture.ts";
import { onEngines, testedEngines } from "../engines.ts";

/** Pulls of changes, in every mode. */
onEngines(
  "pulls",
  (server) => {
    const fixture = new SyncFixture(server);
    let admin: Session;
    let demo: Session;
    let reader: Session;
    beforeAll(async () => {
      admin = await openSession(server(), "session", "admin");
      demo = await openSession(server(), "session", "demo");
      reader = await openSession(server(), "session", "reader");
      await fixture.defineNotes(admin, "SyncNote");
    });

    /** The schema that most tests share. */
    const defineSchema = () => fixture.put({ name: "notes", classes: [{ className: "SyncNote" }] });
    const codeOf = async (body: object, path = "/v1/sync/notes", as = demo) => {
      const { code, headers } = await fixture.send(as, "POST", path, body);
      return headers["sync-restart"] === undefined ? code : `${code} restart`;
    };
    const create = async (attributes: object) => {
      const { "~ObjectID": id, "~UUID": uuid } = await fixture.data(demo, "POST", "/v1/object/SyncNote", attributes);
      return { id: id as string, uuid: uuid as string, path: `/v1/object/${id}` };
    };
    const userId = async (name: string) => {
      const { objects } = await fixture.database.storage.repositories.objects.find({ classes: ["User"] }, seesAll, {
        offset: 0,
        limit: 100,
      });
      return objects.find(({ attributes }) => attributes["Name"] === name)?.id ?? "";
    };

    test("checks the switch, the schema, the version and the other members, in this order", async () => {
      const operator = administrationOf(fixture.database);
      const wrong = { limit: 0, query: 5 };
      const { schemas } = await readSync(fixture.database.storage.repositories);
      for (const name of schemas.keys()) await removeSyncSchema(operator, name);
      expect(await codeOf(wrong)).toBe("611");
      expect((await fixture.send(demo, "GET", "/v1/sync")).code).toBe("611");
      await setSyncEnabled(operator, false);
      expect(await codeOf(wrong)).toBe("717");
      expect((await fixture.send(demo, "GET", "/v1/sync")).code).toBe("717");
      await setSyncEnabled(operator, true);
      await defineSchema();
      await fixture.put({ name: "up", classes: [{ className: "SyncNote" }], direction: "push" });
      const { syncVersion } = await fixture.pullAll(demo, "notes", "0");
      const future = String(BigInt(syncVersion) + 1_000_000n);
      const cases: readonly (readonly [expected: string, body: object, path?: string])[] = [
        ["335", wrong, "/v1/sync"],
        ["335", [], "/v1/sync"],
        ["333", { ...wrong, schemaName: 7 }, "/v1/sync"],
        ["333", wrong, "/v1/sync/absent"],
        ["333", wrong, "/v1/sync/constructor"],
        ["333", wrong, "/v1/sync/not%20a%20name"],
        ["338", wrong],
        ["330", { ...wrong, syncVersion: 0 }],
        ["330", { ...wrong, syncVersion: null }],
        ["330", { ...wrong, syncVersion: "-1" }],
        ["330 restart", { ...wrong, syncVersion: "12" }],
        ["330 restart", { ...wrong, syncVersion: future }],
        [
          "330 restart",
          { ...wrong, syncVersion: `9${syncVersion.slice(1)}` === syncVersion ? "8" : `9${syncVersion.slice(1)}` },
        ],
        ["332", { ...wrong, syncVersion: "0" }],
        ["332", { syncVersion: "0", limit: 5_001 }],
        ["332", { syncVersion: "0", wait: 26 }],
        ["332", { syncVersion: "0", cursor: "x" }],
        ["332", { syncVersion: "0", unknown: 1 }],
        ["332", { syncVersion: "0", schemaName: "other" }],
        ["332", { syncVersion: "0" }, "/v1/sync/up"],
        ["329", { syncVersion: "0", query: [] }],
        ["329", { syncVersion: "0", query: null }],
        ["307", { syncVersion: "0", query: { sort: ["Title"] } }],
        ["307", { syncVersion: "0", query: { where: { "Parent.Title": "a" } } }],
        ["307", { syncVersion: "0", query: { where: { Parent: null } } }],
        ["307", { syncVersion: "0", query: { where: { Absent: 1 } } }],
        ["330 restart", { syncVersion, query: { where: { Title: "a" } } }],
        ["0", { syncVersion, schemaName: "notes" }],
        ["0", { syncVersion, schemaName: "notes" }, "/v1/sync"],
      ];
      for (const [expected, body, path] of cases)
        expect([JSON.stringify(body), await codeOf(body, path)]).toEqual([JSON.stringify(body), expected]);
    });

    test("lists schemas with the classes of the caller", async () => {
      const { schemas } = await fixture.data(reader, "GET", "/v1/sync");
      expect(schemas).toMatchObject([
        { name: "notes", classes: ["SyncNote"], direction: "both", count: expect.any(Number) },
        { name: "up", classes: ["SyncNote"], direction: "push" },
      ]);
      const [{ syncVersion, oldestSyncVersion }] = schemas;
      expect(await codeOf({ syncVersion }, "/v1/sync/notes", reader)).toBe("0");
      expect(await codeOf({ syncVersion: oldestSyncVersion }, "/v1/sync/notes", reader)).toBe("0");
      await fixture.put({ name: "groups", classes: [{ className: "UserGroup" }] });
      const names = async (as: Session) =>
        (await fixture.data(as, "GET", "/v1/sync")).schemas.map((each: { name: string }) => each.name);
      expect(await names(admin)).toContain("groups");
    });

    test.each(modes)("returns the fields of the schema in mode %s", async (mode) => {
      await fixture.put({ name: "titles", classes: [{ className: "SyncNote", fields: ["Title", "Parent"] }] });
      const parent = await create({ Title: "parent" });
      const { syncVersion } = await fixture.pullAll(demo, "titles", "0");
      const child = await create({ Title: "child", Kind: "x", Parent: parent.uuid });
      const session = await openSession(server(), mode, "demo");
      const { changed } = await fixture.pullAll(session, "titles", syncVersion);
      expect(changed).toEqual([
        {
          "~ClassName": "SyncNote",
          "~ObjectID": child.id,
          "~UUID": child.uuid,
          "~Version": 1,
          "~StoreTime": expect.any(String),
          Title: "child",
          Parent: { "~UUID": parent.uuid },
        },
      ]);
      const item = { method: "POST", path: "/v1/sync/titles", data: { syncVersion } };
      const waiting = { ...item, data: { syncVersion, wait: 1 } };
      const [plain, refused] = await fixture.data(session, "POST", "/v1/multi", [item, waiting]);
      expect(plain.result.data.changed).toEqual(changed);
      expect(refused.result.status.internalStatus).toBe("332");
    });

    test("restarts clients after a change of the schema, but not after one of another", async () => {
      await fixture.put({ name: "moving", classes: [{ className: "SyncNote" }] });
      const { syncVersion } = await fixture.pullAll(demo, "moving", "0");
      await fixture.put({ name: "moving", classes: [{ className: "SyncNote" }] });
      await fixture.put({ name: "unrelated", classes: [{ className: "SyncNote" }] });
      expect(await codeOf({ syncVersion }, "/v1/sync/moving")).toBe("0");
      await fixture.put({ name: "moving", classes: [{ className: "SyncNote", fields: ["Title"] }] });
      expect(await codeOf({ syncVersion }, "/v1/sync/moving")).toBe("330 restart");
      expect(await codeOf({ syncVersion }, "/v1/sync/moving", reader)).toBe("330 restart");
    });

    test("names deleted and excluded objects only to users that could read them", async () => {
      await defineSchema();
      const [kept, narrowed, gone, secret] = [
        await create({ Title: "kept", Kind: "shown" }),
        await create({ Title: "narrowed", Kind: "shown" }),
        await create({ Title: "gone", Kind: "shown" }),
        await create({ Title: "secret", Kind: "shown" }),
      ];
      await fixture.data(demo, "PUT", `${secret.path}/readers`, { readers: [await userId("demo")] });
      const query = { where: { Kind: "shown" } };
      const { syncVersion, ...first } = await fixture.pullAll(reader, "notes", "0", { query });
      expect(first.changed.map((each: { Title: string }) => each.Title)).toEqual(["kept", "narrowed", "gone"]);
      expect([first.deleted, first.excluded]).toEqual([[], []]);
      await fixture.data(demo, "PUT", `${narrowed.path}/readers`, { readers: [await userId("demo")] });
      await fixture.data(demo, "DELETE", gone.path);
      await fixture.data(demo, "DELETE", secret.path);
      await fixture.data(demo, "PATCH", kept.path, { Kind: "other" });
      const { changed, deleted, excluded } = await fixture.pullAll(reader, "notes", syncVersion, { query });
      expect([changed, deleted, [...excluded].toSorted()]).toEqual([
        [],
        [{ uuid: gone.uuid, version: 2 }],
        [narrowed.uuid, kept.uuid].toSorted(),
      ]);
    });

    test("sends the referrers of an object that vanishes or becomes visible again, over several pages", async () => {
      await defineSchema();
      const target = await create({ Title: "target" });
      const referrers = [];
      for (let index = 0; index < 7; index += 1)
        referrers.push(
          await create({
            Title: "referrer",
            ...(index % 2 === 0 ? { Parent: target.uuid } : { Others: [target.uuid] }),
          }),
        );
      const uuids = referrers.map(({ uuid }) => uuid).toSorted();
      let version: string = (await fixture.pullAll(reader, "notes", "0")).syncVersion;
      /** The changes for the reader, and whether the referrers still name the target. */
      const next = async () => {
        const { syncVersion, changed, deleted, excluded } = await fixture.pullAll(reader, "notes", version, {
          limit: 3,
        });
        version = syncVersion;
        const sent = new Map<string, PulledNote>(changed.map((each: PulledNote) => [each["~UUID"], each]));
        const named = uuids.map((uuid) => {
          const { Parent, Others = [] } = sent.get(uuid) ?? {};
          return [Parent ?? [], Others].flat().some((each) => each["~UUID"] === target.uuid);
        });
        return { changed: [...sent.keys()].toSorted(), named: [...new Set(named)], deleted, excluded };
      };
      const appeared = { changed: [target.uuid, ...uuids].toSorted(), named: [true], deleted: [], excluded: [] };
      await fixture.data(demo, "DELETE", `${target.path}?moveToRecycler=true`);
      const deleted = [{ uuid: target.uuid, version: 2 }];
      expect(await next()).toEqual({ changed: uuids, named: [false], deleted, excluded: [] });
      await fixture.data(demo, "POST", `${target.path}/restore`, {});
      expect(await next()).toEqual(appeared);
      const readers = [await userId("demo")];
      await fixture.data(demo, "PUT", `${target.path}/readers`, { readers });
      expect(await next()).toEqual({ changed: uuids, named: [false], deleted: [], excluded: [target.uuid] });
      await fixture.data(demo, "PATCH", target.path, { Kind: "written, without a reader" });
      await fixture.data(demo, "DELETE", `${target.path}?moveToRecycler=true`);
      expect(await next()).toEqual({ changed: [], named: [false], deleted: [], excluded: [] });
      await fixture.data(demo, "POST", `${target.path}/restore`, {});
      await fixture.data(demo, "PUT", `${target.path}/readers`, { readers: null });
      await fixture.data(demo, "PATCH", target.path, { Kind: "written later" });
      expect(await next()).toEqual(appeared);
      // One transaction that narrows the readers and deletes.
      const items = [
        { method: "PUT", path: `${target.path}/readers`, data: { readers } },
        { method: "DELETE", path: `${target.path}?moveToRecycler=true` },
      ];
      await fixture.data(demo, "POST", "/v1/multi?atomic=true", items);
      expect(await next()).toMatchObject({ changed: uuids, named: [false], deleted: [{ uuid: target.uuid }] });
      // Administrators could always read it.
      expect(
        (await fixture.pullAll(admin, "notes", (await fixture.pullAll(admin, "notes", "0")).syncVersion)).changed,
      ).toEqual([]);
    });

    test("cuts pages by bytes, so that no object blocks a pull", async () => {
      await defineSchema();
      await fixture.defineNotes(admin, "LargeNote");
      await fixture.put({ name: "large", classes: [{ className: "LargeNote" }] });
      for (let index = 0; index < 6; index += 1)
        await fixture.data(demo, "POST", "/v1/object/LargeNote", { Title: "x".repeat(900_000) });
      const first = (await fixture.pull(demo, "large", { syncVersion: "0" })).body.data;
      expect([first.changed.length, first.hasMore, first.syncVersion]).toEqual([4, true, undefined]);
      expect((await fixture.pullAll(demo, "large", "0")).changed).toHaveLength(6);
      const { cursor } = first;
      expect(await codeOf({ syncVersion: "0", cursor }, "/v1/sync/large")).toBe("0");
      expect(await codeOf({ syncVersion: "0", cursor }, "/v1/sync/notes")).toBe("332");
      expect(await codeOf({ syncVersion: "0", cursor }, "/v1/sync/large", reader)).toBe("332");
      expect(await codeOf({ syncVersion: "0", cursor, query: { where: { Kind: "a" } } }, "/v1/sync/large")).toBe("332");
    });

    /** Random writers, and followers that pull page by page beside them. */
    test.each(Array.from({ length: isFullRun ? 20 : 4 }, (_, index) => index + 1))(
      "followers hold what their users can read, seed %i",
      async (seed) => {
        const name = `Followed${seed}`;
        await fixture.defineNotes(admin, name);
        await fixture.put({ name, classes: [{ className: name }], where: { Kind: { $ne: "draft" } } });
        const users = { demo: await userId("demo"), reader: await userId("reader"), admin: await userId("admin") };
        let state = seed;
        const random = (below: number) => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return Math.floor((state / 2 ** 32) * below);
        };
        const paths: string[] = [];
        const uuids: string[] = [];
        const anyOf = <T>(list: readonly T[]) => list[random(list.length)] as T;
        const references = () => ({
          Parent: random(3) === 0 || uuids.length === 0 ? null : anyOf(uuids),
          Others: uuids.length === 0 ? [] : [...new Set([anyOf(uuids), anyOf(uuids)])],
        });
        const write = async (): Promise<void> => {
          const [path, kind] = [anyOf(paths), anyOf(["a", "b", "draft"])];
          const choice = path === undefined ? 0 : random(9);
          if (choice < 2) {
            const made = await fixture.send(admin, "POST", `/v1/object/${name}`, {
              Title: `${random(100)}`,
              Kind: kind,
            });
            paths.push(`/v1/object/${made.body.data["~ObjectID"]}`);
            uuids.push(made.body.data["~UUID"]);
          } else if (choice === 2) await fixture.send(admin, "PATCH", path, { Title: `${random(100)}`, Kind: kind });
          else if (choice === 3) await fixture.send(admin, "PATCH", path, references());
          else if (choice === 4) await fixture.send(admin, "DELETE", `${path}?moveToRecycler=true`);
          else if (choice === 5) await fixture.send(admin, "POST", `${path}/restore`, {});
          else if (choice === 6 && random(3) === 0) await fixture.send(admin, "DELETE", path);
          else {
            const readers = anyOf([null, [users.reader], [users.demo], [users.admin], [users.demo, users.reader]]);
            await fixture.send(admin, "PUT", `${path}/readers`, { readers });
          }
        };
        const some = async (): Promise<void> => {
          for (let left = random(4); left > 0; left -= 1) await write();
        };
        const followers = [
          [new Follower(fixture, demo, name, { limit: 2 }), "demo", () => true],
          [new Follower(fixture, reader, name, { limit: 3 }), "reader", () => true],
          [new Follower(fixture, admin, name), "admin", () => true],
          [new Follower(fixture, reader, name, { query: { where: { Kind: "a" } } }), "reader", ofKindA],
        ] as const;
        for (let round = 0; round < 12; round += 1) {
          for (let left = 6; left > 0; left -= 1) await write();
          for (const [follower] of followers) if (random(2) === 0) await follower.pull(some);
        }
        const { storage, models } = fixture.database;
        const { modelGeneration } = await storage.repositories.admission.admit(ofDatabase);
        const model = await models.current(modelGeneration, storage.repositories.model);
        for (const [follower, user, isWanted] of followers) {
          await follower.pull();
          const { attributes } = (await storage.repositories.objects.get([users[user]], seesAll))[0] as StoredObject;
          const principal: Principal = {
            userId: users[user],
            groups: attributes["Groups"] as readonly string[],
            administrator: user === "admin",
          };
          const seen = await storage.repositories.objects.find({ classes: [name] }, visibilityOf(principal, model), {
            offset: 0,
            limit: 1_000,
          });
          const ids = new Map(seen.objects.map(({ id, uuid }) => [id, uuid]));
          const expected = seen.objects.filter((each) => each.attributes["Kind"] !== "draft" && isWanted(each));
          expect(follower.held()).toEqual(new Map(expected.map((object) => [object.uuid, shownOf(object, ids)])));
        }
      },
      60_000,
    );
  },
  { on: [...new Set([...testedEngines, "memory" as const])] },
);

interface PulledNote {
  readonly "~UUID": string;
  readonly Parent?: { readonly "~UUID": string } | null;
  readonly Others?: readonly { readonly "~UUID": string }[];
}

function ofKindA({ attributes }: StoredObject): boolean {
  return attributes["Kind"] === "a";
}

function shownOf({ version, attributes }: StoredObject, uuids: ReadonlyMap<string, string>): object {
  const shown = (id: unknown) => uuids.get(id as string) ?? null;
  return {
    version,
    title: attributes["Title"] ?? null,
    kind: attributes["Kind"] ?? null,
    parent: shown(attributes["Parent"]),
    others: ((attributes["Others"] ?? []) as readonly string[]).map(shown).filter((uuid) => uuid !== null),
  };
}
