import { accounts } from "./catalogue/accounts.ts";
import { credentials } from "./catalogue/credentials.ts";
import type { Entries, EntryText } from "./catalogue/entry.ts";
import { files } from "./catalogue/files.ts";
import { objects } from "./catalogue/objects.ts";
import { passwords } from "./catalogue/passwords.ts";
import { requests } from "./catalogue/requests.ts";
import { server } from "./catalogue/server.ts";
import { synchronization } from "./catalogue/synchronization.ts";

/** An error code with its HTTP status and documentation. */
export interface CatalogueEntry<Code extends number = number> extends EntryText {
  /** `status.internalStatus` of the response, as a number. */
  readonly code: Code;
}

const declared = {
  ...credentials,
  ...accounts,
  ...passwords,
  ...requests,
  ...objects,
  ...files,
  ...synchronization,
  ...server,
};

/** Every error code of a response. `0`, success, is not included. */
export type ErrorCode = keyof typeof declared;

const table: Entries<ErrorCode> = declared;

// Integer keys of an object iterate in ascending order.
const all = (Object.keys(table).map(Number) as ErrorCode[]).map((code) => ({ code, ...table[code] }));

/**
 * The fixed error catalogue. Every failed response has one of these codes or an extension. Clients rely on the codes, so
 * the code, status and name of an entry never change.
 */
export const catalogue: readonly CatalogueEntry<ErrorCode>[] = all.filter(({ added }) => added !== true);

/** Error codes of this implementation beyond the fixed catalogue. */
export const extensions: readonly CatalogueEntry<ErrorCode>[] = all.filter(({ added }) => added === true);

const entries: ReadonlyMap<number, CatalogueEntry> = new Map(all.map((entry) => [entry.code, entry]));

export function errorEntry(code: ErrorCode): CatalogueEntry {
  return entries.get(code) as CatalogueEntry;
}

/** Whether a number is a code of the catalogue or of its extensions. */
export function isErrorCode(code: number): code is ErrorCode {
  return entries.has(code);
}

/** What the caller or the operator can do about a code, as plain text. */
export function nextSteps(code: ErrorCode): string[] {
  // Links lead nowhere outside the reference.
  return (errorEntry(code).actions ?? []).map((action) =>
    action
      .replaceAll(/ See \[[^\]]*\]\([^)]*\)\./g, "")
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll("`", ""),
  );
}
