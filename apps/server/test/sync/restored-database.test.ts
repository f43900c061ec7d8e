import { randomInt } from "node:crypto";
import { sync, type SyncOptions } from "@sallyport/client/sync";
import { type Device, devicesOf, to, deviceEnvironment } from "./devices.ts";
import { onEngines } from "../engines.ts";

/** Devices whose server gets an earlier database. The second database is the first one as of an earlier time. */
onEngines(
  "devices of a restored database",
  (server) => {
    const { device, onServer } = devicesOf(server);

    /** Synchronizes a device with the earlier database. */
    const syncRestored = ({ store }: Device, { client }: Device, onConflict?: SyncOptions["onConflict"]) =>
      sync({ client, schema: "client", store, retries: 0, onConflict });

    test("what a restore of the database took back is pushed again, and reported", async () => {
      const [one, past] = [await device(), await device({ alias: "second" })];
      // The second database is the first one as of an earlier time.
      const uuid = await one.create({ Title: "old", Count: 1 });
      await past.store.create("client", "Visit", { Title: "old", Count: 1 }, uuid);
      const dropped = await past.create({ Title: "dropped" });
      await one.store.create("client", "Visit", { Title: "dropped" }, dropped);
      await one.sync();
      await past.sync();
      await one.update(uuid, { Title: "new" });
      const created = await one.create({ Title: "created" });
      await one.remove(dropped);
      await one.sync();
      await one.update(uuid, { Count: 2 });
      const report = await syncRestored(one, past);
      expect(report.restarted).toBe(1);
      expect(report.takenBack).toHaveLength(3);
      expect(report.takenBack).toEqual(
        expect.arrayContaining([
          { uuid, className: "Visit", op: "put", fields: { Title: "new" }, theirs: { Title: "old" }, isQueued: true },
          {
            uuid: created,
            className: "Visit",
            op: "put",
            fields: expect.objectContaining({ Title: "created" }),
            theirs: null,
            isQueued: true,
          },
          expect.objectContaining({ uuid: dropped, op: "delete", isQueued: false }),
        ]),
      );
      await expect(onServer(past, uuid)).resolves.toMatchObject({ Title: "new", Count: 2 });
      await expect(onServer(past, created)).resolves.toMatchObject({ Title: "created" });
      await expect(one.get(dropped)).resolves.toMatchObject({ Title: "dropped" });
    });

    /** A device that holds objects which the earlier database lacks, and a device of that database. */
    const scene = async () => {
      const [one, past] = [await device(), await device({ alias: "second" })];
      const kept = await one.create({ Title: "kept" });
      await past.create({ Title: "kept" }, "Visit", kept);
      await one.sync();
      await past.sync();
      const restore = async (onConflict?: SyncOptions["onConflict"]) => {
        const report = await syncRestored(one, past, onConflict);
        await past.sync();
        expect(report.restarted).toBe(1);
        return report;
      };
      return { one, past, kept, restore };
    };
    const uuids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
    const fieldsOf = async (from: Device, uuid: string) => {
      const { Title, Next, Others } = (await from.get(uuid)) ?? {};
      return { Title, Next, Others };
    };
    const nothingLost = { refused: [], postponed: [], conflicts: [] };

    test("objects that refer to one another are created again, and edits that refer to them wait", async () => {
      const { one, past, kept, restore } = await scene();
      const all = uuids(30);
      const any = () => to(all[randomInt(all.length)] as string);
      for (const uuid of all) await one.create({ Title: uuid }, "Visit", uuid);
      for (const uuid of all) await one.update(uuid, { Next: any(), Others: [any(), any()] });
      // Two targets: the same one again would be no edit.
      const [earlier, later] = all as [string, string];
      await one.update(kept, { Next: to(earlier) });
      await one.sync();
      await one.update(kept, { Next: to(later) });
      const before = await Promise.all([kept, ...all].map((uuid) => fieldsOf(one, uuid)));
      let pushes = 0;
      past.network.send = (...request) => {
        if (String(request[0]).endsWith("/push")) pushes += 1;
        return fetch(...request);
      };
      // The last edit of the kept object meets a server that lacks the one before.
      await expect(restore()).resolves.toMatchObject({ ...nothingLost, conflicts: [{ uuid: kept, kept: "mine" }] });
      expect(pushes).toBeLessThan(10);
      for (const each of [one, past]) {
        const after = await Promise.all([kept, ...all].map((uuid) => fieldsOf(each, uuid)));
        expect(after).toEqual(before);
      }
    });

    test.each(["earlier", "later"])(
      "an object with a mandatory reference to an %s one is created again",
      async (place) => {
        const { one, past, restore } = await scene();
        const [first, second] = uuids(2).toSorted() as [string, string];
        const [visit, line] = place === "earlier" ? [first, second] : [second, first];
        await one.create({ Title: "visit" }, "Visit", visit);
        await one.store.create("client", "Line", { Of: to(visit) }, line);
        await one.update(visit, { Main: to(line) });
        await one.sync();
        await expect(restore()).resolves.toMatchObject(nothingLost);
        await expect(past.get(visit)).resolves.toMatchObject({ Title: "visit", Main: to(line) });
        await expect(past.get(line)).resolves.toMatchObject({ Of: to(visit) });
      },
    );

    test("an object that refers to a lost one of another device is created without the reference, which is reported", async () => {
      const { one, past, restore } = await scene();
      const two = await device();
      const foreign = await two.create({ Title: "of two" });
      await two.sync();
      await one.sync();
      const uuid = await one.create({ Title: "of one", Next: to(foreign) });
      const line = await one.store.create("client", "Line", { Of: to(foreign) });
      await one.sync();
      const report = await restore();
      expect(report.refused).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ uuid, op: "put", code: 307, fields: { Next: to(foreign) } }),
          expect.objectContaining({ uuid: line, op: "put", code: 307, fields: { Of: to(foreign) } }),
        ]),
      );
      expect(report.refused).toHaveLength(2);
      expect(await fieldsOf(past, uuid)).toEqual({ Title: "of one" });
      await expect(past.get(line)).resolves.toBeUndefined();
    });

    test("objects that refer to one another and to a lost one keep their other references, and later edits", async () => {
      const { one, past, restore } = await scene();
      const two = await device();
      const foreign = await two.create({ Title: "of two" });
      await two.sync();
      await one.sync();
      const [first, second] = uuids(2) as [string, string];
      await one.create({ Title: "first", Next: to(foreign) }, "Visit", first);
      await one.create({ Title: "second", Others: [to(first)] }, "Visit", second);
      await one.update(first, { Others: [to(second)] });
      await one.sync();
      let answers = 0;
      past.network.send = async (...request) => {
        const answer = await fetch(...request);
        if (String(request[0]).endsWith("/push") && (answers += 1) === 2) await one.update(first, { Title: "edited" });
        return answer;
      };
      const report = await restore();
      expect(report.refused).toEqual([
        {
          uuid: first,
          className: "Visit",
          op: "put",
          code: 307,
          message: expect.any(String),
          fields: { Next: to(foreign) },
        },
      ]);
      await expect(fieldsOf(past, first)).resolves.toEqual({ Title: "edited", Others: [to(second)] });
      await expect(fieldsOf(past, second)).resolves.toEqual({ Title: "second", Others: [to(first)] });
      await expect(one.pending()).resolves.toEqual([]);
    });

    test("a deletion does not overtake an edit that waits for an object", async () => {
      const { one, past, kept, restore } = await scene();
      const old = await one.create({ Title: "old" });
      await past.create({ Title: "old" }, "Visit", old);
      await one.update(kept, { Next: to(old) });
      await past.update(kept, { Next: to(old) });
      await one.sync();
      await past.sync();
      const lost = await one.create({ Title: "lost" });
      await one.sync();
      await one.update(kept, { Next: to(lost) });
      await one.remove(old);
      await expect(restore()).resolves.toMatchObject(nothingLost);
      await expect(past.get(kept)).resolves.toMatchObject({ Next: to(lost) });
      await expect(past.get(old)).resolves.toBeUndefined();
    });

    test("an object is created again although others have changed all that its device wrote", async () => {
      const { one, past, restore } = await scene();
      const two = await device();
      const uuid = await one.create({ Title: "of one" });
      await one.sync();
      await two.sync();
      await two.update(uuid, { Title: "of two" });
      await two.sync();
      await one.sync();
      await expect(restore()).resolves.toMatchObject(nothingLost);
      await expect(past.get(uuid)).resolves.toMatchObject({ Title: "of two" });
    });

    test("an edit of an object that the user does not create again is refused", async () => {
      const { one, past, restore } = await scene();
      const uuid = await one.create({ Title: "lost", Count: 1 });
      await one.sync();
      const report = await restore(async () => {
        await one.update(uuid, { Title: "later" });
        return "theirs" as const;
      });
      expect(report.refused).toMatchObject([{ uuid, op: "put", fields: { Title: "later" } }]);
      await expect(one.get(uuid)).resolves.toBeUndefined();
      await expect(past.get(uuid)).resolves.toBeUndefined();
    });
  },
  { environment: deviceEnvironment },
);
