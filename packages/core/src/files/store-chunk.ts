import { type SegmentName, ServiceError } from "@sallyport/storage";
import { inTransaction, type SessionContext, type Uses } from "../request/index.ts";
import { bytesOf } from "./received-ranges.ts";
import { acceptRange, ChunkReceiver } from "./receive-chunk.ts";
import {
  addSegment,
  allSegments,
  countBytes,
  type PlacedSegment,
  removeSegments,
  requireCapacity,
} from "./stored-files.ts";
import { leaseLost, UploadLease } from "./upload-lease.ts";
import type { ChunkRange, ReceiveFile, StateOptions, UploadState } from "./upload-state.ts";
import {
  acceptUploader,
  changeUpload,
  fileNameOf,
  ownUpload,
  readmitted,
  stateOf,
  type Upload,
  type UploadRecord,
  type UploadServices,
} from "./uploads.ts";

/** An upload whose new bytes are durable and await their acknowledgement. */
interface ReceivedChunk {
  readonly record: UploadRecord;
  readonly next: Upload;
  readonly added: readonly PlacedSegment[];
  /** The segments that the new ones replace. */
  readonly replaced: readonly SegmentName[];
}

/**
 * Stores a chunk of an upload, or its whole content. Bytes that are sent again must be the same. When it resolves, the
 * bytes survive a crash. 602, 603: see `ReadUpload`. 600: an impossible range, bytes that differ from those received,
 * or more or fewer bytes than the range. 604: no bytes for a range. 501: a whole file without bytes. 606: another
 * request is writing the upload. 502: a name that is not accepted. 801: the file is too large. 702: no capacity left.
 * 201 or 203: the session has ended. 304, 404: so has the right to upload. 707, 709: the store is damaged or
 * gone. `range`: place of the bytes; `null` if they are the whole file and replace all others. `hash`: see `stateOf`.
 */
export async function storeChunk(
  context: SessionContext & Uses<UploadServices>,
  uploadId: string,
  range: ChunkRange | null,
  receive: ReceiveFile,
  { hash = true }: StateOptions = {},
): Promise<UploadState> {
  const { r, database } = context;
  const { maxSize } = database.policy.files;
  const { id, value } = await ownUpload(context, uploadId);
  await acceptUploader(context);
  if (range !== null) acceptRange(range, value, maxSize);
  const capacity = await requireCapacity(database, r.records, range === null ? null : range.last - range.first + 1);
  const lease = await takeLease(context, id);
  let receiver: ChunkReceiver | undefined;
  let stored: UploadRecord;
  const outcome = { isUndecided: false };
  try {
    const record = await ownUpload(context, id);
    if (range !== null) acceptRange(range, record.value, maxSize);
    receiver = new ChunkReceiver({ context, record, lease, hash });
    const incoming = await receive();
    const next = await (range === null
      ? receiver.receiveAll(incoming, capacity)
      : receiver.receiveRange(range, incoming));
    const replaced = range === null ? await allSegments(r.records, fileNameOf(id)) : [];
    await lease.keep();
    const upload = await acknowledge(context, lease, { record, next, added: receiver.written, replaced }, outcome);
    receiver.keepDigests(upload);
    stored = { ...record, value: upload };
    await database.files.remove(replaced).catch(() => {});
  } catch (error) {
    await lease.release();
    receiver?.dropDigests();
    // They may have failed themselves.
    if (!(error instanceof ServiceError)) context.services.uploadHashes.drop(id);
    // If the transaction may have been committed, the records may name the segments.
    if (!outcome.isUndecided) await database.files.remove(receiver?.written ?? []).catch(() => {});
    throw error;
  }
  return stateOf(context, stored, { hash });
}

async function takeLease(
  context: SessionContext & Uses<Pick<UploadServices, "random">>,
  id: string,
): Promise<UploadLease> {
  const { r } = context;
  const lease = await UploadLease.take(r.records, id, context.services.random.secret());
  if (lease === null) throw leaseLost();
  return lease;
}

/** Makes the new bytes part of the upload, and returns its state. The caller is asked last, as the other statements may wait for other requests. */
async function acknowledge(
  context: SessionContext,
  lease: UploadLease,
  { record, next, added, replaced }: ReceivedChunk,
  /** Set to whether the transaction may have been committed, should it fail. */
  outcome: { isUndecided: boolean },
): Promise<Upload> {
  const { database, unit } = context;
  const { uploadLifetime: lifetime } = database.policy.files;
  const expiresAt = (await database.clock.now(unit)) + lifetime;
  const file = fileNameOf(record.id);
  const value = { ...next, expiresAt };
  const growth = bytesOf(next.received) - bytesOf(record.value.received);
  await inTransaction(context, async (inside) => {
    const { records } = inside.r;
    outcome.isUndecided = false;
    await lease.settle(records);
    if (replaced.length > 0) await removeSegments(records, file);
    for (const segment of added) if (!(await addSegment(records, segment))) throw leaseLost();
    await changeUpload(records, record, value, lifetime);
    await countBytes(records, file, growth, database.policy.files);
    await acceptUploader(await readmitted(inside, { lock: true }));
    outcome.isUndecided = true;
  });
  return value;
}
