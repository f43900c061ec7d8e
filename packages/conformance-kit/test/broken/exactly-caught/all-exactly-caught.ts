import { caughtTransactions } from "./caught-transactions.ts";
import { caughtQueries } from "./caught-queries.ts";
import { caughtRecords } from "./caught-records.ts";
import { caughtSessions } from "./caught-sessions.ts";
import { caughtStorages } from "./caught-storages.ts";
import type { ExactlyCaught } from "./exactly-caught.ts";

/** All faults with their exact failures. */
export const exactlyCaught: readonly ExactlyCaught[] = [
  ...caughtTransactions,
  ...caughtQueries,
  ...caughtSessions,
  ...caughtStorages,
  ...caughtRecords,
];
