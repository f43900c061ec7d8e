import { type ByteRange, type ObjectId, type Principal, ServiceError, type SingleReference } from "@sallyport/storage";
import { visibilityOf } from "../model/index.ts";
import { canHaveBytes, fileOf, isFileClass, visibleObject } from "../objects/index.ts";
import { type RequestContext, requestModel } from "../request/index.ts";
import { readStored } from "./stored-files.ts";

/** A request on behalf of a user. */
type FileReader = RequestContext & { readonly principal: Principal };

export interface OpenedFile {
  /** The object of the file. */
  readonly id: ObjectId;
  readonly size: number;
  /** Entity tag: an opaque text that changes with the bytes. It tells nothing about them, as headers are never encrypted. */
  readonly etag: string;
  readonly name: string;
  readonly mediaType: string | null;
  /** SHA-256 of the bytes, in hex digits. */
  readonly sha256: string;
  /** Latest write of the object, milliseconds since 1970. */
  readonly modifiedAt: number;
  /** Whether the caller may still read the file, also if it was deleted since it was opened. `now`: the context as of now. */
  isReadable(now: FileReader): Promise<boolean>;
  /** The range must be inside the file. Errors: see `readStored`. */
  read(range: ByteRange): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Opens the bytes of a file for everyone who may read its object. 304: the object never existed, is invisible, or can be
 * without bytes and is. 609: it is deleted. 707: its bytes are lost.
 */
export async function openFile(context: FileReader, reference: SingleReference): Promise<OpenedFile> {
  const { r, database, principal } = context;
  const model = await requestModel(context);
  const {
    id,
    className,
    storedAt: modifiedAt,
  } = await visibleObject(r, reference, visibilityOf(principal, model), 609);
  if (!canHaveBytes(model, className)) throw new ServiceError(304);
  const file = await fileOf(r.records, id);
  if (file === undefined) throw new ServiceError(isFileClass(model, className) ? 707 : 304);
  const { size, name, mediaType, sha256, key } = file.value;
  const read = (range: ByteRange) => readStored(database, r.records, { file: file.id, key, range });
  const isReadable = (now: FileReader) => isVisible(now, { kind: "id", id });
  return { id, size, etag: file.id, name, mediaType, sha256, modifiedAt, isReadable, read };
}

async function isVisible(context: FileReader, reference: SingleReference & { kind: "id" }): Promise<boolean> {
  const { objects, deletion } = context.r;
  const visibility = visibilityOf(context.principal, await requestModel(context));
  if ((await objects.get([reference.id], visibility)).length > 0) return true;
  return (await deletion.find(reference, visibility)) !== null;
}
