import type { UploadData } from "@sallyport/contract";
import type { SallyportClient } from "../client.ts";
import { SallyportError, TransportError } from "../errors.ts";
import { withinLimits } from "../transport/deadline.ts";
import { type ConditionOptions, ifMatchHeader, withVersion } from "../version.ts";
import type { FileObject } from "../objects.ts";
import { findStored } from "./find-stored.ts";
import { formOf } from "./form.ts";
import { isTransient, Retries, type RetryOptions } from "../transport/retries.ts";
import { type FileSource, readerOf, sha256, type SourceReader } from "./sources.ts";

export interface UploadProgress {
  /** Bytes that survive a crash of the server. */
  readonly acknowledged: number;
  /** Bytes of the file; `undefined` for a stream without `size`. */
  readonly total: number | undefined;
}

export interface UploadOptions extends RetryOptions, ConditionOptions {
  /** Name of the file. Required, except for a `File`. */
  readonly name?: string | undefined;
  /** Default: the type of a `Blob`, else `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  /** Number of bytes of a stream, if known: the server refuses a file that is too large before it has its bytes. */
  readonly size?: number | undefined;
  /** SHA-256 of the file in hex digits, to be checked at the end. */
  readonly sha256?: string | undefined;
  /** Bytes of a request. Default: 8 MiB. Requests are smaller for a while after a broken connection. */
  readonly chunkSize?: number | undefined;
  /** Continues this upload, also of another process. The source is the same file, from its first byte. */
  readonly uploadId?: string | undefined;
  /** Id or UUID of a `File` object that gets the bytes. `ifMatch` is its version. Default: a new object. */
  readonly replace?: string | undefined;
  /** Keeps the bytes of an aborted or refused upload on the server, to be continued. Default: they are removed. */
  readonly keep?: boolean | undefined;
  /** Called with the id of the upload before the first byte is sent. */
  readonly onBegin?: ((uploadId: string) => void) | undefined;
  /** Called when the server has acknowledged bytes. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

const usualChunk = 8 * 1024 * 1024;
/** A smaller chunk would mostly consist of waiting. */
const smallestChunk = 64 * 1024;
/** Time limit of a request: a server with the default settings waits as long for a body. */
const silence = 30_000;
const bytesPerMillisecond = 16;
const unknownUpload = 603;

/**
 * Uploads a file and returns its object. After a broken connection and failures of the server, it reads from the server
 * which bytes are missing, and sends them only. Errors are those of the client's calls; `TransportError` with `damaged`
 * if the stored bytes differ (`cause` is the object).
 *
 * WebCrypto cannot digest a stream. So the SHA-256 is checked if the file is in memory, fits into one chunk, or
 * `sha256` is given; the size is checked always.
 */
export async function upload(
  client: SallyportClient,
  source: FileSource,
  options: UploadOptions = {},
): Promise<FileObject> {
  const transfer = new Transfer(client, source, options);
  try {
    return await transfer.run();
  } catch (error) {
    await transfer.abandon(error);
    throw error;
  } finally {
    transfer.close();
  }
}

interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

class Transfer {
  readonly #client: SallyportClient;
  readonly #options: UploadOptions;
  readonly #file: FileNames;
  readonly #source: SourceReader;
  readonly #retries: Retries;
  readonly #largest: number;
  #uploadId: string | undefined;
  #digest: Promise<string | undefined> | undefined;
  /** Bytes of the next chunk, at most. */
  #length: number;
  #acknowledged = 0;
  #isNamed = false;

  constructor(client: SallyportClient, source: FileSource, options: UploadOptions) {
    const { chunkSize = usualChunk, size, uploadId } = options;
    if (!(Number.isSafeInteger(chunkSize) && chunkSize > 0)) throw new RangeError("`chunkSize` must be at least 1.");
    this.#client = client;
    this.#options = options;
    this.#file = namesOf(source, options);
    this.#source = readerOf(source, size);
    this.#retries = new Retries(options);
    this.#largest = chunkSize;
    this.#length = chunkSize;
    this.#uploadId = uploadId;
    if (options.sha256 !== undefined) this.#digest = Promise.resolve(options.sha256.toLowerCase());
    else if (source instanceof Uint8Array) this.#digest = sha256(source);
  }

  async run(): Promise<FileObject> {
    const begun = await this.#begin();
    if ("~ObjectID" in begun) return begun;
    this.#uploadId = begun.uploadId;
    this.#options.onBegin?.(begun.uploadId);
    this.#advance(begun);
    let state: UploadData = begun;
    for (let chunk = await this.#next(state); chunk !== undefined; chunk = await this.#next(state))
      state = await this.#send(chunk);
    return this.#checked(await this.#finish());
  }

  /** Removes an upload that cannot succeed, so that it does not count against the user's. */
  async abandon(error: unknown): Promise<void> {
    if (this.#uploadId === undefined || this.#options.keep === true || isTransient(error)) return;
    const request = { method: "DELETE", path: this.#path, timeout: 5_000, retries: 0 } as const;
    try {
      // The server may still be reading an aborted request (605).
      await new Retries({ retries: 5 }).run(() => this.#client.request(request));
    } catch {
      // The upload expires by itself.
    }
  }

  close(): void {
    this.#source.close();
  }

  /** The state of the upload, or the object if an earlier process has finished it. */
  async #begin(): Promise<UploadData | FileObject> {
    try {
      return await this.#retries.run(() => this.#readState());
    } catch (error) {
      const stored = await this.#stored(error);
      if (stored === undefined) throw error;
      return this.#checked(stored);
    }
  }

  /** Without an id, the request begins an upload. */
  get #path(): string {
    return `/v1/uploadFile${this.#uploadId === undefined ? "" : `/${encodeURIComponent(this.#uploadId)}`}`;
  }

  async #readState(): Promise<UploadData> {
    const { signal } = this.#options;
    return (await this.#client.request<UploadData>({ path: this.#path, signal, retries: 0 })).data;
  }

  /** The first missing bytes; `undefined` if there are none. */
  async #next({ ranges }: UploadData): Promise<Chunk | undefined> {
    const [head] = ranges;
    const offset = head?.first === 0 ? head.last + 1 : 0;
    const end = ranges.find(({ first }) => first > offset)?.first ?? Number.POSITIVE_INFINITY;
    const length = Math.min(this.#length, end - offset);
    const { signal } = this.#options;
    const bytes = await withinLimits({ signal }, () => this.#source.read(offset, length));
    return bytes.length === 0 ? undefined : { offset, bytes };
  }

  /** Sends a chunk. Returns the state that the server has, also after a failure that passes. */
  async #send(chunk: Chunk): Promise<UploadData> {
    try {
      const state = await this.#put(chunk);
      this.#isNamed = true;
      this.#length = Math.min(this.#largest, this.#length * 2);
      return this.#advance(state);
    } catch (error) {
      await this.#retries.after(error);
      this.#length = Math.max(Math.min(this.#length, smallestChunk), Math.ceil(this.#length / 2));
      return this.#advance(await this.#retries.run(() => this.#readState()));
    }
  }

  async #put({ offset, bytes }: Chunk): Promise<UploadData> {
    const last = offset + bytes.length - 1;
    const { size: total } = this.#source;
    if (bytes.length === total) this.#digest ??= sha256(bytes);
    const form = this.#isNamed ? undefined : formOf({ ...this.#file, bytes });
    const { data } = await this.#client.request<UploadData>({
      method: "PATCH",
      path: this.#path,
      headers: {
        "content-range": `bytes ${offset}-${last}/${total ?? "*"}`,
        ...(form === undefined ? {} : { "content-type": form.contentType }),
      },
      body: form?.body ?? bytes,
      signal: this.#options.signal,
      timeout: silence + bytes.length / bytesPerMillisecond,
      retries: 0,
    });
    if (!data.ranges.some((range) => range.first <= offset && range.last >= last))
      throw new TransportError("foreign-answer");
    return data;
  }

  #advance(state: UploadData): UploadData {
    const acknowledged = state.ranges.reduce((sum, { first, last }) => sum + last + 1 - first, 0);
    if (acknowledged > this.#acknowledged) {
      this.#retries.reset();
      this.#options.onProgress?.({ acknowledged, total: this.#source.size });
    }
    this.#acknowledged = acknowledged;
    return state;
  }

  /** Creates the object, or gives an existing one the bytes. */
  async #finish(): Promise<FileObject> {
    const { replace, ifMatch, signal } = this.#options;
    // Forms have named the file, unless an earlier process sent all bytes. A secure session encrypts no parameters.
    const isUnnamed = !this.#isNamed && this.#client.session?.mode !== "secure";
    const query = { replaceOID: replace, ...(isUnnamed ? this.#file : {}) };
    return this.#retries.run(async () => {
      try {
        const target = { method: "PATCH", path: this.#path, query } as const;
        const headers = ifMatchHeader(ifMatch);
        const { data, etag } = await this.#client.request<FileObject>({ ...target, headers, signal, retries: 0 });
        return withVersion(data, etag);
      } catch (error) {
        const stored = await this.#stored(error);
        if (stored === undefined) throw error;
        return stored;
      }
    });
  }

  /** The object, if the upload is unknown because it was finished. */
  async #stored(error: unknown): Promise<FileObject | undefined> {
    if (this.#uploadId === undefined || !(error instanceof SallyportError) || error.code !== unknownUpload)
      return undefined;
    const { replace, signal } = this.#options;
    return findStored(this.#client, this.#uploadId, { replace, signal, size: this.#source.size ?? this.#acknowledged });
  }

  async #checked(stored: FileObject): Promise<FileObject> {
    const { size = stored.Size } = this.#source;
    const digest = (await this.#digest) ?? stored.Sha256;
    if (stored.Size !== size || stored.Sha256 !== digest) throw new TransportError("damaged", { cause: stored });
    return stored;
  }
}

interface FileNames {
  readonly name: string;
  readonly mediaType: string;
}

function namesOf(source: FileSource, options: UploadOptions): FileNames {
  const { name: ownName, type: ownType } = source instanceof Blob ? (source as Partial<File>) : {};
  const { name = ownName, mediaType = ownType } = options;
  if (name === undefined || name === "") throw new TypeError("A file needs a `name`.");
  if (mediaType !== undefined && !/^[\x20-\x7e]*$/.test(mediaType))
    throw new TypeError("`mediaType` must be printable ASCII.");
  return { name, mediaType: mediaType || "application/octet-stream" };
}
