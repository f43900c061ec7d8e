import type { Migration } from "./migration.ts";

/** Which class an event is about; none of the events of before is. */
export const auditedClasses: Migration = {
  name: "0010-audited-classes",
  statements: ({ audit, auditTallies }) =>
    [audit, auditTallies].map((table) => `alter table ${table} add column class_name text collate "C"`),
};
