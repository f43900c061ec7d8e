import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";

/** The storage in memory. */
export default {
  name: "MemoryStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
} satisfies AdapterUnderTest;
