import { type AdapterUnderTest, findDifference, memoryReference } from "@sallyport/conformance-kit";
import type { Repositories } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, unguarded } from "../broken/broken-adapter.ts";
import { brokenLocks } from "../broken/broken-locks.ts";
import { brokenSessions } from "../broken/broken-sessions.ts";
import { brokenGoing } from "../broken/departures/broken-going.ts";
import { brokenReturning } from "../broken/departures/broken-returning.ts";
import { brokenConditions } from "../broken/queries/broken-conditions.ts";
import { brokenOrder } from "../broken/queries/broken-order.ts";

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
        const objects = Object.assign(Object.create(storage.repositories.objects) as Repositories["objects"], { find });
        return brokenStorage(storage, { repositories: { ...storage.repositories, objects } });
      };
    const throws = create(async () => {
      throw new RangeError("no such page");
    });
    expect(await findDifference(memoryReference, adapter({ fault: "throws", create: throws }), options)).toMatchObject({
      actual: { failure: expect.stringContaining("RangeError: no such page") },
    });
    const repeats = create(async () => ({ objects: [], last: { values: [], id: "1" } }));
    expect(
      await findDifference(memoryReference, adapter({ fault: "repeats", create: repeats }), options),
    ).not.toBeNull();
  },
  patience,
);
