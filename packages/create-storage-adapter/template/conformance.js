import { Engine } from "./src/engine.js";
import { AdapterStorage } from "./src/adapter-storage.js";

/**
 * Describes the adapter to the conformance kit. Each check gets its own database.
 *
 * @type {import("@sallyport/conformance-kit").AdapterUnderTest}
 */
export default {
  name: "{{name}}",
  concurrency: 1,
  create: async ({ clockOffset }) => {
    const engine = new Engine({});
    const storage = new AdapterStorage(engine, { clockOffset });
    // With `durable`, add `reopen`. With `severalProcesses`, add `another`, `loseNext` and `refuseNext`.
    return { storage, destroy: () => storage.close() };
  },
};
