import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { MemoryKernel } from "@sallyport/storage-memory";

/** The kernel in memory. */
export default {
  name: "MemoryKernel",
  create: async (options) => {
    const kernel = new MemoryKernel(options);
    return { kernel, destroy: () => kernel.close() };
  },
} satisfies AdapterUnderTest;
