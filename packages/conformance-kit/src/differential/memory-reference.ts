import { MemoryStorage } from "@sallyport/storage-memory";
import type { AdapterUnderTest } from "../adapter-under-test.ts";

/** The reference adapter: the in-memory storage, which is plain code. */
export const memoryReference: AdapterUnderTest = {
  name: "MemoryStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
};
