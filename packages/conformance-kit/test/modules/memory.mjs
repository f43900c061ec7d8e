import { MemoryStorage } from "@sallyport/storage-memory";

export default {
  name: "MemoryStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
};
