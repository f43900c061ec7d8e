import { MemoryStorage } from "@sallyport/storage-memory";

/** Does not ask for the version that a write expects. */
export default {
  name: "HastyStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    const { objects } = storage.repositories;
    const update = objects.update.bind(objects);
    objects.update = (changes, by) =>
      update(
        changes.map((change) => ({ ...change, expectedVersions: null })),
        by,
      );
    return { storage, destroy: () => storage.close() };
  },
};
