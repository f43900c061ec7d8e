import { types } from "node:util";
import { ServiceError } from "@sallyport/storage";
import type { StorageConfiguration } from "../../configuration/index.ts";
import { mariadbDiagnostics } from "./mariadb.ts";
import { postgresDiagnostics } from "./postgres.ts";

const notMigrated = "The database is not migrated";

const byCode: ReadonlyMap<number, string> = new Map([
  [607, "No database connection became available in time."],
  [704, "The database cannot be reached."],
  [705, `${notMigrated}. Run "sallyport-server migrate" first.`],
]);

/** Errors of the file store. Their causes can look like those of a database. */
const ofFiles: ReadonlySet<number> = new Set([700, 702, 707, 708, 709]);

/**
 * Explains to the operator why a database is unavailable; `null` for an error of another kind. With `storage` the
 * explanation is more exact.
 */
export function databaseDiagnostics(error: unknown, storage: StorageConfiguration | null): string | null {
  if (error instanceof ServiceError && ofFiles.has(error.code)) return null;
  const diagnostics = knownDiagnostics(error, storage);
  if (diagnostics !== null) return diagnostics;
  if (!(error instanceof ServiceError)) return null;
  const { code, detail, cause } = error;
  // Wrong encoding or a newer version: a migration does not help.
  if (code === 705 && detail !== undefined && !detail.startsWith(notMigrated)) return detail;
  const what = byCode.get(code);
  return what !== undefined && code === 704 && types.isNativeError(cause) && cause.message !== ""
    ? `${what} (${cause.message})`
    : (what ?? null);
}

function knownDiagnostics(error: unknown, storage: StorageConfiguration | null): string | null {
  if (storage?.engine === "postgres") return postgresDiagnostics(error, storage);
  return storage?.engine === "mariadb" ? mariadbDiagnostics(error, storage) : null;
}
