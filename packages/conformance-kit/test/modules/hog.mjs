import { MemoryStorage } from "@sallyport/storage-memory";

let created = 0;

/** Does nothing but microtasks for a while, in which no timer fires. */
async function hog(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await Promise.resolve();
}

/** Is asked for its capabilities first, then for a database of each check. */
export default {
  name: "HoggingStorage",
  concurrency: 2,
  create: async (options) => {
    created += 1;
    const storage = new MemoryStorage(options);
    if (created > 1) await hog(2_500);
    return { storage, destroy: () => storage.close() };
  },
};
