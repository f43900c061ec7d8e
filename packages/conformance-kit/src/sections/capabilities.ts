import { equal, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";

const switches = ["durable", "severalProcesses", "parallelTransactions", "valueIndexes"] as const;

export const capabilityChecks: readonly Check[] = checksOf(
  "capabilities",
  {
    "are declared, each of them": async ({ storage: { capabilities } }) => {
      for (const name of switches)
        holds(typeof capabilities[name] === "boolean", `The capability ${name} is declared, as true or false`);
      const { indexesPerTable } = capabilities;
      holds(
        indexesPerTable === null || (Number.isInteger(indexesPerTable) && indexesPerTable >= 16),
        "The limit indexesPerTable is declared: null, or a number from 16",
      );
    },

    "stay as they were declared": async ({ storage }) => {
      const declared = { ...storage.capabilities };
      await storage.migrate();
      equal({ ...storage.capabilities }, declared, "the capabilities after the migration");
      await storage.close();
      equal({ ...storage.capabilities }, declared, "the capabilities after it was closed");
    },
  },
  { migrated: false },
);
