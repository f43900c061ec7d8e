import { storageConformance } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";

await storageConformance({
  name: "MemoryStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
});
