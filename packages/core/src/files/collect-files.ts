import type { AdministrationContext } from "../request/index.ts";
import type { FoundFile, Repositories } from "../storage/index.ts";
import {
  countBytes,
  detach,
  detachedKind,
  fileKind,
  removeDetached,
  removeSegments,
  segmentsFrom,
} from "./stored-files.ts";
import { uploadIdOf, uploadKind } from "./uploads.ts";

/** Milliseconds that bytes stay without a record. A file that is stored in one step has none before its end. */
const minimumAge = 86_400_000;
const pageSize = 200;

export interface CollectedFiles {
  readonly removed: number;
  /** Files that the database does not know. They stay. */
  readonly unknown: number;
}

/**
 * Removes the bytes that belong to nothing: of expired uploads, of interrupted requests, and of replaced or permanently
 * deleted objects. Bytes of objects in the recycle bin stay, and so do files of another database.
 */
export class CollectFiles {
  async collectFiles({ database, r, unit }: AdministrationContext): Promise<CollectedFiles> {
    const { files } = database;
    let [removed, unknown] = [0, 0];
    for (let after: string | null = null; ; ) {
      const page: readonly FoundFile[] = await files.list({ after, limit: pageSize });
      if (page.length === 0) return { removed, unknown };
      const old = page.filter(({ age }) => age > minimumAge).map(({ file }) => file);
      const found = await unreferenced(r, old);
      unknown += found.unknown;
      for (const file of found.known) {
        // The records first: without its bytes, the file would not be found again.
        await unit.transaction((inside) => forget(inside, file));
        await removeDetached(files, r.records, file);
        removed += 1;
      }
      after = page.at(-1)?.file ?? null;
    }
  }
}

async function unreferenced({ records, deletion }: Repositories, files: readonly string[]) {
  if (files.length === 0) return { known: [], unknown: 0 };
  // In this order: finishing replaces the record of the upload by that of the file.
  const uploads = new Set((await records.get(uploadKind, files.map(uploadIdOf))).map(({ id }) => id));
  const stored = await records.get(fileKind, files);
  const objects = await deletion.targets(stored.flatMap(({ owner }) => owner ?? []));
  const existing = new Set(objects.filter(({ exists }) => exists).map(({ id }) => id));
  const kept = new Set(stored.filter(({ owner }) => existing.has(owner ?? "")).map(({ id }) => id));
  const rest = files.filter((file) => !uploads.has(uploadIdOf(file)) && !kept.has(file));
  const detached = await records.get(detachedKind, rest);
  const ours = new Set([...stored, ...detached].map(({ id }) => id));
  const known = rest.filter((file) => ours.has(file));
  return { known, unknown: rest.length - known.length };
}

async function forget({ records }: Repositories, file: string): Promise<void> {
  let bytes = 0;
  for await (const { length } of segmentsFrom(records, file)) bytes += length;
  await detach(records, file);
  await records.remove(fileKind, { ids: [file] });
  await removeSegments(records, file);
  await countBytes(records, file, -bytes);
}
