import { personOf, type RandomSource, randomUuid, ServiceError } from "@sallyport/storage";
import type { SessionContext } from "../request/index.ts";
import type { ResumableHashes } from "./resumable-hash.ts";
import { detach, detachedKind, requireCapacity } from "./stored-files.ts";
import {
  acceptDescription,
  acceptUploader,
  FileDigests,
  fileNameOf,
  ownUpload,
  stateOf,
  type Upload,
  type UploadDescription,
  uploadKind,
} from "./uploads.ts";
import type { UploadState } from "./upload-state.ts";

/**
 * Begins an upload. 304: no readable class with bytes. 404: no right to create or write any. 702: no capacity left. 706: the user
 * has too many unfinished uploads. 700, 709: the store cannot create it. 502, 307: see `acceptDescription`.
 */
export class BeginUpload {
  constructor(
    private readonly hashes: ResumableHashes,
    private readonly random: RandomSource,
  ) {}

  async beginUpload(context: SessionContext, description: UploadDescription = {}): Promise<UploadState> {
    const { r, unit, database } = context;
    const { files, policy } = database;
    await acceptUploader(context);
    const described = acceptDescription(description, policy.files);
    await requireCapacity(database, r.records, null);
    const { uploadLifetime: lifetime, maxOpenUploads: perOwner } = policy.files;
    const id = randomUuid(this.random);
    const upload: Upload = {
      ...(await FileDigests.begin(this.hashes)).save(),
      expiresAt: (await database.clock.now(unit)) + lifetime,
      total: null,
      name: null,
      mediaType: null,
      key: database.fileCipher.newKey(),
      size: 0,
      beyond: [],
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
    return stateOf(this.hashes, id, upload);
  }
}

/** Reads the state of an upload. 602: the id is no UUID. 603: no such upload of this user. */
export class ReadUpload {
  constructor(private readonly hashes: ResumableHashes) {}

  async readUpload(context: SessionContext, uploadId: string): Promise<UploadState> {
    const { id, value } = await ownUpload(context, uploadId);
    return stateOf(this.hashes, id, value);
  }
}
