import type { ObjectId } from "@sallyport/storage";
import type { MemoryStorage } from "@sallyport/storage-memory";
import type { StorageEvents } from "../../composition/storages/sql-engine.ts";
import { openModule, StorageEngines } from "../../composition/storages/storage-engines.ts";
import type { StorageConfiguration } from "../../configuration/index.ts";
import type { TestClock } from "../test-clock.ts";

/** An adapter that exports `openStorage`: an absolute path or a package. */
export interface AdapterModule {
  readonly module: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Where a service under test keeps its data: in this process, in a database of its own on a server, or in an adapter. */
export type TestStorage = "memory" | "embedded" | { readonly postgres: string } | AdapterModule;

/** Ids by name and alias. */
export type ContentIds = ReadonlyMap<string, ReadonlyMap<string, ObjectId>>;

/** The storages of a service under test. */
export interface TestStorages {
  readonly engines: StorageEngines;
  /** The `storage` of an alias in the configuration. */
  place(alias: string): object;
  /** The ids of content that the storages contain from the start; `null` if they are empty. */
  found(): Promise<ContentIds | null>;
  /** Keeps the content of all opened storages. The result restores it. */
  keep(ids: ContentIds): Promise<() => Promise<void>>;
}

/** Storages in the memory of this process. */
export function memoryStorages(clock: TestClock): TestStorages {
  const opened: MemoryStorage[] = [];
  class MemoryEngines extends StorageEngines {
    protected override async make() {
      const { MemoryStorage: Memory } = await import("@sallyport/storage-memory");
      const storage = new Memory({ clockOffset: () => clock.offset });
      opened.push(storage);
      return storage;
    }
  }
  return {
    engines: new MemoryEngines(),
    place: () => ({ engine: "memory" }),
    found: async () => null,
    keep: async () => {
      const restores = await Promise.all(opened.map((storage) => storage.snapshot()));
      return async () => void (await Promise.all(restores.map((restore) => restore())));
    },
  };
}

/** Storages of an adapter outside the product. They cannot be reset. */
export function moduleStorages(clock: TestClock, { module, options = {} }: AdapterModule): TestStorages {
  class ModuleEngines extends StorageEngines {
    protected override async make(configuration: StorageConfiguration, events: StorageEvents) {
      if (configuration.engine !== "module") return super.make(configuration, events);
      const storage = await openModule(configuration, { clockOffset: () => clock.offset });
      const migrate = storage.migrate.bind(storage);
      // A storage can answer for its clock when it is migrated, which a start does.
      return Object.assign(storage, {
        migrate: async (...args: Parameters<typeof migrate>) => {
          const report = await migrate(...args);
          await clock.checkFollower(() => storage.now(), module);
          return report;
        },
      });
    }
  }
  return {
    engines: new ModuleEngines(),
    place: (alias) => ({ engine: "module", module, options: { ...options, alias } }),
    found: async () => null,
    keep: async () => () => {
      throw new Error("A service on an adapter cannot be reset. Start another one.");
    },
  };
}
