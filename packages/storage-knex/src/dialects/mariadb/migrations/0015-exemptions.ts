import type { Migration } from "./migration.ts";
import { throttleProcedures } from "./throttle-procedures.ts";

/** Users who are known at an address are exempted from what others fail there. */
export const exemptions: Migration = {
  name: "0015-exemptions",
  statements: throttleProcedures,
};
