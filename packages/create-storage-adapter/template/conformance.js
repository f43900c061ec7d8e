import { Engine } from "./src/engine.js";
import { AdapterStorage } from "./src/adapter-storage.js";

/**
 * What the conformance kit needs to know of the adapter. Each check gets a database of its own.
 *
 * @type {import("@sallyport/conformance-kit").AdapterUnderTest}
 */
export default {
  name: "{{name}}",
  concurrency: 1,
  create: async ({ clockOffset }) => {
    const engine = new Engine({});
    const storage = new AdapterStorage(engine, { clockOffset });
    // Once `durable` is declared: `reopen`, too; once `severalProcesses` is: `another` and `loseNext`.
    return { storage, destroy: () => storage.close() };
  },
};
