import type { SallyportClient } from "../client.ts";
import { TransportError } from "../errors.ts";
import type { StreamAnswer } from "../requests.ts";
import { withinLimits } from "../transport/deadline.ts";
import type { FileObject } from "../objects.ts";
import { Retries, type RetryOptions } from "../transport/retries.ts";

export interface DownloadOptions extends RetryOptions {
  /** Bytes to get, both ends included. Default: all. */
  readonly range?: { readonly first: number; readonly last?: number | undefined } | undefined;
  /** An `etag` of the file. If the file still has it, the call returns `undefined`. */
  readonly ifNoneMatch?: string | undefined;
  /** Milliseconds without a byte after which the connection counts as broken. Default: 30,000. */
  readonly timeout?: number | undefined;
}

/** A file that arrives. Read it once: `for await (const bytes of download)`, or `download.stream`. */
export interface Download extends AsyncIterable<Uint8Array> {
  readonly stream: ReadableStream<Uint8Array>;
  readonly name: string;
  readonly mediaType: string | null;
  /** SHA-256 of the whole file, 64 lowercase hex digits. The stream is not checked. */
  readonly sha256: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The bytes that arrive, both ends included. */
  readonly range: { readonly first: number; readonly last: number };
  /** Changes with the bytes of the file. */
  readonly etag: string;
}

const usualTimeout = 30_000;

/**
 * Downloads the file of an object by its id or UUID. After a broken connection, it requests the rest of the same bytes. The
 * stream fails with a `TransportError` `changed` if the file got other bytes.
 */
export function download(
  client: SallyportClient,
  id: string,
  options: DownloadOptions & { readonly ifNoneMatch: string },
): Promise<Download | undefined>;
export function download(
  client: SallyportClient,
  id: string,
  options?: DownloadOptions & { readonly ifNoneMatch?: undefined },
): Promise<Download>;
export async function download(
  client: SallyportClient,
  id: string,
  options: DownloadOptions = {},
): Promise<Download | undefined> {
  const { range, ifNoneMatch, timeout = usualTimeout, signal } = options;
  const path = `/v1/file/${encodeURIComponent(id)}`;
  const retries = new Retries(options);
  const request = (headers: Record<string, string>) =>
    retries.run(() => client.requestStream({ path, headers, timeout, signal, retries: 0 }));
  const answer = await request({
    ...(range === undefined ? {} : { range: `bytes=${range.first}-${range.last ?? ""}` }),
    ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }),
  });
  if (answer.httpStatus === 304 && ifNoneMatch !== undefined) return undefined;
  try {
    // In a secure session, no header tells name and type.
    const object = await retries.run(() => client.getObject<FileObject>(id, { signal, retries: 0 }));
    const head = headOf(answer, object);
    const bytes = piecesOf(answer, { ...head, retries, timeout, signal, request });
    const { Name: name, MediaType: mediaType, Sha256: sha256 } = object;
    const stream = streamOf(bytes, answer);
    return { ...head, name, mediaType, sha256, stream, [Symbol.asyncIterator]: () => bytes };
  } catch (error) {
    await answer.stream.cancel();
    throw error;
  }
}

type Head = Pick<Download, "size" | "range" | "etag">;

/** Throws a `TransportError` for a response that is not the service's. */
function headOf({ httpStatus, headers, etag }: StreamAnswer, { Size }: FileObject): Head {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  if (etag === undefined || (httpStatus === 206) !== (total !== undefined))
    throw new TransportError("foreign-answer", { httpStatus });
  if (total !== undefined) return { etag, size: Number(total), range: { first: Number(first), last: Number(last) } };
  const size = Number(headers.get("content-length") ?? Size);
  return { etag, size, range: { first: 0, last: size - 1 } };
}

interface Continuation extends Head {
  readonly retries: Retries;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly request: (headers: Record<string, string>) => Promise<StreamAnswer>;
}

/** The bytes of a range. After a failure, further requests get the rest. */
async function* piecesOf(
  { stream }: StreamAnswer,
  { etag, range, size, retries, timeout, signal, request }: Continuation,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [current, next] = [stream, range.first];
  while (next <= range.last) {
    const reader = current.getReader();
    try {
      for (;;) {
        const { done, value } = await withinLimits({ timeout, signal }, () => reader.read());
        if (done) break;
        next += value.length;
        if (next > range.last + 1) throw new TransportError("changed");
        retries.reset();
        yield value;
      }
      if (next <= range.last) throw new TransportError("unreachable");
    } catch (error) {
      if (next === range.last + 1) return;
      await retries.after(error);
      const rest = await request({ range: `bytes=${next}-${range.last}`, "if-range": etag });
      if (rest.headers.get("content-range") !== `bytes ${next}-${range.last}/${size}`) {
        await rest.stream.cancel();
        throw new TransportError("changed");
      }
      current = rest.stream;
    } finally {
      await reader.cancel().catch(() => {});
    }
  }
}

function streamOf(
  bytes: AsyncGenerator<Uint8Array, void, undefined>,
  { stream }: StreamAnswer,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return();
        // An iteration that has not begun does not end by itself.
        if (!stream.locked) await stream.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
