import { MemoryKernel } from "@sallyport/storage-memory";

/** Makes each call of a transaction on the state of that moment, and keeps it at once. */
export default {
  name: "HastyKernel",
  create: async (options) => {
    const kernel = new MemoryKernel(options);
    const { transaction } = kernel;
    const methods = ["get", "range", "count", "now", "watermark", "put", "delete", "stamp"];
    const hasty = methods.map((name) => [
      name,
      (...given) => transaction.call(kernel, (running) => running[name](...given)),
    ]);
    kernel.transaction = (work) => work(Object.fromEntries(hasty));
    return { kernel, destroy: () => kernel.close() };
  },
};
