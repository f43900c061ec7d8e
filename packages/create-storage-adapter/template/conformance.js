import { openKernel } from "./src/index.js";

/**
 * Describes the adapter to the conformance kit. Each check gets its own database.
 *
 * @type {import("@sallyport/conformance-kit").AdapterUnderTest}
 */
export default {
  name: "{{name}}",
  concurrency: 1,
  create: async ({ clockOffset }) => {
    const kernel = await openKernel({}, { clockOffset });
    // With `durable`, add `reopen`. With `severalProcesses`, add `another`.
    return { kernel, destroy: () => kernel.close() };
  },
};
