import type { Functions } from "../migrations/migration.ts";
import { admitReturnProcedure } from "./admit-return.ts";
import { auditProcedures } from "./audit.ts";
import { channelNumberProcedures } from "./channel-numbers.ts";
import { claimBlocksProcedure } from "./claim-blocks.ts";
import { openSessionProcedure } from "./open-session.ts";
import { putRecordProcedure } from "./put-record.ts";
import { removeAccountsProcedure } from "./remove-accounts.ts";
import { throttleProcedures } from "./throttle.ts";

/** All procedures. */
export const functions: readonly Functions[] = [
  admitReturnProcedure,
  auditProcedures,
  channelNumberProcedures,
  claimBlocksProcedure,
  openSessionProcedure,
  putRecordProcedure,
  removeAccountsProcedure,
  throttleProcedures,
];
