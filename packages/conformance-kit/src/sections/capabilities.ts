import { equal, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";

const switches = ["durable", "severalProcesses", "parallelTransactions", "valueIndexes"] as const;

export const capabilityChecks: readonly Check[] = checksOf(
  "capabilities",
  {
    "declares every capability": async ({ storage: { capabilities } }) => {
      for (const name of switches)
        isTrue(typeof capabilities[name] === "boolean", `The capability ${name} must be declared as true or false`);
      const { indexesPerTable, connections } = capabilities;
      isTrue(
        indexesPerTable === null || (Number.isInteger(indexesPerTable) && indexesPerTable >= 16),
        "The limit indexesPerTable must be declared as null or as a number of at least 16",
      );
      isTrue(
        connections === null || (Number.isInteger(connections) && connections >= 1),
        "The limit connections must be declared as null or as a number of at least 1",
      );
    },

    "keeps the declared capabilities": async ({ storage }) => {
      const declared = { ...storage.capabilities };
      await storage.migrate();
      equal({ ...storage.capabilities }, declared, "the capabilities after the migration");
      await storage.close();
      equal({ ...storage.capabilities }, declared, "the capabilities after close");
    },
  },
  { migrated: false },
);
