import type { SegmentName } from "@sallyport/storage";
import { inTransaction, type SessionContext, type Uses } from "../request/index.ts";
import { bytesOf } from "./received-ranges.ts";
import { acceptRange, ChunkReceiver } from "./receive-chunk.ts";
import {
  addSegment,
  allSegments,
  countBytes,
  newStoreName,
  type PlacedSegment,
  removeSegments,
  requireCapacity,
} from "./stored-files.ts";
import { leaseLost, UploadLease } from "./upload-lease.ts";
import type { ChunkRange, ReceiveFile, UploadState } from "./upload-state.ts";
import {
  acceptUploader,
  catchUp,
  changeUpload,
  fileNameOf,
  receivedRanges,
  isBehind,
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
 * gone. `range`: place of the bytes; `null` if they are the whole file and replace all others.
 */
export async function storeChunk(
  context: SessionContext & Uses<UploadServices>,
  uploadId: string,
  range: ChunkRange | null,
  receive: ReceiveFile,
): Promise<UploadState> {
  const { r, database } = context;
  const { maxSize } = database.policy.files;
  const { id, value } = await ownUpload(context, uploadId);
  await acceptUploader(context);
  if (range !== null) acceptRange(range, value, maxSize);
  const capacity = await requireCapacity(database, r.records, range === null ? null : range.last - range.first + 1);
  const lease = await takeLease(context, id);
  let written: readonly SegmentName[] = [];
  const outcome = { isUndecided: false };
  try {
    const record = await ownUpload(context, id);
    if (range !== null) acceptRange(range, record.value, maxSize);
    const newSegment = () => newStoreName(context.services.random);
    const receiver = new ChunkReceiver({ context, record, lease, hashes: context.services.hashes, newSegment });
    written = receiver.written;
    const incoming = await receive();
    const next = await (range === null
      ? receiver.receiveAll(incoming, capacity)
      : receiver.receiveRange(range, incoming));
    const replaced = range === null ? await allSegments(r.records, fileNameOf(id)) : [];
    await lease.keep();
    await acknowledge(context, lease, { record, next, added: receiver.written, replaced }, outcome);
    await database.files.remove(replaced).catch(() => {});
  } catch (error) {
    await lease.release();
    // If the transaction may have been committed, the records may name the segments.
    if (!outcome.isUndecided) await database.files.remove(written).catch(() => {});
    throw error;
  }
  return stateAfter(context, id);
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

/** The state with complete digests, unless the next request is already writing the upload. */
async function stateAfter(context: SessionContext & Uses<UploadServices>, id: string): Promise<UploadState> {
  const record = await ownUpload(context, id);
  if (!isBehind(record.value)) return stateOf(context.services.hashes, id, record.value);
  const lease = await UploadLease.take(context.r.records, id, context.services.random.secret());
  if (lease === null) return stateOf(context.services.hashes, id, record.value);
  try {
    const { value } = await catchUp(context, context.services.hashes, lease, await ownUpload(context, id));
    return await stateOf(context.services.hashes, id, value);
  } catch {
    // The chunk is received anyway. The next request goes on with the digests.
    return stateOf(context.services.hashes, id, record.value);
  } finally {
    await lease.release();
  }
}

/** Makes the new bytes part of the upload. The caller is asked last, as the other statements may wait for other requests. */
async function acknowledge(
  context: SessionContext,
  lease: UploadLease,
  { record, next, added, replaced }: ReceivedChunk,
  /** Set to whether the transaction may have been committed, should it fail. */
  outcome: { isUndecided: boolean },
): Promise<void> {
  const { database, unit } = context;
  const { uploadLifetime: lifetime } = database.policy.files;
  const expiresAt = (await database.clock.now(unit)) + lifetime;
  const file = fileNameOf(record.id);
  const growth = bytesOf(receivedRanges(next)) - bytesOf(receivedRanges(record.value));
  await inTransaction(context, async (inside) => {
    const { records } = inside.r;
    outcome.isUndecided = false;
    await lease.settle(records);
    if (replaced.length > 0) await removeSegments(records, file);
    for (const segment of added) if (!(await addSegment(records, segment))) throw leaseLost();
    await changeUpload(records, record, { ...next, expiresAt }, lifetime);
    await countBytes(records, file, growth, database.policy.files);
    await acceptUploader(await readmitted(inside, { lock: true }));
    outcome.isUndecided = true;
  });
}
