import { randomFillSync } from "node:crypto";
import type { ArchivedFile } from "./tar-archive.ts";

/** Bytes of the random number that stands for the passwords of unknown roles, and of its distance from the checksum. */
const nonce = { length: 32, distance: 35 } as const;

/** The place of the system identifier in the first page of a segment of the write-ahead log. */
const identifierOfSegment = 24;

/**
 * Gives a copy of a cluster what `initdb` draws for each: the system identifier, in the control file and in the log, and
 * the random number beside it. Log records name no system, and pages of the log have no checksum.
 *
 * @param files those of a cluster that was shut down; their data is changed
 */
export function renewIdentity(files: readonly ArchivedFile[]): void {
  const control = sameMemory(files.find(({ path }) => path === "global/pg_control")?.data);
  const end = checkedLength(control);
  const former = Buffer.from(control.subarray(0, 8));
  const identifier = randomFillSync(Buffer.alloc(8));
  // Postgres shows it as a signed number.
  identifier[7] = (identifier[7] ?? 0) & 0x7f;
  identifier.copy(control);
  randomFillSync(control, end - nonce.distance, nonce.length);
  control.writeUInt32LE(crc32c(control.subarray(0, end)), end);
  for (const { path, data } of files)
    if (isSegment(path)) {
      const place = sameMemory(data).subarray(identifierOfSegment, identifierOfSegment + 8);
      if (place.equals(former)) identifier.copy(place);
    }
}

/** Whether a file of a cluster is a segment of the write-ahead log. */
export function isSegment(path: string): boolean {
  return /^pg_wal\/[0-9A-F]{24}$/.test(path);
}

function sameMemory(data: Uint8Array | undefined): Buffer {
  if (data === undefined) throw new Error("the archive of the database has no control file");
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** The length of the control data: its checksum follows. It depends on how the engine was compiled. */
function checkedLength(control: Buffer): number {
  for (let end = 64; end + 4 <= 512; end += 4)
    if (crc32c(control.subarray(0, end)) === control.readUInt32LE(end)) return end;
  throw new Error("the control file of the database is damaged");
}

/** CRC-32C, as Postgres computes it. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}
