import { type Database, ServiceError } from "@sallyport/core";
import type { DatabaseEntry } from "@sallyport/http";
import { ReadinessProbe } from "./server-operations.ts";

const database = (health: () => Promise<void>) => ({ storage: { health } }) as unknown as Database;
const good = database(async () => {});
const down = database(async () => {
  throw new ServiceError(704, { cause: new Error("S3cret") });
});
const silent = database(() => new Promise(() => {}));
const broken = database(async () => {
  throw new Error("S3cret");
});

const oneMasterKey = { isSealedByOtherKey: async () => false };

const ask = (...entries: [string, DatabaseEntry][]) => new ReadinessProbe(new Map(entries), oneMasterKey, 5).read();

test("a server with a reachable database is ready", async () => {
  await expect(ask(["", good], ["second", good])).resolves.toEqual({
    ready: true,
    databases: { "(empty)": "ok", second: "ok" },
  });
});

test("an unreachable database leaves the server ready for the others, and is named", async () => {
  const { ready, databases } = await ask(["", good], ["a", down], ["b", silent], ["c", broken], ["d", null]);
  expect(ready).toBe(true);
  expect(databases).toMatchObject({ "(empty)": "ok", b: "timed out" });
  for (const alias of ["a", "c", "d"]) expect(databases[alias]).not.toBe("ok");
  expect(JSON.stringify(databases)).not.toContain("S3cret");
});

test.each([[[["", down]]], [[["", silent]]], [[["", null]]], [[]]] as [[string, DatabaseEntry][]][])(
  "a server without a reachable database is not ready",
  async (entries) => {
    await expect(ask(...entries)).resolves.toMatchObject({ ready: false });
  },
);

test("reports a database with keys sealed under another master key", async () => {
  const probe = new ReadinessProbe(
    new Map([
      ["", good],
      ["second", good],
    ]),
    { isSealedByOtherKey: async (asked) => asked === good },
  );
  await expect(probe.read()).resolves.toEqual({
    ready: false,
    databases: {
      "(empty)": "keys encrypted with another master key",
      second: "keys encrypted with another master key",
    },
  });
});

test("concurrent checks share one answer", async () => {
  let asked = 0;
  const probe = new ReadinessProbe(new Map([["", database(async () => void (asked += 1))]]), oneMasterKey);
  await Promise.all([probe.read(), probe.read(), probe.read()]);
  expect(asked).toBe(1);
});
