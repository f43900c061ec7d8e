import { runChecks } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";
import { readContracts } from "../src/contract/contracts.ts";
import { everyCall } from "../src/fixtures/every-call.ts";

/** They make every call for the sake of its failure, or of its being there. */
const callEverything: ReadonlySet<string> = new Set([
  "answers 705 to every call until it is migrated",
  "answers 706 to every call after it is closed",
  "offer every call",
]);

const memory = {
  name: "memory",
  create: async (options: { readonly clockOffset: () => number }) => {
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
};

const calls = [...readContracts().keys()];

test("the contracts that are read are those of the ports", () => {
  expect(calls).toEqual(
    expect.arrayContaining([
      "storage.transaction",
      "storage.close",
      "archive.import",
      "sessions.open",
      "settings.setMaintenance",
      "throttle.sweep",
    ]),
  );
});

test("every call of every repository is known to the checks that make them all", () => {
  const { repositories } = new MemoryStorage();
  expect([...everyCall(repositories).keys()].toSorted()).toEqual(
    calls.filter((call) => !/^(?:storage|archive)\./.test(call)).toSorted(),
  );
});

test("every call of every port is looked at by a check", async () => {
  const { results } = await runChecks(memory);
  const made = new Set(results.filter(({ name }) => !callEverything.has(name)).flatMap((result) => result.calls));
  expect(calls.filter((call) => !made.has(call))).toEqual([]);
  // Else a name has changed.
  expect(results.filter(({ name }) => callEverything.has(name))).toHaveLength(callEverything.size);
}, 120_000);
