import { brokenRecordClaims } from "../records/broken-record-claims.ts";
import { brokenRecordKeeping } from "../records/broken-record-keeping.ts";
import { brokenRecordRemoving } from "../records/broken-record-removing.ts";
import { brokenRecordQuotas } from "../records/broken-record-quotas.ts";
import { brokenRecordSettlements } from "../records/broken-record-settlements.ts";
import { brokenRecordVersions } from "../records/broken-record-versions.ts";
import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in records. Each names all record checks that fail. */
export const caughtRecords: readonly ExactlyCaught[] = [
  ...brokenRecordKeeping,
  ...brokenRecordRemoving,
  ...brokenRecordVersions,
  ...brokenRecordQuotas,
  ...brokenRecordClaims,
  ...brokenRecordSettlements,
].map(({ fault, caughtBy }) => ({
  fault,
  sections: ["records", "record quotas", "record claims"],
  checks: caughtBy,
}));
