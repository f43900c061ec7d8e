import type { StorageCapabilities } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage } from "./broken-adapter.ts";

const declared = "declares every capability";

function declaring(
  fault: string,
  caughtBy: string,
  changed: { readonly [K in keyof StorageCapabilities]?: unknown },
): BrokenAdapter {
  return {
    fault,
    caughtBy: [caughtBy],
    create: (options) => {
      const storage = new MemoryStorage(options);
      return brokenStorage(storage, { capabilities: { ...storage.capabilities, ...changed } as StorageCapabilities });
    },
  };
}

/** Faults in the declared capabilities. */
export const brokenCapabilities: readonly BrokenAdapter[] = [
  declaring("declares not every capability", declared, { valueIndexes: undefined }),

  declaring("declares a capability as text", declared, { parallelTransactions: "yes" }),

  declaring("declares a limit below the minimum", declared, { indexesPerTable: 15 }),

  declaring("declares no connection", declared, { connections: 0 }),

  declaring("builds more indexes than declared", "builds the first declared indexes up to the limit of the adapter", {
    indexesPerTable: 20,
  }),

  declaring(
    "serializes transactions, but declares parallel ones",
    "completes transactions while another one with different writes is open",
    { parallelTransactions: true },
  ),

  {
    fault: "changes its capabilities after the migration",
    caughtBy: ["keeps the declared capabilities"],
    create: (options) => {
      const storage = new MemoryStorage(options);
      const { capabilities } = storage;
      let migrated = false;
      const changing = brokenStorage(storage, {
        migrate: (classes) => {
          migrated = true;
          return storage.migrate(classes);
        },
      });
      return Object.defineProperty(changing, "capabilities", {
        get: () => ({ ...capabilities, valueIndexes: migrated }),
      });
    },
  },
];
