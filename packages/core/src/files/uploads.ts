import {
  isUuid,
  type Permission,
  personOf,
  type RecordKind,
  type RecordRepository,
  ServiceError,
  type StoredRecord,
  type RandomSource,
} from "@sallyport/storage";
import { mayOnClass, visibilityOf } from "../model/index.ts";
import { acceptFileName, acceptMediaType, classesWithBytes } from "../objects/index.ts";
import { type FilePolicy, requestModel, type SessionContext } from "../request/index.ts";
import { from, union } from "./received-ranges.ts";
import type { ResumableHash, ResumableHashes } from "./resumable-hash.ts";
import { readStored } from "./stored-files.ts";
import { leaseLost, type UploadLease } from "./upload-lease.ts";
import type { InclusiveRange, UploadState } from "./upload-state.ts";

/** An unfinished upload, by its id. The owner is the person who began it. */
export interface Upload {
  /** Milliseconds since 1970 by the storage's clock. */
  readonly expiresAt: number;
  /** Size of the file; `null` if unknown. */
  readonly total: number | null;
  readonly name: string | null;
  readonly mediaType: string | null;
  /** Wrapped key of the file; `null` if its bytes are not encrypted. */
  readonly key: string | null;
  /** Number of bytes from 0 without a gap that are in both digests. */
  readonly size: number;
  /** Saved states of the digests. */
  readonly md5: string;
  readonly sha256: string;
  /** Bytes received from `size` on: ascending, neither overlapping nor adjacent. */
  readonly beyond: readonly InclusiveRange[];
}

/** The file of an upload, as far as a client describes it. */
export type UploadDescription = { readonly [Member in "name" | "mediaType"]?: string | undefined };

/** The described members of an upload. 502: the name is not accepted. 307: the media type is malformed. */
export function acceptDescription({ name, mediaType }: UploadDescription, rules: FilePolicy): Partial<Upload> {
  return {
    ...(name === undefined ? {} : { name: acceptFileName(name, rules) }),
    ...(mediaType === undefined ? {} : { mediaType: acceptMediaType(mediaType, "/mediaType") }),
  };
}

export type UploadRecord = StoredRecord<Upload>;

export const uploadKind: RecordKind<Upload> = "upload";

/** The id of the upload's file in the store. */
export function fileNameOf(uploadId: string): string {
  return uploadId.replaceAll("-", "");
}

/** The id of the upload that a file in the store may belong to. */
export function uploadIdOf(file: string): string {
  return file.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * 602 if the id is not a UUID. 603 if there is no such upload of this person. The key is wrapped by the current master key, so
 * that no later write needs a former one.
 */
export async function ownUpload(
  context: Pick<SessionContext, "database" | "r" | "session">,
  uploadId: string,
): Promise<UploadRecord> {
  if (!isUuid(uploadId)) throw new ServiceError(602);
  const [found] = await context.r.records.get(uploadKind, [uploadId.toLowerCase()]);
  if (found === undefined || found.owner !== personOf(context.session)) throw new ServiceError(603);
  const { key } = found.value;
  const current = key === null ? null : (context.database.fileCipher.currentKey(key) ?? key);
  return current === key ? found : { ...found, value: { ...found.value, key: current } };
}

/** Replaces the value of an upload. 606 if another request has changed it. */
export async function changeUpload(
  records: RecordRepository,
  { id, owner, version }: Pick<UploadRecord, "id" | "owner" | "version">,
  value: Upload,
  lifetime: number,
): Promise<void> {
  if ((await records.put(uploadKind, id, value, { owner, lifetime, ifVersion: version })) !== "stored")
    throw leaseLost();
}

/**
 * The context of a request that took long, as of now. 101, 201 or 203: its app key is disabled or its session has ended, so
 * that nothing is accepted after the answer to a log-out. `lock`: see `AdmissionRequest`.
 */
export async function readmitted<Context extends SessionContext>(
  context: Context,
  { lock }: { readonly lock: boolean },
): Promise<Context> {
  const { r, database, appKeyDigest, sessionDigest, session: begun, sessionEndedCode } = context;
  const { appKey, session, principal, ...generations } = await r.admission.admit({
    appKey: appKeyDigest,
    session: sessionDigest,
    mode: begun.mode,
    idleTimeout: database.policy.sessions.idleTimeout,
    lock,
  });
  if (appKey?.enabled !== true) throw new ServiceError(101);
  if (session === null || principal === null) throw new ServiceError(sessionEndedCode);
  const { modelGeneration, settingsGeneration } = generations;
  return { ...context, appKey, session, principal, modelGeneration, settingsGeneration };
}

/** The right to create or write objects with bytes, of any class. 304: no such class is readable. 404: no such right. */
export async function acceptUploader(context: SessionContext): Promise<void> {
  const { principal } = context;
  const model = await requestModel(context);
  const { classes } = visibilityOf(principal, model);
  const readable = classesWithBytes(model).filter(({ definition }) => classes?.has(definition.name) !== false);
  if (readable.length === 0) throw new ServiceError(304);
  const mayOnAny = (permission: Permission) => readable.some((each) => mayOnClass(principal, each, permission));
  if (!mayOnAny("create") && !mayOnAny("write")) throw new ServiceError(404);
}

/** All bytes received by an upload. */
export function receivedRanges({ size, beyond }: Pick<Upload, "size" | "beyond">): InclusiveRange[] {
  return union(size === 0 ? beyond : [{ first: 0, last: size - 1 }, ...beyond]);
}

/** Services of uploads. */
export interface UploadServices {
  readonly hashes: ResumableHashes;
  readonly random: RandomSource;
}

/** Both digests of a file, fed in order. */
export class FileDigests {
  constructor(
    readonly md5: ResumableHash,
    readonly sha256: ResumableHash,
  ) {}

  static async begin(hashes: ResumableHashes): Promise<FileDigests> {
    return new FileDigests(await hashes.begin("md5"), await hashes.begin("sha256"));
  }

  /** See `ResumableHashes.beginWhole`. */
  static beginWhole(hashes: ResumableHashes): FileDigests {
    return new FileDigests(hashes.beginWhole("md5"), hashes.beginWhole("sha256"));
  }

  update(bytes: Uint8Array): void {
    this.md5.update(bytes);
    this.sha256.update(bytes);
  }

  save(): Pick<Upload, "md5" | "sha256"> {
    return { md5: this.md5.save(), sha256: this.sha256.save() };
  }
}

export interface DigestedUpload {
  readonly upload: Upload;
  readonly digests: FileDigests;
}

/** Continues the digests of an upload. If they cannot be continued after an upgrade, they begin at the first byte again. */
export async function withDigests(hashes: ResumableHashes, upload: Upload): Promise<DigestedUpload> {
  const [md5, sha256] = [await hashes.resume("md5", upload.md5), await hashes.resume("sha256", upload.sha256)];
  if (md5 !== null && sha256 !== null) return { upload, digests: new FileDigests(md5, sha256) };
  const digests = await FileDigests.begin(hashes);
  return { upload: { ...upload, ...digests.save(), size: 0, beyond: receivedRanges(upload) }, digests };
}

export async function stateOf(hashes: ResumableHashes, uploadId: string, upload: Upload): Promise<UploadState> {
  const { upload: current, digests } = await withDigests(hashes, upload);
  return {
    uploadId,
    size: current.size,
    hash: digests.md5.digest(),
    ranges: receivedRanges(current),
    expiresAt: upload.expiresAt,
  };
}

/** Bytes after which the progress of the digests is saved. */
const step = 64 * 1024 * 1024;

/** Whether bytes without a gap are received that the digests lack. */
export function isBehind({ size, beyond }: Pick<Upload, "size" | "beyond">): boolean {
  return beyond[0]?.first === size;
}

/**
 * Extends the digests over bytes that were received before the bytes in front of them. Reads them back from the store and
 * saves its progress, so that an interrupted request is not in vain.
 */
export async function catchUp(
  context: SessionContext,
  hashes: ResumableHashes,
  lease: UploadLease,
  record: UploadRecord,
): Promise<UploadRecord> {
  const { r, database } = context;
  const { id } = record;
  let current = record;
  const { upload: begun, digests } = await withDigests(hashes, record.value);
  let upload = begun;
  while (isBehind(upload)) {
    const { last } = upload.beyond[0] as InclusiveRange;
    const range = { offset: upload.size, length: Math.min(step, last + 1 - upload.size) };
    const stored = { file: fileNameOf(id), key: upload.key, range };
    for await (const bytes of await readStored(database, r.records, stored)) {
      await lease.keep();
      digests.update(bytes);
    }
    const size = upload.size + range.length;
    upload = { ...upload, ...digests.save(), size, beyond: from(size, upload.beyond) };
    await changeUpload(r.records, current, upload, database.policy.files.uploadLifetime);
    current = await ownUpload(context, id);
  }
  return current;
}
