import { fileKind } from "../../objects/index.ts";
import type { AdministrationContext } from "../../request/index.ts";
import type { FoundFile, Repositories } from "@sallyport/storage";
import { detachedKind, existingOwners } from "../stored-files.ts";
import { uploadIdOf, uploadKind } from "../uploads.ts";

/** A file in the store that neither an object nor an upload has. Objects in the recycle bin have their files. */
export interface UnreferencedFile {
  readonly file: string;
  /**
   * `detached`: the database records since when it is unreferenced. `deleted`: its object was permanently deleted, which
   * is not yet recorded. `unknown`: the database does not know it.
   */
  readonly state: "detached" | "deleted" | "unknown";
  /** Milliseconds since it is known to be unreferenced, or since it was written if that is later. */
  readonly age: number;
  /** Version of the record; `null` without one. */
  readonly version: number | null;
}

const pageSize = 200;

/** Visits all files in the store. 709: the store is gone. */
export async function* unreferencedFiles({
  database: { files },
  r,
}: Pick<AdministrationContext, "database" | "r">): AsyncGenerator<UnreferencedFile, void, undefined> {
  for (let after: string | null = null; ; ) {
    const page: readonly FoundFile[] = await files.list({ after, limit: pageSize });
    if (page.length === 0) return;
    yield* await unreferenced(r, page);
    after = page.at(-1)?.file ?? null;
  }
}

async function unreferenced(
  { records, deletion }: Repositories,
  page: readonly FoundFile[],
): Promise<UnreferencedFile[]> {
  const names = page.map(({ file }) => file);
  // In this order: finishing replaces the record of the upload by that of the file.
  const uploads = new Set((await records.get(uploadKind, names.map(uploadIdOf))).map(({ id }) => id));
  const stored = await records.get(fileKind, names);
  const existing = await existingOwners(deletion, stored);
  const owners = new Map(stored.map(({ id, owner }) => [id, owner ?? ""]));
  const rest = page.filter(({ file }) => !uploads.has(uploadIdOf(file)) && !existing.has(owners.get(file) ?? ""));
  const detachments = await records.get(
    detachedKind,
    rest.map(({ file }) => file),
  );
  const detached = new Map(detachments.map((record) => [record.id, record]));
  return rest.map(({ file, age }) => {
    const record = detached.get(file);
    if (record !== undefined)
      return { file, state: "detached", age: Math.min(age, record.age), version: record.version };
    return { file, state: owners.has(file) ? "deleted" : "unknown", age: 0, version: null };
  });
}
