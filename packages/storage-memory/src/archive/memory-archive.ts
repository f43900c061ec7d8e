import { type ArchiveChunk, type ArchiveRecord, inChunks, type StorageArchive } from "@sallyport/storage";
import { emptyState, type State } from "../state.ts";
import type { Mutex } from "../access.ts";
import { copyOf, isUntouched, replaceState } from "./archived-state.ts";
import { keepRecord } from "./keep-record.ts";
import { recordsOf } from "./records-of.ts";

export class MemoryArchive implements StorageArchive {
  private importing = false;

  constructor(
    private readonly state: State,
    private readonly mutex: Mutex,
    /** Throws while the storage is unusable. */
    private readonly checkUsable: () => void,
  ) {}

  async *export(): AsyncGenerator<ArchiveChunk> {
    this.checkUsable();
    yield* inChunks(recordsOf(copyOf(this.state)));
  }

  async import(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy"> {
    this.checkUsable();
    if (this.importing) return "busy";
    this.importing = true;
    try {
      return await this.mutex.run(() => this.fill(records));
    } finally {
      this.importing = false;
    }
  }

  private async fill(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty"> {
    if (!isUntouched(this.state)) return "notEmpty";
    const filled = emptyState();
    for await (const record of records) keepRecord(filled, record);
    replaceState(this.state, filled);
    return "imported";
  }
}
