import { syncPushFixture, syncPushEnvironment } from "./push-fixture.ts";
import { onEngines } from "../engines.ts";

/** Parsed JSON. */
type Json = ReturnType<typeof JSON.parse>;

/** Answers of pushes to a device whose objects refer to objects that appear and vanish. */
onEngines(
  "answers of pushes",
  (server) => {
    const fixture = syncPushFixture(server, "session");
    const { sessions, send, push, put, remove, create, stored, change, hide, sentPut, deletion } = fixture;
    const { repositories, schemaOf } = fixture;

    const show = async (uuid: string) => {
      const answer = await send(sessions.admin, `/v1/object/${uuid}/readers`, "PUT", { readers: null });
      expect(answer.code).toBe("0");
    };
    const current = async (): Promise<string> => (await push([])).body.data.syncVersion;
    const retitle = (uuid: string, version: number, Title: string) =>
      sentPut({ Title }, { uuid, syncVersion: String(version) });
    /** The answer of a push, after it was checked that it lists each object once, and none that it has written. */
    const answered = async (...args: Parameters<typeof push>): Promise<Json> => {
      const { code, body } = await push(...args);
      expect(code).toBe("0");
      const { results, changed, deleted, excluded } = body.data;
      const listed = [
        ...changed.map((each: Json) => each["~UUID"]),
        ...deleted.map((each: Json) => each.uuid),
        ...excluded,
      ];
      expect(listed.toSorted()).toEqual([...new Set(listed)].toSorted());
      const own = results.flatMap(({ uuid, internalStatus }: Json) => (internalStatus === 0 ? [uuid] : []));
      expect(listed.filter((uuid) => own.includes(uuid))).toEqual([]);
      return body.data;
    };

    test("an object whose target vanished or appeared is in its result only", async () => {
      const target = await create({ Title: "target" });
      const referrer = await create({ Title: "referrer", Next: { "~UUID": target }, Parts: [{ "~UUID": target }] });
      let syncVersion = await current();
      await hide(target);
      const vanished = await answered([retitle(referrer, 1, "second")], { syncVersion });
      expect(vanished).toMatchObject({ changed: [], deleted: [], excluded: [target] });
      expect(vanished.results).toMatchObject([
        { uuid: referrer, version: 2, object: { "~UUID": referrer, "~Version": 2, Title: "second", Next: null } },
      ]);
      ({ syncVersion } = vanished);
      await show(target);
      const appeared = await answered([retitle(referrer, 2, "third")], { syncVersion });
      expect(appeared.changed.map((each: Json) => each["~UUID"])).toEqual([target]);
      expect(appeared.results[0].object).toMatchObject({ "~UUID": referrer, "~Version": 3, Title: "third" });
      expect([appeared.results[0].object.Next, ...appeared.results[0].object.Parts]).toMatchObject([
        { "~UUID": target },
        { "~UUID": target },
      ]);
      expect((await answered([], { syncVersion: appeared.syncVersion })).changed).toEqual([]);
    });

    test("objects that refer to each other and to one that appeared are told once each", async () => {
      const target = await create({ Title: "target" });
      const [own, foreign] = [
        await create({ Title: "own", Next: { "~UUID": target } }),
        await create({ Title: "foreign", Next: { "~UUID": target } }),
      ];
      await hide(target);
      const syncVersion = await current();
      await show(target);
      await change(foreign, { Parts: [{ "~UUID": own }] });
      const version = (await stored(own))?.version ?? 0;
      const { changed, results } = await answered([retitle(own, version, "own, too")], { syncVersion });
      expect(changed.map((each: Json) => each["~UUID"]).toSorted()).toEqual([target, foreign].toSorted());
      expect(results[0].object).toMatchObject({ "~UUID": own, Title: "own, too", Next: { "~UUID": target } });
    });

    test("an object that was written and shown at once, and its referrers, are in their results only", async () => {
      const target = await create({ Title: "target" });
      const referrer = await create({ Title: "referrer", Next: { "~UUID": target } });
      await hide(target);
      const syncVersion = await current();
      await show(target);
      const version = (await stored(target))?.version ?? 0;
      const ops = [retitle(target, version, "written"), retitle(referrer, 1, "written, too")];
      const { changed, excluded, results } = await answered(ops, { syncVersion });
      expect([changed, excluded]).toEqual([[], []]);
      expect(results.map(({ internalStatus }: Json) => Number(internalStatus))).toEqual([0, 0]);
      expect(results[1].object).toMatchObject({ "~UUID": referrer, Next: { "~UUID": target } });
    });

    test("a deletion that a device is told has no user", async () => {
      const [recycled, deleted, own] = [
        await create({ Title: "recycled" }),
        await create({ Title: "deleted" }),
        await create({ Title: "own" }),
      ];
      const syncVersion = await current();
      const { account } = await repositories().accounts.find({ realm: "database", loginName: "admin" }, []);
      for (const [uuid, query] of [
        [recycled, "?moveToRecycler=true"],
        [deleted, ""],
      ])
        expect((await send(sessions.admin, `/v1/object/${uuid}${query}`, "DELETE")).code).toBe("0");
      const answers = [
        await push([deletion(own), retitle(recycled, 1, "late"), retitle(deleted, 1, "late")], { syncVersion }),
        await send(sessions.two, `/v1/sync/${schemaOf("client")}`, "POST", { syncVersion }),
        await put(recycled, { syncVersion: "1", fields: { Title: "late" } }),
        await remove(deleted),
        await send(sessions.two, "/v1/sync"),
      ];
      expect(answers.map(({ code }) => code)).toEqual(["0", "0", "610", "609", "0"]);
      expect(answers[1]?.body.data.deleted.map((each: Json) => Object.keys(each).toSorted())).toEqual(
        [recycled, deleted, own].map(() => ["uuid", "version"]),
      );
      for (const { body } of answers) {
        const text = JSON.stringify(body);
        expect(text).not.toContain("~DeletedBy");
        expect(text).not.toContain(`"${account?.userId}"`);
      }
    });

    test("an object that another user has changed after the push is a change", async () => {
      const uuid = await create({ Title: "mine" });
      const syncVersion = await current();
      const ops = [retitle(uuid, 1, "first")];
      await answered(ops, { syncVersion });
      await change(uuid, { Title: "theirs" });
      // The answer was lost, so the device repeats its change.
      const { body } = await push(ops, { syncVersion });
      expect(body.data.changed).toMatchObject([{ "~UUID": uuid, "~Version": 3, Title: "theirs" }]);
    });
  },
  { environment: syncPushEnvironment },
);
