import { TransportError } from "@sallyport/client";
import type { Conflict } from "@sallyport/client/sync";
import { CuttingProxy } from "../client/cutting-proxy.ts";
import { devicesOf, to, visitClass, deviceEnvironment } from "./devices.ts";
import { onEngines } from "../engines.ts";

/** Devices of the client against a server, over HTTP. */
onEngines(
  "devices",
  (server) => {
    const { device, pair, onServer, putSchema, define } = devicesOf(server);

    test("two devices exchange creations, references, changes and deletions", async () => {
      const { one, two, uuid } = await pair();
      const next = await one.create({ Title: "next", Next: { "~UUID": uuid } });
      await one.update(uuid, { Next: { "~UUID": next } });
      await expect(one.pending()).resolves.toHaveLength(2);
      await expect(one.sync()).resolves.toMatchObject({ pushed: 2, conflicts: [], refused: [], postponed: [] });
      await two.sync();
      await expect(two.get(uuid)).resolves.toMatchObject({
        Title: "first",
        Next: { "~UUID": next },
        "~Pending": false,
      });
      await two.update(uuid, { Next: null });
      await two.remove(next);
      await expect(two.get(next)).resolves.toBeUndefined();
      await expect(two.sync()).resolves.toMatchObject({ pushed: 2, refused: [], postponed: [] });
      await expect(one.sync()).resolves.toMatchObject({ deleted: 1 });
      expect(await one.titles()).toEqual(await two.titles());
      await expect(onServer(one, next)).resolves.toBe(609);
    });

    test.each([1, 2, 3, 4, 5, 6])("nothing is lost or done twice when answer %i is lost", async (lost) => {
      const { one, two, uuid } = await pair();
      let answers = 0;
      one.network.send = async (...request) => {
        const answer = await fetch(...request);
        if ((answers += 1) !== lost) return answer;
        await answer.arrayBuffer();
        throw new TypeError("The connection broke.");
      };
      const created = await one.create({ Title: `new ${lost}` });
      await one.update(uuid, { Title: `changed ${lost}` });
      let failures = 0;
      for (let round = 0; round < 6; round += 1) {
        await one.sync({ limit: 1 }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(TransportError);
          failures += 1;
        });
        await one.update(uuid, { Count: round });
      }
      await one.sync();
      expect(answers).toBeGreaterThanOrEqual(lost);
      expect(failures).toBe(1);
      await expect(one.pending()).resolves.toEqual([]);
      await two.sync();
      await expect(two.get(uuid)).resolves.toMatchObject({ Title: `changed ${lost}`, Count: 5 });
      await expect(two.get(created)).resolves.toMatchObject({ "~Version": 1 });
      await expect(one.get(uuid)).resolves.toMatchObject({ "~Version": (await two.get(uuid))?.["~Version"] });
    });

    test("connections that break in every page delay a pull only", async () => {
      const { one } = await pair();
      for (let number = 0; number < 30; number += 1) await one.create({ Title: `page ${number}` });
      await one.sync();
      const proxy = await CuttingProxy.open(server().url);
      try {
        const two = await device({ baseUrl: proxy.url });
        proxy.plan = Array.from({ length: 12 }, (_, index) => 900 + 450 * index);
        await proxy.cut();
        await expect(two.sync({ limit: 4, retries: 20 })).resolves.toMatchObject({ restarted: 0 });
        expect(proxy.plan.length).toBeLessThan(12);
        await one.sync();
        expect(await two.titles()).toEqual(await one.titles());
      } finally {
        await proxy.close();
      }
    }, 60_000);

    test("more than 1,000 changes, and more than 8 MiB, are several pushes", async () => {
      const one = await device();
      const paths: string[] = [];
      one.network.send = (...request) => {
        if (String(request[0]).endsWith("/push")) paths.push(String(request[1]?.body).slice(0, 20));
        return fetch(...request);
      };
      for (let number = 0; number < 1_010; number += 1) await one.create({ Title: `many ${number}` });
      await expect(one.sync()).resolves.toMatchObject({ pushed: 1_010, refused: [] });
      expect(paths).toHaveLength(2);
      for (let number = 0; number < 9; number += 1) await one.create({ Title: `${number}`.padEnd(1_000_000, "x") });
      await expect(one.sync()).resolves.toMatchObject({ pushed: 9, refused: [] });
      expect(paths).toHaveLength(4);
    }, 60_000);

    describe("conflicts", () => {
      const edited = async (schema: string) => {
        const { one, two, uuid } = await pair(schema);
        await two.update(uuid, { Title: "theirs" });
        await two.sync();
        await one.update(uuid, { Title: "mine", Count: 2 });
        return { one, two, uuid };
      };
      const conflict = { field: "Title", mine: "mine", theirs: "theirs" };

      test.each([
        ["client", { Title: "mine", Count: 2 }, "mine"],
        ["server", { Title: "theirs", Count: 2 }, "theirs"],
      ] as const)("are resolved by the policy %s, and reported", async (schema, expected, kept) => {
        const { one, two, uuid } = await edited(schema);
        const report = await one.sync();
        expect(report.conflicts).toEqual([{ uuid, className: "Visit", ...conflict, kept }]);
        await two.sync();
        for (const each of [one, two]) await expect(each.get(uuid)).resolves.toMatchObject(expected);
        await expect(one.sync()).resolves.toMatchObject({ conflicts: [], merged: [] });
      });

      test("are dropped and reported under the policy reject", async () => {
        const { one, uuid } = await edited("reject");
        const report = await one.sync();
        expect(report.conflicts).toEqual([{ uuid, className: "Visit", ...conflict, kept: "theirs" }]);
        expect(report.refused).toMatchObject([{ uuid, code: 332, fields: { Title: "mine", Count: 2 } }]);
        await expect(one.get(uuid)).resolves.toMatchObject({ Title: "theirs", Count: 1, "~Pending": false });
      });

      test.each([
        ["mine", { Title: "mine", Count: 2 }, "mine"],
        ["theirs", { Title: "theirs", Count: 1 }, "theirs"],
        [{ Title: "both" }, { Title: "both", Count: 1 }, "custom"],
      ] as const)("are decided by onConflict under the policy reject: %j", async (decision, expected, kept) => {
        const { one, two, uuid } = await edited("reject");
        const asked: Conflict[] = [];
        const onConflict = (conflict: Conflict) => {
          asked.push(conflict);
          return decision;
        };
        const report = await one.sync({ onConflict });
        expect(asked).toMatchObject([
          { uuid, reason: "rejected", fields: ["Title"], mine: { Title: "mine" }, theirs: { Title: "theirs" } },
        ]);
        expect(report.conflicts).toMatchObject([{ ...conflict, kept }]);
        await two.sync();
        for (const each of [one, two]) await expect(each.get(uuid)).resolves.toMatchObject(expected);
      });

      test("survive a failure of the synchronization, and are reported by the next one", async () => {
        const { one, uuid } = await edited("client");
        let pushes = 0;
        one.network.send = async (...request) => {
          pushes += 1;
          if (pushes > 1) throw new TypeError("offline");
          return fetch(...request);
        };
        await one.update(uuid, { Title: "mine" });
        await one.create({ Title: "another" });
        await one.sync({ wait: 1 }).catch(() => {});
        one.network.send = fetch;
        await expect(one.sync()).resolves.toMatchObject({ conflicts: [{ uuid, ...conflict }] });
        await expect(one.sync()).resolves.toMatchObject({ conflicts: [] });
      });
    });

    test("a refused edit is dropped and reported, and stops no other", async () => {
      const { one, two, uuid } = await pair();
      await two.remove(uuid);
      await two.sync();
      await one.update(uuid, { Title: "too late" });
      const sealed = await one.create({ Title: "sealed" }, "Sealed");
      const invalid = await one.create({ Title: 5 as never });
      const good = await one.create({ Title: "good" });
      const { refused } = await one.sync();
      expect(refused).toMatchObject([
        { uuid, op: "put", code: 610, fields: { Title: "too late" } },
        { uuid: sealed, code: 404 },
        { uuid: invalid, code: 307, fields: { Title: 5 } },
      ]);
      for (const each of [uuid, sealed, invalid]) await expect(one.get(each)).resolves.toBeUndefined();
      await expect(onServer(one, good)).resolves.toMatchObject({ Title: "good" });
      await expect(one.pending()).resolves.toEqual([]);
    });

    describe("what a user typed stays, or is given back, when the server refuses a part of it:", () => {
      test("a new object and an edit stay without a reference to a deleted object", async () => {
        const { one, two, uuid } = await pair();
        const kept = await one.create({ Title: "kept" });
        const edited = await one.create({ Title: "edited" });
        await one.sync();
        await two.sync();
        const added = await one.create({ Title: "added", Next: to(uuid), Others: [to(kept)], Count: 3 });
        await one.update(edited, { Title: "edited again", Next: to(uuid) });
        const behind = await one.create({ Title: "behind", Next: to(added) });
        await two.remove(uuid);
        await two.sync();
        const { refused, postponed } = await one.sync();
        expect(postponed).toEqual([]);
        const alone = { op: "put", code: 307, fields: { Next: to(uuid) } };
        expect(refused.map(({ uuid: of, op, code, fields }) => [of, { op, code, fields }])).toEqual(
          expect.arrayContaining([
            [added, alone],
            [edited, alone],
          ]),
        );
        expect(refused).toHaveLength(2);
        await two.sync();
        for (const each of [one, two]) {
          await expect(each.get(added)).resolves.toMatchObject({
            Title: "added",
            Others: [to(kept)],
            Count: 3,
          });
          expect((await each.get(added))?.["Next"] ?? null).toBeNull();
          await expect(each.get(edited)).resolves.toMatchObject({ Title: "edited again" });
          expect((await each.get(edited))?.["Next"] ?? null).toBeNull();
          await expect(each.get(behind)).resolves.toMatchObject({ Title: "behind", Next: to(added) });
        }
        await expect(one.pending()).resolves.toEqual([]);
      });

      test("a valid creation and valid edits stay without a later edit", async () => {
        const { one, two, uuid } = await pair();
        const added = await one.create({ Title: "added", Count: 1 });
        await one.update(added, { Count: "many" as never });
        await one.update(added, { Title: "added, edited" });
        await one.update(uuid, { Title: "edited" });
        await one.update(uuid, { Count: "many" as never });
        await expect(one.pending()).resolves.toHaveLength(2);
        const { refused } = await one.sync();
        expect(refused).toEqual(
          [added, uuid].map((each) => expect.objectContaining({ uuid: each, code: 307, fields: { Count: "many" } })),
        );
        await two.sync();
        for (const each of [one, two]) {
          await expect(each.get(added)).resolves.toMatchObject({ Title: "added, edited", Count: 1 });
          await expect(each.get(uuid)).resolves.toMatchObject({ Title: "edited", Count: 1 });
        }
        await expect(one.sync()).resolves.toMatchObject({ refused: [], conflicts: [] });
      });

      test("the edits before a refused removal", async () => {
        const { uuid } = await pair();
        const reader = await device({ user: "reader" });
        await reader.sync();
        await reader.update(uuid, { Title: "typed" });
        await reader.update(uuid, { Count: 9 });
        await reader.remove(uuid);
        await define("", { ...visitClass, rights: [{ group: "*", permissions: ["read", "create", "write"] }] });
        const { refused } = await reader.sync();
        await define("", visitClass);
        expect(refused).toMatchObject([{ uuid, op: "delete", code: 404, fields: { Title: "typed", Count: 9 } }]);
        await expect(reader.get(uuid)).resolves.toMatchObject({ Title: "first", "~Pending": false });
      });

      test("the report of an application that ends while it is given", async () => {
        const one = await device();
        const uuid = await one.create({ Title: "refused", Count: "many" as never });
        const onNotices = () => Promise.reject(new Error("ended"));
        await expect(one.sync({ onNotices })).rejects.toThrow("ended");
        const reports: unknown[] = [];
        const { refused } = await one.sync({ onNotices: (notices) => void reports.push(notices.refused) });
        expect(refused).toMatchObject([{ uuid, fields: { Title: "refused", Count: "many" } }]);
        expect(reports).toEqual([refused]);
        await expect(one.sync({ onNotices })).resolves.toMatchObject({ refused: [] });
      });
    });

    test("a push that is refused for other reasons than its edits drops none", async () => {
      const { one, uuid } = await pair();
      await one.update(uuid, { Title: "kept" });
      await one.create({ Title: "kept, too" });
      const wrong = [
        [{ limit: 5_001 }, 332],
        [{ query: { where: { Absent: 1 } } }, 307],
      ] as const;
      for (const [options, code] of wrong) await expect(one.sync(options)).rejects.toMatchObject({ code });
      await expect(one.pending()).resolves.toHaveLength(2);
      await expect(one.sync()).resolves.toMatchObject({ pushed: 2, refused: [] });
    });

    test("an edit of a locked object waits", async () => {
      const { one, two, uuid } = await pair();
      await two.client.lockObject(uuid);
      await one.update(uuid, { Title: "later" });
      const other = await one.create({ Title: "now" });
      await expect(one.sync()).resolves.toMatchObject({ pushed: 1, postponed: [{ uuid, code: 713 }], refused: [] });
      await expect(onServer(one, other)).resolves.toMatchObject({ Title: "now" });
      await two.client.unlockObject(uuid);
      await expect(one.sync()).resolves.toMatchObject({ pushed: 1, postponed: [] });
      await expect(onServer(one, uuid)).resolves.toMatchObject({ Title: "later" });
    });

    test("an object that the user may no longer read leaves the device, with its edits", async () => {
      const { one, uuid } = await pair();
      const reader = await device({ user: "reader" });
      await reader.sync();
      await expect(reader.get(uuid)).resolves.toMatchObject({ Title: "first" });
      await reader.update(uuid, { Title: "unseen" });
      const { user } = await one.client.logIn({
        mode: "session",
        user: "demo",
        password: "demo",
        appNames: ["demo-app"],
      });
      await one.client.setReaders(uuid, [user["~ObjectID"]]);
      const report = await reader.sync();
      expect(report.refused).toMatchObject([{ uuid, code: 334, fields: { Title: "unseen" } }]);
      await expect(reader.store.entry("client", uuid)).resolves.toBeUndefined();
    });

    test("another definition of the schema restarts, and keeps edits", async () => {
      await putSchema("", "changing");
      const [one, two] = [await device({ schema: "changing" }), await device({ schema: "changing" })];
      const [first, second] = [await one.create({ Title: "in first" }), await one.create({ Title: "out second" })];
      await one.sync();
      await two.sync();
      await one.update(first, { Count: 7 });
      await one.update(second, { Count: 8 });
      const added = await one.create({ Title: "in third" });
      await putSchema("", "changing", { where: { Title: { $like: "in %" } } });
      const report = await one.sync();
      expect(report).toMatchObject({
        restarted: 1,
        takenBack: [],
        refused: [{ uuid: second, code: 334, fields: { Count: 8 } }],
      });
      expect(await one.titles()).toEqual(["in first", "in third"]);
      await expect(onServer(one, added)).resolves.toMatchObject({ Title: "in third" });
      await expect(onServer(one, first)).resolves.toMatchObject({ Count: 7 });
      await two.sync();
      expect(await two.titles()).toEqual(["in first", "in third"]);
    });

    test("a waiting call ends with a change of the server, or with an edit of its store", async () => {
      const { one, two, uuid } = await pair();
      // Its own change, if the answer to the push did not contain it yet.
      await one.sync();
      const waiting = one.sync({ wait: 20 });
      await two.update(uuid, { Title: "from two" });
      await two.sync();
      await waiting;
      await expect(one.get(uuid)).resolves.toMatchObject({ Title: "from two" });
      const asked = new Promise<void>((resolve) => {
        one.network.send = (...request) => {
          if (String(request[1]?.body).includes('"wait"')) resolve();
          return fetch(...request);
        };
      });
      const pushing = one.sync({ wait: 20 });
      await asked;
      await one.update(uuid, { Title: "from one" });
      await expect(pushing).resolves.toMatchObject({ pushed: 1 });
      const controller = new AbortController();
      const aborted = one.sync({ wait: 20, signal: controller.signal });
      controller.abort(new Error("enough"));
      await expect(aborted).rejects.toThrow("enough");
    }, 60_000);

    test("a page that was damaged on its way is refused", async () => {
      const { one } = await pair();
      const two = await device();
      two.network.send = async (...request) => {
        const answer = await fetch(...request);
        const text = await answer.text();
        return new Response(text.replace('"~Version":1', '"~Version":2'), {
          status: answer.status,
          headers: answer.headers,
        });
      };
      await expect(two.sync()).rejects.toMatchObject({ reason: "foreign-answer" });
      expect(await two.titles()).toEqual([]);
      expect(await one.titles()).not.toEqual([]);
    });

    test("an edit that is discarded while it is pushed stays on the server and comes back", async () => {
      const { one, uuid } = await pair();
      await one.update(uuid, { Title: "sent" });
      one.network.send = async (...request) => {
        const answer = await fetch(...request);
        if (String(request[0]).endsWith("/push")) await one.store.discard("client", uuid);
        return answer;
      };
      await one.sync();
      await expect(one.get(uuid)).resolves.toMatchObject({ Title: "sent", "~Pending": false });
      await expect(onServer(one, uuid)).resolves.toMatchObject({ Title: "sent" });
    });
  },
  { environment: deviceEnvironment },
);
