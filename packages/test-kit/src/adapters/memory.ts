import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { MemoryKernel } from "@sallyport/storage-memory";

/** The kernel in memory, with value indexes, so that the checks reach the whole of the default repositories. */
export default {
  name: "MemoryKernel",
  create: async (options) => {
    const kernel = new MemoryKernel({ ...options, valueIndexes: true });
    return { kernel, destroy: () => kernel.close() };
  },
} satisfies AdapterUnderTest;
