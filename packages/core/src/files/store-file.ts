import { type ObjectId, type RandomSource, type Repositories, ServiceError } from "@sallyport/storage";
import {
  acceptFileName,
  fileAttributes,
  type FileObjectInput,
  type FoundObject,
  mediaTypeOf,
  type StoredFile,
  acceptFileWriter,
  writeFileObject,
  type ObjectContext,
} from "../objects/index.ts";
import type { FilePolicy, SessionContext, Uses } from "../request/index.ts";
import type { Sha256Stream } from "./file-hashes.ts";
import { type FileBytes, writeSegment } from "./segment-bytes.ts";
import {
  addSegment,
  bounded,
  countBytes,
  detach,
  newStoreName,
  putFile,
  removeDetached,
  renewDetached,
  requireCapacity,
  type PlacedSegment,
} from "./stored-files.ts";
import type { IncomingFile, ReceiveFile } from "./upload-state.ts";
import { readmitted, type UploadServices } from "./uploads.ts";

export type StoreFileInput = Pick<FileObjectInput, "className" | "serialization">;

/**
 * Stores a file in one step and creates its object. 304, 404: see `WriteFileObject`; 304 also for a folder other than
 * the root. 500: a part without a name is not a file. 501: no bytes. 502: the name is not accepted. 702: no capacity left. 801: the file is too large. 201 or 203: the
 * session has ended. 700, 709: the store cannot create it.
 */
export async function storeFile(
  context: ObjectContext & Uses<Pick<UploadServices, "hashes" | "random">>,
  receive: ReceiveFile,
  input: StoreFileInput = {},
): Promise<FoundObject> {
  const { r, database } = context;
  const { files, policy } = database;
  await acceptFileWriter(context, { ...input, replace: null });
  const capacity = await requireCapacity(database, r.records, null);
  const incoming = await receive();
  if (incoming.name === null) throw new ServiceError(500, { detail: "The file has no name." });
  const name = acceptFileName(incoming.name, policy.files);
  const segment = {
    file: newStoreName(context.services.random),
    segment: newStoreName(context.services.random),
    start: 0,
  };
  await detach(r.records, segment.file);
  let isUndecided = false;
  try {
    await files.create(segment.file);
    const hash = context.services.hashes.sha256();
    const key = database.fileCipher.newKey();
    const content = digested(bounded(incoming.bytes, { maxSize: policy.files.maxSize, capacity }), hash);
    const size = await writeSegment(database, { ...segment, key }, renewedContent(content, context, segment.file));
    if (size === 0) throw new ServiceError(501);
    acceptFolder(incoming);
    const stored = { size, sha256: hash.digest(), name, mediaType: mediaTypeOf(incoming.mediaType), key };
    return await writeFileObject(await readmitted(context, { lock: false }), {
      ...input,
      replace: null,
      expectedVersions: null,
      attributes: fileAttributes(stored),
      also: async (inside, { id }) => {
        isUndecided = false;
        await record(inside, { ...segment, length: size }, id, stored, policy.files);
        await readmitted({ ...context, r: inside }, { lock: true });
        isUndecided = true;
      },
    });
  } catch (error) {
    // If the transaction may have been committed, the records may name the file.
    if (!isUndecided || (error instanceof ServiceError && error.status < 500))
      await removeDetached(files, r.records, segment.file).catch(() => {});
    throw error;
  }
}

async function record(
  { records }: Repositories,
  segment: PlacedSegment,
  objectId: ObjectId,
  stored: StoredFile,
  policy?: FilePolicy,
): Promise<void> {
  await addSegment(records, segment);
  await putFile(records, segment.file, objectId, stored);
  await countBytes(records, segment.file, segment.length, policy);
}

export interface AddedFile extends Omit<StoredFile, "size" | "key"> {
  readonly objectId: ObjectId;
  readonly bytes: Uint8Array;
}

/** Gives bytes to an object in the transaction that creates it. Asks for no rights. Throws like `FileStore`. */
export async function addFile(
  { r, ...database }: FileBytes & { readonly r: Repositories },
  { objectId, bytes, ...described }: AddedFile,
  random: RandomSource,
): Promise<void> {
  const segment = { file: newStoreName(random), segment: newStoreName(random), start: 0, length: bytes.length };
  const key = database.fileCipher.newKey();
  await detach(r.records, segment.file);
  await database.files.create(segment.file);
  await writeSegment(
    database,
    { ...segment, key },
    (async function* () {
      yield bytes;
    })(),
  );
  await record(r, segment, objectId, { ...described, size: bytes.length, key });
}

async function* digested(
  source: AsyncIterable<Uint8Array>,
  hash: Sha256Stream,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const bytes of source) {
    hash.update(bytes);
    yield bytes;
  }
}

/** Milliseconds after which a file that still arrives is renewed, so that the collector keeps it. */
const renewalInterval = 3_600_000;

async function* renewedContent(
  source: AsyncIterable<Uint8Array>,
  { unit }: SessionContext,
  file: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let renewedAt = Date.now();
  for await (const bytes of source) {
    yield bytes;
    if (Date.now() - renewedAt < renewalInterval) continue;
    renewedAt = Date.now();
    // The collector waits far longer than until the next attempt.
    await renewDetached(unit, file).catch(() => {});
  }
}

/** There are no folders but the root. The field may follow the bytes. */
function acceptFolder({ fields }: IncomingFile): void {
  if (!["", "/"].includes(fields.get("path") ?? ""))
    throw new ServiceError(304, { detail: "There is no such folder." });
}
