import { lockObjectsFunction } from "../functions/lock-objects.ts";
import { insertFunctions } from "../functions/insert-objects.ts";
import { lockFunctions } from "../functions/locks.ts";
import { objectCountFunctions } from "../functions/object-counts.ts";
import { objectIdFunctions } from "../functions/object-ids.ts";
import { openSessionFunction } from "../functions/open-session.ts";
import { passThrottleFunction } from "../functions/pass-throttle.ts";
import { putRecordFunction } from "../functions/put-record.ts";
import { removeAccountsFunction } from "../functions/remove-accounts.ts";
import { updateObjectsFunction } from "../functions/update-objects.ts";
import { stampRowFunction } from "../stamps.ts";
import { entry } from "./0001-access.ts";
import { objects } from "./0002-objects.ts";
import type { Functions, Migration } from "./migrator.ts";

/** All functions; the one that gives the offset of stamps is none of them, as what it says belongs to the database. */
const functions: readonly Functions[] = [
  lockObjectsFunction,
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

/** All migrations, in their order. Functions come last: they work with tables as all migrations leave them. */
export const migrations: readonly Migration[] = [entry, objects, ...functions];
