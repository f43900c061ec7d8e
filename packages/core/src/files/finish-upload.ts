import { ServiceError } from "@sallyport/storage";
import {
  acceptFileName,
  fileAttributes,
  type FileObjectInput,
  type FoundObject,
  writeFileObject,
  type ObjectContext,
} from "../objects/index.ts";
import { putFile } from "./stored-files.ts";
import { leaseLost, UploadLease } from "./upload-lease.ts";
import {
  acceptDescription,
  catchUp,
  fileNameOf,
  isBehind,
  ownUpload,
  readmitted,
  type Upload,
  type UploadDescription,
  uploadKind,
  withDigests,
  type UploadServices,
} from "./uploads.ts";
import type { Uses } from "../request/index.ts";

export interface FinishUploadInput extends Omit<FileObjectInput, "attributes" | "also"> {
  /** Replaces what the upload says about its file. */
  readonly description?: UploadDescription;
}

/**
 * Turns an upload into a file with its object, in one transaction that copies no bytes.
 *
 * 602, 603: see `ReadUpload`. 604: no bytes. 600: bytes are missing. 606: another request is writing the upload. 502: the
 * name is not accepted. 307: the media type is malformed. 304, 404, 610, 713: see `WriteFileObject`. 201 or 203: the session
 * has ended.
 */
export async function finishUpload(
  context: ObjectContext & Uses<UploadServices>,
  uploadId: string,
  given: FinishUploadInput,
): Promise<FoundObject> {
  const { description = {}, ...input } = given;
  const described = acceptDescription(description, context.database.policy.files);
  const { id } = await ownUpload(context, uploadId);
  const lease = await UploadLease.take(context.r.records, id, context.services.random.secret());
  if (lease === null) throw leaseLost();
  try {
    const stored = await complete(context, lease, id, described);
    await lease.keep();
    return await writeFileObject(await readmitted(context, { lock: false }), {
      ...input,
      attributes: fileAttributes(stored),
      also: async (r, { id: objectId }) => {
        await lease.settle(r.records);
        if ((await r.records.take(uploadKind, id)) === null) throw new ServiceError(603);
        await putFile(r.records, fileNameOf(id), objectId, stored);
        await readmitted({ ...context, r }, { lock: true });
      },
    });
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function complete(
  context: ObjectContext & Uses<Pick<UploadServices, "hashes">>,
  lease: UploadLease,
  id: string,
  described: Partial<Upload>,
) {
  const found = await ownUpload(context, id);
  // A transaction must not wait for the bytes to be read.
  if (context.unit.joined && isBehind(found.value))
    throw new ServiceError(606, {
      detail: "The bytes of the upload must be read first. Send the request on its own.",
    });
  const { value } = await catchUp(context, context.services.hashes, lease, found);
  const { upload, digests } = await withDigests(context.services.hashes, value);
  const { size, total, beyond, name: known, mediaType, key } = { ...upload, ...described };
  if (size === 0 && beyond.length === 0) throw new ServiceError(604);
  if (beyond.length > 0 || size !== (total ?? size)) throw new ServiceError(600, { detail: "Bytes are missing." });
  // Raw bytes have no name of their own.
  const name = acceptFileName(known ?? id, context.database.policy.files);
  return { size, sha256: digests.sha256.digest(), name, mediaType, key };
}
