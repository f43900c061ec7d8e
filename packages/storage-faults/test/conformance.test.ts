import { storageConformance } from "@sallyport/conformance-kit";
import { FaultScript, withFaults } from "@sallyport/storage-faults";
import { MemoryStorage } from "@sallyport/storage-memory";

await storageConformance({
  name: "a storage with an empty fault script",
  create: async (options) => {
    const storage = withFaults(new MemoryStorage(options), new FaultScript());
    return { storage, destroy: () => storage.close() };
  },
});
