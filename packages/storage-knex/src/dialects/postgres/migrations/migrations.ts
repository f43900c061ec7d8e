import { insertFunctions } from "../functions/insert-objects.ts";
import { lockFunctions, lockObjectsFunction } from "../functions/locks.ts";
import { keepReadersFunction, objectCountFunctions } from "../functions/object-triggers.ts";
import { objectIdFunctions } from "../functions/object-ids.ts";
import { openOnBasisFunctions, openSessionFunction } from "../functions/open-session.ts";
import { passThrottleFunction } from "../functions/pass-throttle.ts";
import { putRecordFunction } from "../functions/put-record.ts";
import { removeAccountsFunction } from "../functions/remove-accounts.ts";
import { updateObjectsFunction } from "../functions/update-objects.ts";
import { stampRowFunction } from "../stamps.ts";
import { access } from "./0001-access.ts";
import { objects } from "./0002-objects.ts";
import { changes } from "./0003-changes.ts";
import type { Functions, Migration } from "./migrator.ts";

/** All functions, except the one for the stamp offset, whose content belongs to the database. */
const functions: readonly Functions[] = [
  keepReadersFunction,
  lockObjectsFunction,
  insertFunctions,
  lockFunctions,
  objectCountFunctions,
  objectIdFunctions,
  openSessionFunction,
  openOnBasisFunctions,
  passThrottleFunction,
  putRecordFunction,
  removeAccountsFunction,
  stampRowFunction,
  updateObjectsFunction,
];

/** All migrations, in order. Functions come last because they depend on the tables of all migrations. */
export const migrations: readonly Migration[] = [access, objects, ...changes, ...functions];
