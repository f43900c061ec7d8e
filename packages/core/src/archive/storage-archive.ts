import type { ArchivePart } from "./archive-part.ts";
import type { ArchiveRecord } from "./archive-record.ts";

/**
 * Port: all that a database keeps, as a stream. Neither direction has more than a small part in memory at once, and each goes
 * at the pace of whoever is at the other end.
 */
export interface StorageArchive {
  /**
   * Everything as of one moment, that at which the first part is asked for, whatever is written meanwhile: section by
   * section in the order of `archiveSections`, and in each as the record says. The same contents give the same records on
   * every storage, though maybe cut into other parts. Who stops early lets go of the storage by ending the iteration, as `for await` does.
   * `export` gives parts, while `import` takes records.
   */
  export(): AsyncIterable<ArchivePart>;

  /**
   * Fills a database that was only migrated with the records of an export, in their order: all of them, or nothing if one is
   * refused, the records end with an error, or the process does. That error comes out unchanged. Ids, versions, times and
   * stamps stay; what is written later has higher ids and stamps than there ever were. Others see nothing of it before it is whole, and
   * wait for its end when they want to write.
   *
   * Nothing is asked for, and nothing changes: `notEmpty` if there is anything that an archive could hold, `busy` if
   * another import is at it, which is known without waiting for it. Records that contradict one another, such as an id or a name that comes
   * twice: 307 (`contradictingRecords`). A text that is not storable: 307. An object that is too large: 801.
   */
  import(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy">;
}
