import type { FileStoreHook, FileStoreSubject } from "./file-store-under-test.ts";

/** The groups of checks, in their order. */
export const fileStoreGroups = [
  "creating",
  "writing",
  "reading",
  "removing",
  "listing",
  "failures",
  "resources",
] as const;

export type FileStoreGroup = (typeof fileStoreGroups)[number];

/** A requirement of a check: a hook of the subject, or a system that lists the open descriptors of a process. */
export type FileStoreNeed = FileStoreHook | "descriptors";

/** One executable clause of the file store contract. */
export interface FileStoreCheck {
  readonly group: FileStoreGroup;
  /** Unique among the file store checks. */
  readonly name: string;
  /** `null`: nothing. */
  readonly needs: FileStoreNeed | null;
  readonly run: (subject: FileStoreSubject) => Promise<void>;
}

type Run = FileStoreCheck["run"];

/** Builds the checks of a group from a table of names and functions. `needs` defaults to `null`. */
export function fileStoreChecksOf(
  group: FileStoreGroup,
  table: { readonly [name: string]: Run | Pick<FileStoreCheck, "needs" | "run"> },
): FileStoreCheck[] {
  return Object.entries(table).map(([name, check]) =>
    typeof check === "function" ? { group, name, needs: null, run: check } : { group, name, ...check },
  );
}
