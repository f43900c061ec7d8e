import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";
import { allBrokenAdapters } from "./broken/all-broken-adapters.ts";
import { brokenMemories } from "./broken/broken-memories.ts";
import { brokenTogether } from "./broken/broken-processes.ts";
import { brokenRecordProcesses } from "./broken/records/broken-record-processes.ts";
import { exactlyCaught } from "./broken/exactly-caught/all-exactly-caught.ts";

/** Milliseconds for a part of the kit on a machine that has much else to do. */
const timeout = 120_000;

const alone: readonly AdapterUnderTest[] = allBrokenAdapters.flatMap(([, adapters]) =>
  adapters.map(({ fault, create }) => ({
    name: fault,
    create: async (options) => {
      const storage = create(options);
      return { storage, destroy: () => storage.close() };
    },
  })),
);
const shared: readonly AdapterUnderTest[] = [...brokenTogether, ...brokenRecordProcesses, ...brokenMemories].map(
  ({ fault, create }) => ({
    name: fault,
    create,
  }),
);

async function failuresOf(adapter: AdapterUnderTest, sections: readonly string[]): Promise<string[]> {
  const { results } = await runChecks(adapter, { checks: checks.filter(({ section }) => sections.includes(section)) });
  return results.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
}

test.each(exactlyCaught)(
  "whoever $fault fails in exactly what that breaks",
  async ({ fault, sections, checks: broken }) => {
    const found = [...alone, ...shared].filter(({ name }) => name === fault);
    expect(found).toHaveLength(1);
    for (const adapter of found) expect((await failuresOf(adapter, sections)).toSorted()).toEqual(broken.toSorted());
  },
  timeout,
);

test(
  "the intact storage fails in none of these sections",
  async () => {
    const intact: AdapterUnderTest = {
      name: "intact",
      create: async (options) => {
        const storage = new MemoryStorage(options);
        return { storage, destroy: () => storage.close() };
      },
    };
    expect(
      await failuresOf(
        intact,
        exactlyCaught.flatMap(({ sections }) => sections),
      ),
    ).toEqual([]);
  },
  timeout,
);

test("there are more than thirty of them, in most sections", () => {
  expect(exactlyCaught.length).toBeGreaterThan(30);
  expect(new Set(exactlyCaught.flatMap(({ sections }) => sections)).size).toBeGreaterThan(12);
});
