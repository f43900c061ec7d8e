import { fileKind } from "../../objects/index.ts";
import type { AdministrationContext } from "../../request/index.ts";
import type { ObjectId } from "@sallyport/storage";
import { bytesOf } from "../received-ranges.ts";
import { allSegments, detachedKind, existingOwners, filePages, pagesOf } from "../stored-files.ts";
import { fileNameOf, uploadIdOf, uploadKind } from "../uploads.ts";

/**
 * `complete`: a file with an object, live or in the recycle bin. `uploading`: an unfinished upload. `unused`: bytes without
 * an object, which the collector removes.
 */
export type FileState = "complete" | "uploading" | "unused";

export interface ListedFile {
  /** Its name in the store. */
  readonly file: string;
  readonly state: FileState;
  readonly objectId: ObjectId | null;
  /** The person who uploads it, see `personOf`. */
  readonly uploader: string | null;
  readonly name: string | null;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string | null;
  readonly sha256: string | null;
  /** Beginning of the state, milliseconds since 1970. */
  readonly since: number;
  /** End of the upload without another chunk, milliseconds since 1970. */
  readonly expiresAt: number | null;
}

const nothing = { objectId: null, uploader: null, name: null, mediaType: null, sha256: null, expiresAt: null };

/** Lists the files that the database knows, complete ones first. */
export async function* listFiles({ r }: Pick<AdministrationContext, "r">): AsyncGenerator<ListedFile, void, undefined> {
  const { records, deletion } = r;
  for await (const page of filePages(records)) {
    const existing = await existingOwners(deletion, page);
    for (const { id: file, owner, value, createdAt: since } of page) {
      const { key: _key, ...described } = value;
      const state = existing.has(owner ?? "") ? "complete" : "unused";
      yield { ...nothing, ...described, file, state, objectId: owner, since };
    }
  }
  for await (const page of pagesOf(records, uploadKind)) {
    for (const { id, owner, value, createdAt: since } of page) {
      const { name, mediaType, expiresAt } = value;
      const described = { name, mediaType, expiresAt, uploader: owner, size: bytesOf(value.received) };
      yield { ...nothing, ...described, file: fileNameOf(id), state: "uploading", since };
    }
  }
  for await (const page of pagesOf(records, detachedKind)) {
    const files = page.map(({ id }) => id);
    const listed = [
      ...(await records.get(fileKind, files)).map(({ id }) => id),
      ...(await records.get(uploadKind, files.map(uploadIdOf))).map(({ id }) => fileNameOf(id)),
    ];
    for (const { id: file, createdAt: since } of page.filter(({ id }) => !listed.includes(id))) {
      const size = (await allSegments(records, file)).reduce((sum, { length }) => sum + length, 0);
      yield { ...nothing, file, state: "unused", size, since };
    }
  }
}
