import type { RandomSource } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { FoundObject, Serialization, WriteFileObject } from "../objects/index.ts";
import type { SessionContext } from "../request/index.ts";
import { acceptFileName, mediaTypeOf } from "./file-names.ts";
import type { ResumableHash, ResumableHashes } from "./resumable-hash.ts";
import {
  addSegment,
  bounded,
  countBytes,
  detach,
  fileAttributes,
  newStoreName,
  putFile,
  removeDetached,
  requireCapacity,
  type PlacedSegment,
  type StoredFile,
} from "./stored-files.ts";
import type { IncomingFile, ReceiveFile } from "./upload-state.ts";
import { requireSession } from "./uploads.ts";

/**
 * Stores a file in one step and creates its object. 304, 404: see `WriteFileObject`; 304 also for a folder other than
 * the root. 501: no bytes. 502: the name is not accepted. 702: no capacity left. 801: the file is too large. 201 or 203: the
 * session has ended meanwhile. 700, 709: the store cannot create it.
 */
export class StoreFile {
  constructor(
    private readonly writer: WriteFileObject,
    private readonly hashes: ResumableHashes,
    private readonly random: RandomSource,
  ) {}

  async storeFile(context: SessionContext, receive: ReceiveFile, serialization?: Serialization): Promise<FoundObject> {
    const { r, database } = context;
    const { files, policy } = database;
    await this.writer.acceptWriter(context, null);
    const capacity = await requireCapacity(database, r.records, null);
    const incoming = await receive();
    const name = acceptFileName(incoming.name, policy.files);
    const segment = { file: newStoreName(this.random), segment: newStoreName(this.random), start: 0 };
    await detach(r.records, segment.file);
    let isUndecided = false;
    try {
      await files.create(segment.file);
      const hash = await this.hashes.begin("sha256");
      const content = digested(bounded(incoming.bytes, { maxSize: policy.files.maxSize, capacity }), hash);
      const size = await files.write(segment, content);
      if (size === 0) throw new ServiceError(501);
      acceptFolder(incoming);
      const stored = { size, sha256: hash.digest(), name, mediaType: mediaTypeOf(incoming.mediaType) };
      isUndecided = true;
      return await this.create(context, { ...segment, length: size }, stored, serialization);
    } catch (error) {
      // If the transaction may have been committed, the records may name the file.
      if (!isUndecided || (error instanceof ServiceError && error.status < 500))
        await removeDetached(files, r.records, segment.file).catch(() => {});
      throw error;
    }
  }

  private create(
    context: SessionContext,
    segment: PlacedSegment,
    stored: StoredFile,
    serialization: Serialization | undefined,
  ): Promise<FoundObject> {
    return this.writer.writeFileObject(context, {
      replace: null,
      expectedVersions: null,
      attributes: fileAttributes(stored),
      serialization,
      also: async (r, { id }) => {
        await addSegment(r.records, segment);
        await putFile(r.records, segment.file, id, stored);
        await countBytes(r.records, segment.file, segment.length);
        await requireSession(context, r);
      },
    });
  }
}

async function* digested(
  source: AsyncIterable<Uint8Array>,
  hash: ResumableHash,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const bytes of source) {
    hash.update(bytes);
    yield bytes;
  }
}

/** There are no folders but the root. The field may follow the bytes. */
function acceptFolder({ fields }: IncomingFile): void {
  if (!["", "/"].includes(fields.get("path") ?? ""))
    throw new ServiceError(304, { detail: "There is no such folder." });
}
