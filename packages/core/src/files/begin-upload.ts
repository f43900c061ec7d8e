import { personOf, randomUuid, ServiceError } from "@sallyport/storage";
import { detach, detachedKind, requireCapacity } from "./stored-files.ts";
import {
  acceptDescription,
  acceptUploader,
  fileNameOf,
  ownUpload,
  stateOf,
  type Upload,
  type UploadDescription,
  uploadKind,
  type UploadServices,
} from "./uploads.ts";
import type { StateOptions, UploadState } from "./upload-state.ts";
import type { SessionContext, Uses } from "../request/index.ts";

/**
 * Begins an upload. 304: no readable class with bytes. 404: no right to create or write any. 702: no capacity left. 706: the user
 * has too many unfinished uploads. 700, 709: the store cannot create it. 502, 307: see `acceptDescription`.
 */
export async function beginUpload(
  context: SessionContext & Uses<UploadServices>,
  description: UploadDescription = {},
): Promise<UploadState> {
  const { r, unit, database } = context;
  const { files, policy } = database;
  await acceptUploader(context);
  const described = acceptDescription(description, policy.files);
  await requireCapacity(database, r.records, null);
  const { uploadLifetime: lifetime, maxOpenUploads: perOwner } = policy.files;
  const id = randomUuid(context.services.random);
  const upload: Upload = {
    expiresAt: (await database.clock.now(unit)) + lifetime,
    total: null,
    name: null,
    mediaType: null,
    key: database.fileCipher.newKey(),
    received: [],
    revision: 0,
    md5: null,
    sha256: null,
    ...described,
  };
  const quota = { perOwner, total: 0 };
  const added = await r.records.putWithin(uploadKind, id, upload, {
    owner: personOf(context.session),
    lifetime,
    quota,
  });
  if (added !== "stored")
    throw new ServiceError(706, { detail: "The user has too many unfinished uploads.", retryAfter: 60 });
  try {
    // The folder stays if the surrounding transaction is rolled back; then the collector must know it.
    await unit.autonomously(({ records }) => detach(records, fileNameOf(id)));
    await files.create(fileNameOf(id));
  } catch (error) {
    await r.records.remove(uploadKind, { ids: [id] }).catch(() => {});
    await r.records.remove(detachedKind, { ids: [fileNameOf(id)] }).catch(() => {});
    throw error;
  }
  const { expiresAt } = upload;
  return { uploadId: id, size: 0, hash: database.digests.md5(""), ranges: [], expiresAt };
}

/** Reads the state of an upload. 602: the id is not a UUID. 603: no such upload of this user. */
export async function readUpload(
  context: SessionContext & Uses<Pick<UploadServices, "uploadHashes">>,
  uploadId: string,
  { hash = true }: StateOptions = {},
): Promise<UploadState> {
  return stateOf(context, await ownUpload(context, uploadId), { hash });
}
