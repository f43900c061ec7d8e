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
import { admitAgain } from "../access/index.ts";
import { mayOnClass, visibilityOf } from "../model/index.ts";
import { acceptFileName, acceptMediaType, classesWithBytes } from "../objects/index.ts";
import { type FilePolicy, requestModel, type SessionContext, type Uses } from "../request/index.ts";
import type { FileHashes } from "./file-hashes.ts";
import { gapless, union } from "./received-ranges.ts";
import type { StoredUpload, UploadHashes } from "./upload-hashes.ts";
import { leaseLost } from "./upload-lease.ts";
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
  /** The bytes received: ascending, neither overlapping nor adjacent. */
  readonly received: readonly InclusiveRange[];
  /** The number of times that other bytes have replaced all. */
  readonly revision: number;
  /** Digests of the bytes from 0 without a gap; `null` if the process that received the latest of them has not seen all. */
  readonly md5: string | null;
  readonly sha256: string | null;
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
  const [record] = await context.r.records.get(uploadKind, [uploadId.toLowerCase()]);
  if (record === undefined || record.owner !== personOf(context.session)) throw new ServiceError(603);
  const { key } = record.value;
  const current = key === null ? null : (context.database.fileCipher.currentKey(key) ?? key);
  return current === key ? record : { ...record, value: { ...record.value, key: current } };
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
  const { r, sessionEndedCode } = context;
  const { appKey, session, principal, ...generations } = await admitAgain(r, context, { extends: true, lock });
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

/** Services of uploads. */
export interface UploadServices {
  readonly hashes: FileHashes;
  readonly uploadHashes: UploadHashes;
  readonly random: RandomSource;
}

/** The bytes of an upload that have digests, with what is needed to read them. */
export function storedUpload(
  { database, session }: SessionContext,
  { id, value: { key, received, revision } }: UploadRecord,
): StoredUpload {
  const person = personOf(session);
  return { database, person, id, revision, size: gapless(received), file: fileNameOf(id), key };
}

/** `hash`: whether the state has the hash. It is left out if stored bytes must be read for it, and cannot be. */
export async function stateOf(
  context: SessionContext & Uses<Pick<UploadServices, "uploadHashes">>,
  record: UploadRecord,
  { hash: isWanted }: { readonly hash: boolean },
): Promise<UploadState> {
  const { received, expiresAt } = record.value;
  const ranges = union(received);
  const state = { uploadId: record.id, size: gapless(ranges), ranges, expiresAt };
  const hash = isWanted ? await hashOf(context, record) : null;
  return hash === null ? state : { ...state, hash };
}

async function hashOf(
  context: SessionContext & Uses<Pick<UploadServices, "uploadHashes">>,
  record: UploadRecord,
): Promise<string | null> {
  const { database, unit, services } = context;
  if (record.value.md5 !== null) return record.value.md5;
  const upload = storedUpload(context, record);
  if (upload.size === 0) return database.digests.md5("");
  try {
    // The transaction of a request may hold the only connection.
    const digests = unit.joined ? services.uploadHashes.cached(upload, true) : services.uploadHashes.of(upload, true);
    return (await digests)?.md5 ?? null;
  } catch {
    // The ranges are true anyway. To finish the upload fails with the reason.
    return null;
  }
}
