import type { StorageUnderTest } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { brokenStorage } from "./broken-adapter.ts";
import type { BrokenProcesses } from "./broken-processes.ts";
import { SharedDatabase } from "./shared-database.ts";

type Options = { readonly clockOffset: () => number };

const kept = "keeps every answered write after it is reopened";

function brokenReopening(
  fault: string,
  caughtBy: readonly string[],
  reopen: (options: Options, shared: StorageUnderTest) => Promise<Storage>,
): BrokenProcesses {
  return {
    fault,
    caughtBy,
    create: async (options) => {
      const shared = new SharedDatabase(options).underTest();
      return { ...shared, reopen: () => reopen(options, shared) };
    },
  };
}

/** Faults that a reopened database shows. */
export const brokenMemories: readonly BrokenProcesses[] = [
  brokenReopening(
    "is not durable, but declares it",
    [
      "is healthy after it is reopened without another migration",
      kept,
      "continues its sequences after it is reopened",
      "keeps claims after it is reopened, and never reuses a version",
    ],
    async (options) => {
      const storage = new MemoryStorage(options);
      return brokenStorage(storage, {});
    },
  ),

  brokenReopening("keeps locks in its process", [kept], async (_options, { another, storage }) => {
    const again = (await another?.()) ?? storage;
    return brokenStorage(again, {
      repositories: { ...again.repositories, locks: { ...again.repositories.locks, state: async () => null } },
    });
  }),

  brokenReopening("keeps message numbers in its process", [kept], async (_options, { another, storage }) => {
    const again = (await another?.()) ?? storage;
    const { channels } = again.repositories;
    return brokenStorage(again, {
      repositories: {
        ...again.repositories,
        channels: {
          reserveOut: (...of) => channels.reserveOut(...of),
          registerBlocks: (...of) => channels.registerBlocks(...of),
          sweepBlocks: (...of) => channels.sweepBlocks(...of),
          acceptIn: async () => "fresh",
        },
      },
    });
  }),
];
