import type { AdministrationContext } from "../request/index.ts";
import type { FoundFile, Repositories } from "../storage/index.ts";
import { countBytes, fileKind, removeSegments, segmentsFrom } from "./stored-files.ts";
import { uploadIdOf, uploadKind } from "./uploads.ts";

/** Milliseconds that bytes stay without a record. A file that is stored in one step has none before its end. */
const minimumAge = 86_400_000;
const pageSize = 200;

/**
 * Removes the bytes that belong to nothing: of expired uploads, of interrupted requests, and of replaced or permanently
 * deleted objects. Bytes of objects in the recycle bin stay.
 */
export class CollectFiles {
  /** Returns the number of removed files. */
  async collectFiles({ database, r, unit }: AdministrationContext): Promise<number> {
    const { files } = database;
    let removed = 0;
    for (let after: string | null = null; ; ) {
      const page: readonly FoundFile[] = await files.list({ after, limit: pageSize });
      if (page.length === 0) return removed;
      const old = page.filter(({ age }) => age > minimumAge).map(({ file }) => file);
      for (const file of await unreferenced(r, old)) {
        // The records first: without its bytes, the file would not be found again.
        await unit.transaction((inside) => forget(inside, file));
        await files.remove({ file });
        removed += 1;
      }
      after = page.at(-1)?.file ?? null;
    }
  }
}

async function unreferenced({ records, deletion }: Repositories, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  // In this order: finishing replaces the record of the upload by that of the file.
  const uploads = new Set((await records.get(uploadKind, files.map(uploadIdOf))).map(({ id }) => id));
  const stored = await records.get(fileKind, files);
  const objects = await deletion.targets(stored.flatMap(({ owner }) => owner ?? []));
  const existing = new Set(objects.filter(({ exists }) => exists).map(({ id }) => id));
  const kept = new Set(stored.filter(({ owner }) => existing.has(owner ?? "")).map(({ id }) => id));
  return files.filter((file) => !uploads.has(uploadIdOf(file)) && !kept.has(file));
}

async function forget({ records }: Repositories, file: string): Promise<void> {
  let bytes = 0;
  for await (const { length } of segmentsFrom(records, file)) bytes += length;
  await records.remove(fileKind, { ids: [file] });
  await removeSegments(records, file);
  await countBytes(records, file, -bytes);
}
