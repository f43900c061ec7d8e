import type { StorageUnderTest } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { brokenStorage } from "./broken-adapter.ts";
import type { BrokenProcesses } from "./broken-processes.ts";
import { SharedDatabase } from "./shared-database.ts";

type Options = { readonly clockOffset: () => number };

const kept = "keeps everything that was answered";

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

/** Faults that show when a database is opened again. */
export const brokenMemories: readonly BrokenProcesses[] = [
  brokenReopening(
    "keeps nothing, but declares to be durable",
    [
      "is healthy when it is opened again, without another migration",
      kept,
      "goes on with its numbers",
      "still hold when the database is opened again, and give no version again",
    ],
    async (options) => {
      const storage = new MemoryStorage(options);
      return brokenStorage(storage, {});
    },
  ),

  brokenReopening("keeps the locks in its process", [kept], async (_options, { another, storage }) => {
    const again = (await another?.()) ?? storage;
    return brokenStorage(again, {
      repositories: { ...again.repositories, locks: { ...again.repositories.locks, state: async () => null } },
    });
  }),

  brokenReopening("keeps the numbers of messages in its process", [kept], async (_options, { another, storage }) => {
    const again = (await another?.()) ?? storage;
    const { channels } = again.repositories;
    return brokenStorage(again, {
      repositories: {
        ...again.repositories,
        channels: {
          reserveOut: (...of) => channels.reserveOut(...of),
          claimBlocks: (...of) => channels.claimBlocks(...of),
          sweepBlocks: (...of) => channels.sweepBlocks(...of),
          acceptIn: async () => "fresh",
        },
      },
    });
  }),
];
