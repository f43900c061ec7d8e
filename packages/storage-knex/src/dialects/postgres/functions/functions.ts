import type { Functions } from "../migrations/migration.ts";
import { holdObjectsFunction } from "./hold-objects.ts";
import { insertFunctions } from "./insert-objects.ts";
import { lockFunctions } from "./locks.ts";
import { objectCountFunctions } from "./object-counts.ts";
import { objectIdFunctions } from "./object-ids.ts";
import { openSessionFunction } from "./open-session.ts";
import { passThrottleFunction } from "./pass-throttle.ts";
import { putRecordFunction } from "./put-record.ts";
import { removeAccountsFunction } from "./remove-accounts.ts";
import { stampRowFunction } from "./stamp-row.ts";
import { updateObjectsFunction } from "./update-objects.ts";

/** All functions; the one that gives the offset of stamps is none of them, as what it says belongs to the database. */
export const functions: readonly Functions[] = [
  holdObjectsFunction,
  insertFunctions,
  lockFunctions,
  objectCountFunctions,
  objectIdFunctions,
  openSessionFunction,
  passThrottleFunction,
  putRecordFunction,
  removeAccountsFunction,
  stampRowFunction,
  updateObjectsFunction,
];
