import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { MessageChannel } from "node:worker_threads";
import { jest } from "@jest/globals";
import {
  type ClassDefinition,
  type Repositories,
  seesAll,
  type ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import { MemoryStorage } from "./memory-storage.ts";

async function migrated(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  await storage.migrate();
  return storage;
}

test("isolates stored values from later changes by callers", async () => {
  const { repositories: r } = await migrated();
  const names = ["a"];
  const [stored] = (await r.objects.insert([{ className: "File", attributes: { names } }])) as [StoredObject];
  names.push("b");
  expect(stored.attributes).toEqual({ names: ["a"] });
  expect(() => (stored.attributes["names"] as string[]).push("c")).toThrow(TypeError);
  expect(await r.objects.get([stored.id], seesAll)).toEqual([stored]);
  const [definition] = (await r.model.load()).classes as [ClassDefinition];
  expect(() => (definition.attributes as unknown[]).push({})).toThrow(TypeError);
});

test.each(["read", "write", "transaction"] as const)(
  "refuses a %s beside a transaction that waits for it",
  async (kind) => {
    const storage = await migrated();
    const { audit, settings } = storage.repositories;
    const calls = {
      read: () => audit.read(0, 1),
      write: () => settings.setMaintenance(true),
      transaction: () => storage.transaction(async () => {}),
    };
    await expect(storage.transaction(() => calls[kind]() as Promise<unknown>)).rejects.toMatchObject({ code: 799 });
    await calls[kind]();
  },
);

test("never reuses a number assigned in a transaction or a nested one", async () => {
  const storage = await migrated();
  const insert = async ({ objects }: Repositories) =>
    (await objects.insert([{ className: "File", attributes: {} }]))[0]?.id;
  const ids: unknown[] = [];
  const failing = storage.transaction(async (r, attempt) => {
    ids.push(await insert(r));
    await attempt(async () => {
      ids.push(await insert(r));
      throw new Error("undone");
    }).catch(() => {});
    ids.push(await insert(r));
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  ids.push(await insert(storage.repositories));
  expect(ids).toEqual(["1", "2", "3", "4"]);
});

test("serves a transaction driven by messages of another thread, and refuses a call that would wait for itself", async () => {
  const storage = await migrated();
  const { port1, port2 } = new MessageChannel();
  const outcomes = await storage.transaction(async (r, attempt) => {
    const asked = new Promise<unknown[]>((resolve) => {
      const inside = new AsyncResource("inside");
      port1.on("message", () => {
        const work = async () => {
          await attempt(() => r.settings.setMaintenance(true));
          return [
            await new Applications(r.records).create({ name: "one", seats: null }),
            await inside
              .runInAsyncScope(() => storage.repositories.settings.setMaintenance(false))
              .catch(({ code }: ServiceError) => code),
          ];
        };
        resolve(work());
      });
    });
    port2.postMessage("go on");
    return asked;
  });
  port1.close();
  expect(outcomes).toEqual(["created", 799]);
  expect(await new Applications(storage.repositories.records).existing(["one"])).toEqual(["one"]);
});

test("refuses the repositories of a finished transaction", async () => {
  const storage = await migrated();
  const r = await storage.transaction(async (inside) => inside);
  await expect(r.audit.read(0, 1)).rejects.toMatchObject({ code: 799 });
  await expect(r.settings.setMaintenance(true)).rejects.toMatchObject({ code: 799 });
});

test("continues after a failed transaction", async () => {
  const storage = await migrated();
  const failing = storage.transaction(async () => Promise.reject(new Error("refused")));
  const next = storage.transaction(async (r) => r.objects.count({ classes: ["User"] }, seesAll));
  await expect(failing).rejects.toThrow("refused");
  expect(await next).toBe(0);
});

test("completes running work before it closes", async () => {
  const storage = await migrated();
  const order: string[] = [];
  const running = storage.transaction(async (r) => {
    await r.settings.setMaintenance(true);
    order.push("transaction");
  });
  const closing = storage.close();
  await closing;
  order.push("closed");
  await running;
  expect(order).toEqual(["transaction", "closed"]);
});

test.each([
  ["succeeds", async () => {}],
  ["fails", () => Promise.reject(new Error("refused"))],
])("tracks promises no longer after a transaction that %s", async (_name, work) => {
  const storage = new MemoryStorage();
  await storage.migrate();
  const disable = jest.spyOn(AsyncLocalStorage.prototype, "disable");
  try {
    await storage.transaction(work).catch(() => {});
    expect(disable).toHaveBeenCalledTimes(1);
  } finally {
    disable.mockRestore();
  }
});
