import { createHash } from "node:crypto";
import { type ArchiveRecord, canonicalJson, inChunks } from "@sallyport/storage";
import { type ArchivedFile } from "@sallyport/core";
import { type ArchiveHeader, checkLineOf } from "../../src/archive/archive-format.ts";
import { type OmittedContent, withoutFiles, withoutSecrets } from "../../src/archive/archive-file.ts";
import { openArchive } from "../../src/archive/read-archive.ts";
import { writeArchive } from "../../src/archive/write-archive.ts";

export const header: ArchiveHeader = {
  version: "2.2.0",
  database: "demo",
  writtenAt: "2026-01-01T00:00:00.000Z",
  without: [],
  files: false,
};
const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export function object(number: number): ArchiveRecord {
  const attributes = canonicalJson({ Name: `${'"'}section": ${number}`, Text: "é\t\n", Number: 1e21 });
  return {
    section: "objects",
    id: number.toString(36).toUpperCase(),
    uuid: uuidOf(number),
    className: 'A "b"',
    version: 1,
    storedAt: 1,
    readers: ["1", "2"],
    stamp: number,
    attributes,
  };
}

export const records: readonly ArchiveRecord[] = [
  {
    section: "settings",
    maintenance: false,
    modelGeneration: 2,
    macroGeneration: 2,
    objects: 1_500,
    lastObject: 2_000,
    lastAudit: 0,
    sweptStamp: 0,
  },
  {
    section: "classes",
    definition: {
      name: "File",
      base: null,
      attributes: [{ name: "Name", type: "string" }],
      rights: [{ group: "*", permissions: ["read"] }],
    },
  },
  {
    section: "appKeys",
    id: "1",
    name: "key",
    enabled: true,
    appNames: null,
    origins: [],
    returnAddresses: [],
    digest: "a".repeat(64),
  },
  ...Array.from({ length: 1_500 }, (_, index) => object(index + 1)),
  { section: "links", id: "2", links: { Files: ["1"] } },
  {
    section: "tombstones",
    id: "1A0",
    uuid: uuidOf(1_656),
    className: "A",
    version: 1,
    storedAt: 1,
    readers: null,
    stamp: 1,
    root: "1A0",
    deletedBy: null,
    attributes: null,
  },
  {
    section: "tombstones",
    id: "1A1",
    uuid: uuidOf(1_657),
    className: "A",
    version: 1,
    storedAt: 1,
    readers: null,
    stamp: 1,
    root: "1A0",
    deletedBy: "1",
    attributes: '{"a": 1}',
  },
  {
    section: "accounts",
    userId: "1",
    loginName: "n",
    confusableKey: "n",
    secret: "$",
    secretVersion: 1,
    administrator: true,
    disabled: false,
    email: null,
  },
  { section: "records", kind: "application", id: "a", owner: null, value: { name: "a", seats: 3 }, createdAt: 1 },
  { section: "records", kind: "keyRing", id: "rsa", owner: null, value: [{ keyId: "k" }], createdAt: 1 },
  { section: "records", kind: "secondFactor", id: "user:1 a", owner: "user:1", value: "sealed", createdAt: 1 },
  {
    section: "audit",
    sequence: 1,
    at: 1,
    since: 1,
    attempts: 1,
    type: "logout.completed",
    requestId: "r",
    outcome: 0,
    appKeyId: "1",
    actorId: null,
    subjectId: null,
    address: "a",
    appNames: ["a"],
    className: null,
    macroName: null,
    providerName: null,
    changes: [{ name: "seats", before: null, after: { b: 1, a: ["*"] } }],
  },
  {
    section: "tallies",
    key: "k",
    at: 1,
    since: 1,
    attempts: 1,
    type: "logout.completed",
    requestId: "r",
    outcome: 302,
    appKeyId: "1",
    actorId: "1",
    subjectId: null,
    address: "a",
    appNames: [],
    className: "File",
    macroName: "Report",
    providerName: "google",
    changes: [],
  },
];

export async function* streamed<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

export async function written(
  content: readonly ArchiveRecord[] = records,
  leftOut: readonly OmittedContent[] = [],
): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of writeArchive(header, withoutSecrets(inChunks(content), leftOut))) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** A file whose bytes come in pieces of this many bytes. */
export function file(number: number, bytes: Buffer, size = 1_000): ArchivedFile {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    section: "files",
    id: number.toString(16).padStart(32, "0"),
    owner: "1A0",
    value: { size: bytes.length, sha256, name: "é.txt", mediaType: null },
    createdAt: 1,
    bytes: streamed(piecesOf(bytes, size)),
  };
}

/** An archive with files after the records. */
export async function writtenWithFiles(files: readonly ArchivedFile[], content = records): Promise<string> {
  async function* parts() {
    yield* inChunks(content);
    yield* files;
  }
  const all: Buffer[] = [];
  for await (const part of writeArchive({ ...header, files: true }, parts())) all.push(part);
  return Buffer.concat(all).toString();
}

function piecesOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** Reads an archive in pieces of this many bytes. Skips the bytes of files. */
export async function read(text: string, size = 65_536): Promise<ArchiveRecord[]> {
  const { records: found } = await openArchive(streamed(piecesOf(Buffer.from(text), size)));
  const all: ArchiveRecord[] = [];
  for await (const record of withoutFiles(found)) all.push(record);
  return all;
}

export const joined = (changed: readonly string[]) => changed.map((line) => `${line}\n`).join("");

/** The archive with changed lines and recomputed check lines. */
export function checkedAnew(changed: readonly string[]): string {
  let behindHeader = "";
  return changed
    .map((line, index) => {
      const isCheck = line.startsWith('{"check":');
      const kept = isCheck ? checkLineOf(index === 1 ? `${changed[0]}\n` : behindHeader) : `${line}\n`;
      if (index > 1) behindHeader += kept;
      return kept;
    })
    .join("");
}
