import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { FaultScript, withFaults } from "@sallyport/testing/faults";
import { MemoryStorage } from "@sallyport/storage-memory";

/** The storage in memory behind an empty fault script. */
export default {
  name: "A storage with an empty fault script",
  create: async (options) => {
    const storage = withFaults(new MemoryStorage(options), new FaultScript());
    return { storage, destroy: () => storage.close() };
  },
} satisfies AdapterUnderTest;
