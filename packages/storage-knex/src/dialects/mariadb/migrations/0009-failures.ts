import type { Migration } from "./migration.ts";
import { throttleProcedures } from "./throttle-procedures.ts";

/** Failures that are counted at once do not wait for one another in a circle. */
export const failures: Migration = {
  name: "0009-failures",
  statements: throttleProcedures,
};
