import { admitCallbackProcedure } from "../functions/admit-callback.ts";
import { auditProcedures } from "../functions/audit.ts";
import { channelNumberProcedures, registerBlocksProcedure } from "../functions/channels.ts";
import { openOnBasisProcedures, openSessionProcedure } from "../functions/open-session.ts";
import { putRecordProcedure } from "../functions/put-record.ts";
import { removeAccountsProcedure } from "../functions/remove-accounts.ts";
import { throttleProcedures } from "../functions/throttle.ts";
import { access } from "./0001-access.ts";
import { objects } from "./0002-objects.ts";
import { changes } from "./0003-changes.ts";
import type { Functions, Migration } from "./migrator.ts";

const functions: readonly Functions[] = [
  admitCallbackProcedure,
  auditProcedures,
  channelNumberProcedures,
  registerBlocksProcedure,
  openSessionProcedure,
  openOnBasisProcedures,
  putRecordProcedure,
  removeAccountsProcedure,
  throttleProcedures,
];

/** All migrations, in order. Procedures come last because they depend on the tables of all migrations. */
export const migrations: readonly Migration[] = [access, objects, changes, ...functions];
