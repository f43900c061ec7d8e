import { MemoryKernel } from "@sallyport/storage-memory";

export default {
  name: "MemoryKernel",
  create: async (options) => {
    const kernel = new MemoryKernel(options);
    return { kernel, destroy: () => kernel.close() };
  },
};
