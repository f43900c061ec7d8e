import { TransportError } from "../../errors.ts";
import type { SyncStorage } from "../storage.ts";
import { sync, type SyncReport } from "../sync.ts";
import { SyncStore } from "../sync-store.ts";
import { SmallServer } from "./small-server.ts";
import { checksOf, equal, pause, rejects } from "./storage-check.ts";

const schema = "notes";

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

function synchronized(server: SmallServer, store: SyncStore, limit = 500, name = schema): Promise<SyncReport> {
  return sync({ client: server.client, schema: name, store, limit, retries: 0 });
}

async function fails(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof TransportError) return;
    throw error;
  }
  throw new Error("A synchronization without an answer must reject.");
}

/** The local objects by number. */
async function texts(store: SyncStore, name = schema): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const object of store.objects<{ Text: unknown }>(name))
    found[Number(object["~UUID"].slice(-12))] = object.Text;
  return found;
}

/** A storage that ends like a killed process: after as many writes, every call fails. */
function killedAfter(storage: SyncStorage, writes: number): SyncStorage {
  let left = writes;
  const alive = <T>(call: () => Promise<T>): Promise<T> =>
    left >= 0 ? call() : Promise.reject(new TransportError("unreachable"));
  return {
    read: (keys) => alive(() => storage.read(keys)),
    list: (range) => alive(() => storage.list(range)),
    write: (revision, changes) => {
      left -= 1;
      return alive(() => storage.write(revision, changes));
    },
    close: () => storage.close(),
  };
}

/** A device on the storage. */
export const storeChecks = checksOf({
  "a device keeps edits, their order and ids across a restart": {
    reopened: async ({ storage, reopen }) => {
      const store = new SyncStore(storage);
      for (let number = 30; number > 0; number -= 1)
        await store.create(schema, "Note", { Text: `note ${number}` }, uuid(number));
      await store.update(schema, uuid(7), { Text: "changed" });
      await store.remove(schema, uuid(8));
      const before = await store.pending(schema);
      equal(before.length, 31, "the number of changes");
      await storage.close();
      const next = new SyncStore(await reopen());
      equal(await next.pending(schema), before, "the changes");
      const server = new SmallServer();
      await synchronized(server, next);
      equal(
        server.arrived.map(({ id }) => id),
        before.map(({ id }) => id),
        "the pushed changes",
      );
      equal(server.fieldsOf(schema, uuid(7)), { Text: "changed" }, "the object on the server");
      equal(await next.pending(schema), [], "the changes after the push");
    },
  },

  "a device repeats a change without an answer under the same id": async ({ storage }) => {
    const [server, store] = [new SmallServer(), new SyncStore(storage)];
    server.write(schema, uuid(1), { Text: "first" });
    await synchronized(server, store);
    await store.update(schema, uuid(1), { Text: "second" });
    server.beforeAnswer = () => {
      throw new Error("lost");
    };
    await fails(() => synchronized(server, store));
    await store.update(schema, uuid(1), { Text: "third" });
    server.beforeAnswer = () => {};
    await synchronized(server, store);
    const [sent, again, next] = server.arrived;
    equal([again, server.arrived.length], [sent, 3], "the repeated change");
    equal(next?.base, { Text: "second" }, "the value before the later edit");
    equal([server.fieldsOf(schema, uuid(1)), await texts(store)], [{ Text: "third" }, { 1: "third" }], "the object");
  },

  "a device keeps an edit that is made during a push": async ({ storage }) => {
    const [server, store] = [new SmallServer(), new SyncStore(storage)];
    await store.create(schema, "Note", { Text: "new" }, uuid(1));
    server.beforeAnswer = async (path) => {
      if (!path.endsWith("/push") || server.arrived.length > 1) return;
      await store.update(schema, uuid(1), { Text: "newer" });
      await store.create(schema, "Note", { Text: "other" }, uuid(2));
    };
    await synchronized(server, store);
    equal(await store.pending(schema), [], "the changes");
    equal(await texts(store), { 1: "newer", 2: "other" }, "the objects");
    equal(server.fieldsOf(schema, uuid(1)), { Text: "newer" }, "the object on the server");
  },

  "a device continues a pull after the last stored page": async ({ storage }) => {
    const [server, store] = [new SmallServer(), new SyncStore(storage)];
    for (let number = 1; number <= 25; number += 1) server.write(schema, uuid(number), { Text: number });
    for (let page = 0; page < 2; page += 1) {
      let answers = 0;
      server.beforeAnswer = () => {
        if ((answers += 1) > 1) throw new Error("lost");
      };
      await fails(() => synchronized(server, store, 10));
      equal(Object.keys(await texts(store)).length, 10 * (page + 1), "the number of objects");
      if (page === 1) server.write(schema, uuid(1), { Text: "moved" });
    }
    server.beforeAnswer = () => {};
    await synchronized(server, store, 10);
    equal(Object.keys(await texts(store)).length, 25, "the number of objects");
    equal((await texts(store))[1], "moved", "the object that changed between two pages");
    const [first, ...others] = server.pulls;
    equal([first?.syncVersion, first?.cursor], ["0", undefined], "the first pull");
    equal(
      others.filter(({ syncVersion, cursor }) => syncVersion === "0" && cursor === undefined),
      [],
      "pulls from the beginning",
    );
  },

  "a device that is killed after any write continues": async ({ storage }) => {
    const server = new SmallServer();
    for (let number = 1; number <= 12; number += 1) server.write(schema, uuid(number), { Text: number });
    const store = new SyncStore(storage);
    await store.create(schema, "Note", { Text: "mine" }, uuid(99));
    let kills = 0;
    // Each run stores one thing more than the previous one.
    for (let isDone = false; !isDone; kills += isDone ? 0 : 1) {
      const killed = new SyncStore(killedAfter(storage, kills === 0 ? 0 : 1));
      isDone = await synchronized(server, killed, 3).then(
        () => true,
        (error: unknown) => {
          if (error instanceof TransportError) return false;
          throw error;
        },
      );
      if (kills < 8) await store.update(schema, uuid(99), { Text: `mine ${kills}` });
    }
    equal(kills > 8, true, "there were kills in the push, too");
    await synchronized(server, store, 3);
    equal(Object.keys(await texts(store)).length, 13, "the number of objects");
    equal(server.fieldsOf(schema, uuid(99)), { Text: "mine 7" }, "the object on the server");
    equal(await store.pending(schema), [], "the changes");
  },

  "two devices on one storage push no change under two ids": async ({ storage, reopen }) => {
    const stores = [new SyncStore(storage), new SyncStore(await reopen())];
    const [store, other] = stores as [SyncStore, SyncStore];
    const server = new SmallServer();
    for (let number = 1; number <= 20; number += 1) {
      const editor = number % 2 === 0 ? store : other;
      await editor.create(schema, "Note", { Text: number }, uuid(number));
    }
    server.beforeAnswer = () => pause(1);
    const edits = async () => {
      for (let round = 0; round < 10; round += 1) {
        await store.update(schema, uuid(1 + round), { Text: `one ${round}` });
        await other.update(schema, uuid(1 + round), { Other: `two ${round}` });
      }
    };
    await Promise.all([
      edits(),
      synchronized(server, store, 3),
      synchronized(server, other, 4),
      synchronized(server, store),
    ]);
    await Promise.all([synchronized(server, store, 3), synchronized(server, other, 3)]);
    equal(await store.pending(schema), [], "the changes");
    const contentsById = new Map(server.arrived.map((change) => [change.id, JSON.stringify(change)]));
    for (const change of server.arrived)
      equal(JSON.stringify(change), contentsById.get(change.id), "a repeated change");
    const creations = new Set(server.arrived.filter(({ syncVersion }) => syncVersion === "0").map(({ id }) => id));
    equal(creations.size, 20, "the number of creations");
    for (let number = 1; number <= 10; number += 1) {
      const expected = { Text: `one ${number - 1}`, Other: `two ${number - 1}` };
      equal(server.fieldsOf(schema, uuid(number)), expected, `object ${number} on the server`);
    }
    equal(await texts(store), await texts(other), "the objects of both devices");
  },

  "a device keeps several schemas apart": async ({ storage }) => {
    const [server, store] = [new SmallServer(), new SyncStore(storage)];
    server.write("notes", uuid(1), { Text: "a note" });
    server.write("notes-2", uuid(1), { Text: "another note" });
    await store.create("Notes", "Note", { Text: "an edit" }, uuid(1));
    for (const name of ["notes", "notes-2", "Notes"]) await synchronized(server, store, 500, name);
    equal(await texts(store, "notes"), { 1: "a note" }, "notes");
    equal(await texts(store, "notes-2"), { 1: "another note" }, "notes-2");
    equal(await texts(store, "Notes"), { 1: "an edit" }, "Notes");
    equal(await texts(store, "note"), {}, "a schema without objects");
    for (const name of ["", "a/b", "_a", "__proto__", "a b", "ä"])
      await rejects(() => store.pending(name), `schema ${name}`);
  },

  "a device keeps every name and value of fields": async ({ storage }) => {
    const [server, store] = [new SmallServer(), new SyncStore(storage)];
    const fields = JSON.parse(
      '{"__proto__": {"a": 1}, "constructor": null, "toString": "x", "": 0, "é": [1.5, -0.1, true, {"~UUID": "x"}], "Text": "\\u0000\\u2028🎉"}',
    ) as object;
    const large = "é".repeat(500_000);
    await store.create(schema, "Note", fields, uuid(1));
    await store.create(schema, "constructor", { Text: large }, uuid(2));
    await store.update(schema, uuid(2), JSON.parse('{"__proto__": "text"}') as object);
    await synchronized(server, store);
    equal(server.fieldsOf(schema, uuid(1)), fields, "the object on the server");
    const { server: copy, local } = (await store.entry(schema, uuid(1))) ?? {};
    equal([copy, local], [fields, fields], "the object on the device");
    const other = await store.get<{ Text: string }>(schema, uuid(2));
    equal([other?.Text === large, Object.hasOwn(other ?? {}, "__proto__")], [true, true], "the large object");
  },
});
