import { admitReturnProcedure } from "./admit-return-procedure.ts";
import type { Migration } from "./migration.ts";

/** Who comes back from a provider is admitted in one trip. */
export const returns: Migration = {
  name: "0010-returns",
  statements: (tables) => [admitReturnProcedure(tables)],
};
