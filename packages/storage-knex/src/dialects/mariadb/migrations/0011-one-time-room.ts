import type { Tables } from "../tables.ts";
import { issueOneTimeProcedure } from "./issue-one-time-procedure.ts";
import type { Migration } from "./migration.ts";
import { oneTimeGates } from "./one-time-gates.ts";
import { tableOptions } from "./table-options.ts";

/** Only so many one-time secrets of a kind are good at once; the index is what they are counted by. */
export const oneTimeRoom: Migration = {
  name: "0011-one-time-room",
  statements: (tables) => [
    ...gates(tables),
    `create index if not exists one_time_secrets_kind_expiry on ${tables.oneTimeSecrets} (kind, expires_at)`,
    issueOneTimeProcedure(tables),
  ],
};

function gates({ oneTimeGates: table }: Tables): string[] {
  return [
    `create table if not exists ${table} (gate integer primary key) ${tableOptions}`,
    `insert into ${table} (gate) values ${oneTimeGates.map((gate) => `(${gate})`).join(", ")} on duplicate key update gate = value(gate)`,
  ];
}
