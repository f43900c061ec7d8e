import type { Attributes, ObjectId, RecordKind, RecordRepository } from "@sallyport/storage";

export interface FileDescription {
  readonly size: number;
  readonly sha256: string;
  readonly name: string;
  readonly mediaType: string | null;
}

/** A complete file: its id in the store is the id of the record, its owner the id of its object. */
export interface StoredFile extends FileDescription {
  /** Wrapped key of the file; `null` if its bytes are not encrypted. */
  readonly key: string | null;
}

export const fileKind: RecordKind<StoredFile> = "file";

/** The file of an object; `undefined` if it has none. */
export async function fileOf(records: RecordRepository, objectId: ObjectId) {
  const [record] = await records.list(fileKind, { owner: objectId, after: null, limit: 1 });
  return record;
}

/** The attributes of a file's object. */
export function fileAttributes({ name, size, mediaType, sha256 }: FileDescription): Attributes {
  return { Name: name, Size: size, MediaType: mediaType, Sha256: sha256 };
}

/** Gives the file of an object the name and media type that its object gets, in the transaction that writes the object. */
export async function describeFile(records: RecordRepository, owner: ObjectId, written: Attributes): Promise<void> {
  const { Name: name, MediaType: mediaType } = written as { Name?: string; MediaType?: string | null };
  const file = await fileOf(records, owner);
  if (file === undefined) return;
  const { id, value } = file;
  const next = { ...value, name: name ?? value.name, mediaType: mediaType === undefined ? value.mediaType : mediaType };
  if (next.name !== value.name || next.mediaType !== value.mediaType) await records.put(fileKind, id, next, { owner });
}
