import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { pipeline as finished } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import {
  type ArchiveChunk,
  type ArchiveRecord,
  type ArchiveSection,
  type RecordOf,
  secretKinds,
} from "@sallyport/core";

/** Standard output or standard input. */
export const standardStream = "-";

/** Archives are repetitive. Higher levels save little space and take several times as long. */
const quickly = constants.Z_BEST_SPEED;

/** Bytes buffered before a write to disk. */
const maxWaiting = 4_194_304;

/** The target file exists. It is not overwritten. */
export class FileExistsError extends Error {
  override readonly name = "FileExistsError";
}

/**
 * Writes an archive to a new file readable only by its owner, or to standard output. A name ending in `.gz` compresses
 * it. The file appears when it is complete and synced to disk.
 */
export async function saveArchive(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (file === standardStream) return finished(bytes, process.stdout, { end: false });
  if ((await stat(file).catch(() => null)) !== null) throw new FileExistsError(`The file ${file} already exists.`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    const output = createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true, highWaterMark: maxWaiting });
    if (isCompressed(file)) await finished(bytes, createGzip({ level: quickly }), output);
    else await finished(bytes, output);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Bytes of an archive file or of standard input. */
export function readArchiveFile(file: string): AsyncIterable<Uint8Array> {
  if (file === standardStream) return process.stdin;
  const bytes = createReadStream(file, { highWaterMark: 1_048_576 });
  // The reader of the stream receives the errors.
  return isCompressed(file) ? pipeline(bytes, createGunzip({ chunkSize: 262_144 }), () => {}) : bytes;
}

function isCompressed(file: string): boolean {
  return file.endsWith(".gz");
}

/** Milliseconds between two progress updates. */
const interval = 200;
const barLength = 24;

/** The used part of standard error. */
interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Counts objects and shows a progress bar if the stream is a terminal. */
export class ArchiveProgress {
  /** Number of processed objects. */
  done = 0;
  settings: RecordOf<"settings"> | null = null;
  private readonly start = performance.now();
  private shown = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly verb: string,
    private readonly stream: ProgressStream,
  ) {}

  /** Passes on records, or parts of them, and counts them. */
  async *watch<Given extends ArchiveRecord | ArchiveChunk>(stream: AsyncIterable<Given>): AsyncGenerator<Given> {
    try {
      for await (const given of stream) {
        const [first, records] = "section" in given ? [given, 1] : [given[0], given.length];
        if (first?.section === "settings") this.settings = first;
        if (first?.section === "objects") this.done += records;
        if (records > 1 || this.done % 256 === 0) this.show();
        yield given;
      }
    } finally {
      if (this.stream.isTTY === true) this.stream.write("\r\u001B[K");
    }
  }

  private show(): void {
    const now = performance.now();
    if (this.stream.isTTY !== true || now - this.shown < interval) return;
    this.shown = now;
    const total = this.settings?.objects ?? 0;
    const part = total === 0 ? 1 : Math.min(1, this.done / total);
    const bar = "█".repeat(Math.floor(part * barLength)).padEnd(barLength, "·");
    const rate = Math.round(this.done / Math.max(0.001, (now - this.start) / 1000));
    const counted = `${grouped(this.done)} of ${grouped(total)} objects`;
    this.stream.write(
      `\r\u001B[K${this.verb} ${bar} ${String(Math.floor(part * 100)).padStart(3)} %, ${counted}, ${grouped(rate)}/s`,
    );
  }
}

/** An integer with thousands separators. */
export function grouped(number: number): string {
  return number.toLocaleString("en");
}

/** Optional parts of an archive and their sections. In the section `records`, some kinds belong to them too. */
const sectionsOf = {
  credentials: ["accounts", "appKeys", "customAccounts"],
  keys: [],
} as const satisfies { readonly [what: string]: readonly ArchiveSection[] };

export type OmittedContent = keyof typeof sectionsOf;

/** Filters the records of the given optional parts. */
export async function* withoutSecrets(
  parts: AsyncIterable<ArchiveChunk>,
  leftOut: readonly OmittedContent[],
): AsyncGenerator<ArchiveChunk> {
  const sections = new Set<ArchiveSection>(leftOut.flatMap((what) => sectionsOf[what]));
  const kinds = new Set(leftOut.flatMap((what) => secretKinds[what]));
  const isKept = (record: ArchiveRecord) =>
    !sections.has(record.section) && !(record.section === "records" && kinds.has(record.kind));
  for await (const part of parts) {
    const kept = part.filter(isKept);
    if (kept.length > 0) yield kept;
  }
}
