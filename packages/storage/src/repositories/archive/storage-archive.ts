import type { Access } from "../../kernel/access.ts";
import type { RowReader } from "../../kernel/rows.ts";
import { ServiceError } from "../../errors/index.ts";
import { type ArchiveChunk, inChunks, type StorageArchive } from "../../ports/storage-archive.ts";
import { currentNumber, setNumber } from "../numbers.ts";
import { isEmpty } from "../settings.ts";
import { auditTable, recordTable, tallyTable } from "../tables.ts";
import { keepRecords } from "./keep-records.ts";
import { recordsOf } from "./records-of.ts";
import { streamed } from "./streamed.ts";

/** Export and import of the whole content, over the rows. */
export function storageArchive(access: Access): StorageArchive {
  let isImporting = false;
  return {
    export: () =>
      streamed<ArchiveChunk>((give) =>
        access.read(async (rows) => {
          for await (const chunk of inChunks(recordsOf(rows))) await give(chunk);
        }),
      ),

    async import(records) {
      if (isImporting) return "busy";
      isImporting = true;
      try {
        const isAnother = await access.read(async (rows) => (await currentNumber(rows, "importing")) === 1);
        if (!isAnother) await access.write((rows) => setNumber(rows, "importing", 1));
        let isBegun = false;
        try {
          return await access.write(async (rows) => {
            if (isBegun) throw new ServiceError(706, { detail: "Other writes disturbed the import.", retryAfter: 1 });
            await setNumber(rows, "importing", 0);
            if (!(await isUntouched(rows))) return "notEmpty";
            isBegun = true;
            await keepRecords(rows, inChunks(records));
            return "imported";
          });
        } catch (error) {
          // A running import of another process excludes all writers; the trace of a killed one excludes none.
          if (isAnother && !isBegun && error instanceof ServiceError && error.code === 607) return "busy";
          throw error;
        }
      } finally {
        isImporting = false;
      }
    },
  };
}

/** Whether there is nothing that an archive can contain, except what a migration creates. */
async function isUntouched(rows: RowReader): Promise<boolean> {
  const counts = [
    await rows.count(auditTable, {}, 1),
    await rows.count(tallyTable, {}, 1),
    await rows.count(recordTable, { index: "permanent" }, 1),
  ];
  return (await isEmpty(rows)) && counts.every((count) => count === 0);
}
