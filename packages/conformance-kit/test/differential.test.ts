import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AdapterUnderTest, findDifference, memoryReference } from "@sallyport/conformance-kit";
import type { Repositories } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, unguarded } from "./broken/broken-adapter.ts";
import { brokenLocks } from "./broken/broken-locks.ts";
import { brokenSessions } from "./broken/broken-sessions.ts";
import { brokenGoing } from "./broken/deletion/broken-deleting.ts";
import { brokenReturning } from "./broken/deletion/broken-restoring.ts";
import { brokenConditions } from "./broken/queries/broken-conditions.ts";
import { brokenOrder } from "./broken/queries/broken-order.ts";

describe("find difference", () => {
  /** Milliseconds for some thousands of small scenarios. */
  const patience = 120_000;

  const options = { runs: 300, seed: 42 };

  function adapter({ fault, create }: Pick<BrokenAdapter, "fault" | "create">): AdapterUnderTest {
    return {
      name: fault,
      create: async (given) => {
        const storage = create(given);
        return { storage, destroy: () => storage.close() };
      },
    };
  }

  function named(adapters: readonly BrokenAdapter[], fault: string): BrokenAdapter {
    const found = adapters.find((each) => each.fault === fault);
    if (found === undefined) throw new Error(`Nothing is broken like this: ${fault}`);
    return found;
  }

  test(
    "an adapter that does as the reference does has no difference",
    async () => {
      expect(await findDifference(memoryReference, { ...memoryReference, name: "another" }, options)).toBeNull();
    },
    patience,
  );

  test.each([
    ["orders by the units of UTF-16", brokenOrder],
    ["puts null behind everything", brokenOrder],
    ["begins an ordered page one too late", brokenOrder],
    ["skips what is equal to the position", brokenOrder],
  ])(
    "a storage that %s is found by a query of a few objects",
    async (fault, adapters) => {
      const difference = await findDifference(memoryReference, adapter(named(adapters, fault)), options);
      expect(difference?.scenario.kind).toBe("query");
      if (difference?.scenario.kind !== "query") return;
      // What it takes to show the fault, and little else.
      expect(difference.scenario.objects.length).toBeLessThanOrEqual(6);
      expect(
        Object.values(difference.scenario.objects).flatMap(({ attributes }) => Object.keys(attributes)).length,
      ).toBeLessThanOrEqual(12);
      expect(difference.actual).not.toEqual(difference.expected);
    },
    patience,
  );

  test.each([
    ["deletes what is recycled", brokenGoing],
    ["leaves the version as it was", brokenGoing],
    ["brings back no links", brokenReturning],
    ["gives the lock to everybody", brokenLocks],
    ["lets anybody release", brokenLocks],
    ["has no limit of the user", brokenSessions],
    ["does not know devices", brokenSessions],
  ])(
    "a storage that %s is found by a history of a few steps",
    async (fault, adapters) => {
      const difference = await findDifference(memoryReference, adapter(named(adapters, fault)), {
        runs: 0,
        histories: 300,
        seed: 4,
      });
      expect(difference?.scenario.kind).toBe("history");
      if (difference?.scenario.kind !== "history") return;
      expect(difference.scenario.steps.length).toBeLessThanOrEqual(6);
      expect(difference.actual).not.toEqual(difference.expected);
    },
    patience,
  );

  test(
    "a storage that keeps what its transaction took back is found",
    async () => {
      const create: BrokenAdapter["create"] = (given) => {
        const storage = new MemoryStorage(given);
        return brokenStorage(storage, { transaction: (work) => work(storage.repositories as Repositories, unguarded) });
      };
      const difference = await findDifference(memoryReference, adapter({ fault: "keeps", create }), {
        runs: 0,
        histories: 300,
        seed: 42,
      });
      expect(difference?.scenario).toMatchObject({ kind: "history" });
    },
    patience,
  );

  test(
    "the same seed finds the same difference",
    async () => {
      const broken = adapter(named(brokenOrder, "puts null behind everything"));
      const [one, other] = [
        await findDifference(memoryReference, broken, options),
        await findDifference(memoryReference, broken, options),
      ];
      expect(one).toEqual(other);
    },
    patience,
  );

  test(
    "an adapter that throws, and one that hangs on to a page, differ",
    async () => {
      const throwing = brokenConditions[0] as BrokenAdapter;
      const create =
        (find: Repositories["objects"]["find"]): BrokenAdapter["create"] =>
        (given) => {
          const storage = throwing.create(given);
          const objects = Object.assign(Object.create(storage.repositories.objects) as Repositories["objects"], {
            find,
          });
          return brokenStorage(storage, { repositories: { ...storage.repositories, objects } });
        };
      const throws = create(async () => {
        throw new RangeError("no such page");
      });
      expect(
        await findDifference(memoryReference, adapter({ fault: "throws", create: throws }), options),
      ).toMatchObject({
        actual: { failure: expect.stringContaining("RangeError: no such page") },
      });
      const repeats = create(async () => ({ objects: [], last: { values: [], id: "1" } }));
      expect(
        await findDifference(memoryReference, adapter({ fault: "repeats", create: repeats }), options),
      ).not.toBeNull();
    },
    patience,
  );
});

describe("ready test", () => {
  const modules = join(join(import.meta.dirname, "differential"), "..", "modules");
  const program = join(join(import.meta.dirname, "differential"), "..", "..", "dist", "main.js");

  /** Milliseconds for a comparison in a process of its own, on a machine that has other things to do. */
  const patience = 120_000;

  interface Ended {
    readonly code: number;
    readonly stdout: string;
  }

  function node(...args: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      execFile(process.execPath, [...args], { cwd: modules }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout }),
      );
    });
  }

  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-differential-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ["a query", "dictionary-order.mjs", 'kind: "query"'],
    ["a history", "lost-update.mjs", 'kind: "history"'],
  ])(
    "what is printed of %s fails with the adapter, and passes with the reference",
    async (_title, module, kind) => {
      const json = join(folder, `${module}.json`);
      const compared = await node(program, `./${module}`, "--differential", "1000", "--seed", "7", "--json", json);
      expect(compared.code).toBe(1);
      expect(compared.stdout).toContain(`Again: npx sallyport-conformance ./${module} --differential 1000 --seed 7`);
      const printed = /^\/\/ Found with the seed 7\.[^]*/m.exec(compared.stdout)?.[0] ?? "";
      expect(printed).toContain(kind);

      const report = JSON.parse(await readFile(json, "utf8"));
      expect(report).toMatchObject({
        format: "sallyport-differential",
        version: 1,
        reference: "MemoryStorage",
        queries: 1_000,
        histories: 50,
        seed: 7,
        test: printed,
      });
      expect(report.difference.actual).not.toEqual(report.difference.expected);

      const asModule = (text: string) => node("--input-type=module", "--eval", text);
      const failed = await asModule(printed);
      expect(failed.code).toBe(1);
      expect(failed.stdout).toMatch(/AssertionError|ERR_ASSERTION/);
      const reference = printed.replace(`./${module}`, "./memory.mjs");
      expect(reference).not.toBe(printed);
      expect(await asModule(reference)).toMatchObject({ code: 0 });
    },
    patience,
  );

  test(
    "an adapter without a difference is told of in a line",
    async () => {
      const json = join(folder, "memory.json");
      const { code, stdout } = await node(program, "memory.mjs", "--differential", "50", "--seed", "3", "--json", json);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout:
          "MemoryStorage does as MemoryStorage does: 50 random queries and 3 random histories of writes, seed 3.\n",
      });
      expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject({ difference: null, queries: 50 });
    },
    patience,
  );
});
