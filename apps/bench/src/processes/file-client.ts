import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { buildCounterBlock, directions, formatEncryptedHeader, parseEncryptedHeader } from "@sallyport/contract";
import type { SecureSession } from "../comparison/log-in.ts";

export const mebibyte = 1024 * 1024;
/** Bytes of a chunk of an upload in several requests. */
const chunkSize = 8 * mebibyte;

type Headers = Readonly<Record<string, string>>;

/** The body of a request, with what its headers say of it. */
export interface Body {
  readonly headers: Headers;
  readonly bytes: Iterable<Buffer>;
}

const block = randomBytes(mebibyte);

/** This many bytes: random, but every MiB is the same. */
export function* contentOf(size: number): Generator<Buffer, void, undefined> {
  for (let rest = size; rest > 0; rest -= block.length) yield block.subarray(0, rest);
}

/** The chunks of an upload of this size. */
export function* chunksOf(size: number): Generator<Body, void, undefined> {
  for (let first = 0; first < size; first += chunkSize) {
    const last = Math.min(size, first + chunkSize) - 1;
    const headers = { "content-type": "application/octet-stream", "content-range": `bytes ${first}-${last}/${size}` };
    yield { headers, bytes: contentOf(last + 1 - first) };
  }
}

/** As long as those of curl and browsers: searching takes longer for a short one. */
const boundary = "-".repeat(24) + "5c7a0e1f92b8d364";

const [head, tail] = [
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: text/plain\r\n\r\n`,
  `\r\n--${boundary}--\r\n`,
].map((each) => Buffer.from(each)) as [Buffer, Buffer];

function* formOf(size: number): Generator<Buffer, void, undefined> {
  yield head;
  yield* contentOf(size);
  yield tail;
}

/** Sends a request and returns its answer, whose body is not read yet. Throws if it is not a success. */
export async function exchange(url: string, method: string, headers: Headers, body?: Body): Promise<IncomingMessage> {
  const outgoing = request(url, { method, headers: { ...headers, ...body?.headers }, agent: false });
  const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
  const [[answer]] = await Promise.all([answered, pipeline(Readable.from(body?.bytes ?? []), outgoing)]);
  if ((answer.statusCode ?? 0) < 300) return answer;
  throw new Error(`${method} ${url} was answered ${answer.statusCode}: ${await text(answer)}`);
}

/** Reads bytes to their end. Throws if there are more or fewer than expected. */
export async function receive(bytes: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  let length = 0;
  for await (const piece of bytes) length += piece.length;
  if (length !== size) throw new Error(`${length} bytes arrived instead of ${size}.`);
}

/** A client of the server's files in a session. */
export class FileClient {
  private messages = 0n;

  /** `headers`: credentials. `secure`: the keys of a secure session. */
  constructor(
    private readonly address: string,
    private readonly headers: Headers,
    private readonly secure: SecureSession | null = null,
  ) {}

  /** Uploads a file in one request. */
  async upload(size: number): Promise<void> {
    const length = head.length + size + tail.length;
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": String(length) };
    await text(await this.send("POST", "", this.sealed({ headers, bytes: formOf(size) })));
  }

  /** Uploads a file in chunks, one after the other. Returns the id of its object. `hash`: whether each answer has the MD5. */
  async uploadInChunks(size: number, { hash = true } = {}): Promise<string> {
    const { uploadId } = await this.data("GET", "");
    for (const chunk of chunksOf(size)) await this.data("PATCH", `/${uploadId}?hash=${hash}`, chunk);
    return (await this.data("PATCH", `/${uploadId}`))["~ObjectID"] ?? "";
  }

  async download(objectId: string, size: number): Promise<void> {
    const answer = await exchange(`${this.address}/v1/file/${objectId}`, "GET", this.headers);
    await receive(this.opened(answer), size);
  }

  private send(method: string, path: string, body?: Body): Promise<IncomingMessage> {
    return exchange(`${this.address}/v1/uploadFile${path}`, method, this.headers, body);
  }

  private async data(method: string, path: string, body?: Body): Promise<Readonly<Record<string, string>>> {
    return JSON.parse(await text(await this.send(method, path, body))).data;
  }

  private sealed(body: Body): Body {
    if (this.secure === null) return body;
    const { key, ivPrefix } = this.secure;
    const iv = buildCounterBlock({ direction: directions.toServer, ivPrefix, message: this.messages++, block: 0 });
    const headers = { ...body.headers, encrypted: formatEncryptedHeader({ iv }) };
    return { headers, bytes: sealed(createCipheriv("aes-256-ctr", key, iv), body.bytes) };
  }

  private async *opened(answer: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.secure === null) return yield* answer;
    const { iv } = parseEncryptedHeader(String(answer.headers["encrypted"])) ?? {};
    if (iv === undefined) throw new Error("The answer is not encrypted.");
    yield* opened(createDecipheriv("aes-256-ctr", this.secure.key, iv), answer);
  }
}

/** Bytes behind a cipher. */
export async function* opened(
  cipher: Decipher,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) yield cipher.update(piece);
}

/** Bytes behind a cipher. */
export function* sealed(cipher: Cipher, bytes: Iterable<Buffer>): Generator<Buffer, void, undefined> {
  for (const piece of bytes) yield cipher.update(piece);
}
