import { ServiceError } from "@sallyport/storage";
import {
  acceptFileName,
  fileAttributes,
  type FileObjectInput,
  type FoundObject,
  writeFileObject,
  type ObjectContext,
} from "../objects/index.ts";
import { gapless } from "./received-ranges.ts";
import { putFile } from "./stored-files.ts";
import { leaseLost, UploadLease } from "./upload-lease.ts";
import {
  acceptDescription,
  fileNameOf,
  ownUpload,
  readmitted,
  storedUpload,
  type Upload,
  type UploadDescription,
  uploadKind,
  type UploadRecord,
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
 * 602, 603: see `ReadUpload`. 604: no bytes. 600: bytes are missing. 606: another request is writing the upload,
 * or its bytes must be read and the request is part of a transaction. 607: too many uploads are being read. 707, 708: bytes
 * are damaged or gone. 502: the name is not accepted. 307: the media type is malformed. 304, 404, 610, 713: see
 * `WriteFileObject`. 201 or 203: the session has ended.
 */
export async function finishUpload(
  context: ObjectContext & Uses<UploadServices>,
  uploadId: string,
  request: FinishUploadInput,
): Promise<FoundObject> {
  const { description = {}, ...input } = request;
  const described = acceptDescription(description, context.database.policy.files);
  const begun = await ownUpload(context, uploadId);
  const { id } = begun;
  await readAhead(context, begun);
  const lease = await UploadLease.take(context.r.records, id, context.services.random.secret());
  if (lease === null) throw leaseLost();
  try {
    const stored = await complete(context, await ownUpload(context, id), described);
    await lease.keep();
    const object = await writeFileObject(await readmitted(context, { lock: false }), {
      ...input,
      attributes: fileAttributes(stored),
      also: async (r, { id: objectId }) => {
        await lease.settle(r.records);
        if ((await r.records.take(uploadKind, id)) === null) throw new ServiceError(603);
        await putFile(r.records, fileNameOf(id), objectId, stored);
        await readmitted({ ...context, r }, { lock: true });
      },
    });
    context.services.uploadHashes.drop(id);
    return object;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** Computes the digests from stored bytes, if that is needed, while others can still write the upload. */
async function readAhead(
  context: ObjectContext & Uses<Pick<UploadServices, "uploadHashes">>,
  record: UploadRecord,
): Promise<void> {
  const { uploadHashes } = context.services;
  const upload = storedUpload(context, record);
  if (record.value.sha256 !== null || !isWhole(record.value)) return;
  const cached = uploadHashes.cached(upload, false);
  // A transaction must not wait for the bytes to be read.
  if (cached === undefined && context.unit.joined)
    throw new ServiceError(606, {
      detail: "The bytes of the upload must be read first. Send the request on its own.",
    });
  await (cached ?? uploadHashes.of(upload, false));
}

async function complete(
  context: ObjectContext & Uses<Pick<UploadServices, "uploadHashes">>,
  record: UploadRecord,
  described: Partial<Upload>,
) {
  const { received, name: fileName, mediaType, key, sha256: digest } = { ...record.value, ...described };
  if (received.length === 0) throw new ServiceError(604);
  if (!isWhole(record.value)) throw new ServiceError(600, { detail: "Bytes are missing." });
  // Raw bytes have no name of their own.
  const name = acceptFileName(fileName ?? record.id, context.database.policy.files);
  const upload = storedUpload(context, record);
  const sha256 = digest ?? (await context.services.uploadHashes.cached(upload, false))?.sha256;
  // Another request has written since they were read.
  if (sha256 === undefined) throw leaseLost();
  return { size: upload.size, sha256, name, mediaType, key };
}

/** Whether all bytes are there. */
function isWhole({ received, total }: Upload): boolean {
  const size = gapless(received);
  return received.length === 1 && size > 0 && size === (total ?? size);
}
