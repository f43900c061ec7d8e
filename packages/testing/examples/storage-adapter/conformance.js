import { MemoryStorage } from "@sallyport/storage-memory";

/** The adapter for the conformance kit, which sets its clock. */
export default {
  name: "Example",
  create: async ({ clockOffset, migrated }) => {
    const storage = new MemoryStorage({ clockOffset });
    if (migrated) await storage.migrate();
    return { storage, destroy: () => storage.close() };
  },
};
