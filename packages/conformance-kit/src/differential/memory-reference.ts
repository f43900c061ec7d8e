import { MemoryStorage } from "@sallyport/storage-memory";
import type { AdapterUnderTest } from "../adapter-under-test.ts";

/** What others are compared with: the storage that is nothing but plain code. */
export const memoryReference: AdapterUnderTest = {
  name: "MemoryStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
};
