import { type StoreChange, sync, SyncStore } from "@sallyport/client/sync";
import { devicesOf, deviceEnvironment } from "./devices.ts";
import { onEngines } from "../engines.ts";

/** How the store of a device tells the application of changes and of the fate of edits. */
onEngines(
  "stores of devices",
  (server) => {
    const { pair } = devicesOf(server);

    test("the value that a merge has overwritten stays until the application confirms it", async () => {
      const { one, two, uuid } = await pair("server");
      await two.update(uuid, { Title: "theirs" });
      await two.sync();
      await one.update(uuid, { Title: "mine" });
      const again = () => sync({ client: one.client, schema: "server", store: one.store, retries: 0 });
      const conflict = { uuid, className: "Visit", field: "Title", mine: "mine", theirs: "theirs", kept: "theirs" };
      expect((await again()).conflicts).toEqual([conflict]);
      expect((await again()).conflicts).toEqual([conflict]);
      // Another start of the application, without the server.
      const kept = await new SyncStore(one.store.storage).notices("server");
      expect(kept.conflicts).toEqual([conflict]);
      await kept.confirm();
      expect((await again()).conflicts).toEqual([]);
    });

    test("listeners learn which objects have changed, and why", async () => {
      const { one, two, uuid } = await pair();
      const changes: StoreChange[] = [];
      one.store.subscribe((change) => changes.push(change));
      const created = await one.create({ Title: "new" });
      await two.update(uuid, { Title: "theirs" });
      const removed = await two.create({ Title: "short-lived" });
      await two.sync();
      await one.sync();
      await two.remove(removed);
      await two.sync();
      const before = changes.length;
      await one.sync();
      expect(changes[0]).toEqual({ cause: "edit", schema: "client", uuids: [created] });
      const bySync = changes.slice(1, before);
      expect(bySync.every(({ cause }) => cause === "sync")).toBe(true);
      expect(new Set(bySync.flatMap(({ uuids }) => uuids))).toEqual(new Set([created, uuid, removed]));
      expect(changes.slice(before)).toEqual([{ cause: "sync", schema: "client", uuids: [removed] }]);
      await one.sync();
      expect(changes).toHaveLength(before + 1);
    });
  },
  { environment: deviceEnvironment },
);
