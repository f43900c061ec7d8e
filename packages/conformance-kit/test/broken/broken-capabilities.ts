import type { StorageCapabilities } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage } from "./broken-adapter.ts";

const declared = "are declared, each of them";

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

/** Faults in what is declared. */
export const brokenCapabilities: readonly BrokenAdapter[] = [
  declaring("leaves a capability out", declared, { valueIndexes: undefined }),

  declaring("declares a capability in words", declared, { parallelTransactions: "yes" }),

  declaring("declares a limit that is too low for any model", declared, { indexesPerTable: 15 }),

  declaring(
    "builds more indexes than it declares",
    "are built up to the declared limit, the first of those that are wanted",
    { indexesPerTable: 20 },
  ),

  declaring(
    "lets transactions take turns, but declares otherwise",
    "come to their end while another one that writes something else is open",
    { parallelTransactions: true },
  ),

  {
    fault: "declares something else once it is migrated",
    caughtBy: ["stay as they were declared"],
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
