import { ServiceError } from "@sallyport/storage";
import { bytesOf } from "./received-ranges.ts";
import { countBytes, removeDetached, removeSegments } from "./stored-files.ts";
import { UploadLease } from "./upload-lease.ts";
import { fileNameOf, ownUpload, uploadKind, type UploadServices } from "./uploads.ts";
import type { SessionContext, Uses } from "../request/index.ts";

/** Ends an upload and removes its bytes. 602, 603: see `ReadUpload`. 605: a request is writing it. */
export async function cancelUpload(
  context: SessionContext & Uses<Pick<UploadServices, "random" | "uploadHashes">>,
  uploadId: string,
): Promise<void> {
  const { r, unit, database } = context;
  const { id } = await ownUpload(context, uploadId);
  const lease = await UploadLease.take(r.records, id, context.services.random.secret());
  if (lease === null) throw new ServiceError(605);
  const file = fileNameOf(id);
  try {
    await unit.transaction(async ({ records }) => {
      await lease.settle(records);
      const upload = await records.take(uploadKind, id);
      if (upload === null) throw new ServiceError(603);
      await removeSegments(records, file);
      await countBytes(records, file, -bytesOf(upload.received));
    });
  } catch (error) {
    await lease.release();
    throw error;
  }
  context.services.uploadHashes.drop(id);
  // A failure leaves bytes that no one can reach, and the collector removes them.
  await removeDetached(database.files, r.records, file).catch(() => {});
}
