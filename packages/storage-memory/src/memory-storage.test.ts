import { type ClassDefinition, seesAll, type StoredObject } from "@sallyport/core";
import { MemoryStorage } from "./memory-storage.ts";

async function migrated(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  await storage.migrate();
  return storage;
}

test("keeps callers from changing what is stored", async () => {
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

test.each(["read", "write", "transaction"] as const)("refuses a %s past the transaction that awaits it", async (kind) => {
  const storage = await migrated();
  const { audit, maintenance } = storage.repositories;
  const calls = {
    read: () => audit.read(0, 1),
    write: () => maintenance.set(true),
    transaction: () => storage.transaction(async () => {}),
  };
  await expect(storage.transaction(() => calls[kind]() as Promise<unknown>)).rejects.toMatchObject({ code: 799 });
  await calls[kind]();
});

test("refuses the repositories of a transaction that is over", async () => {
  const storage = await migrated();
  const r = await storage.transaction(async (inside) => inside);
  await expect(r.audit.read(0, 1)).rejects.toMatchObject({ code: 799 });
  await expect(r.maintenance.set(true)).rejects.toMatchObject({ code: 799 });
});

test("goes on after a transaction that failed", async () => {
  const storage = await migrated();
  const failing = storage.transaction(async () => Promise.reject(new Error("refused")));
  const next = storage.transaction(async (r) => r.objects.count({ classes: ["User"] }, seesAll));
  await expect(failing).rejects.toThrow("refused");
  expect(await next).toBe(0);
});

test("lets what runs come to its end before it is closed", async () => {
  const storage = await migrated();
  const order: string[] = [];
  const running = storage.transaction(async (r) => {
    await r.maintenance.set(true);
    order.push("transaction");
  });
  const closing = storage.close();
  await closing;
  order.push("closed");
  await running;
  expect(order).toEqual(["transaction", "closed"]);
});
