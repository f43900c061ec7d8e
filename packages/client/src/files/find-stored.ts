import type { SallyportClient } from "../client.ts";
import type { FileObject } from "../objects.ts";

interface Place {
  /** The object whose bytes the upload replaces. */
  readonly replace: string | undefined;
  readonly size: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Objects to look at. The wanted one is among the newest of its size. */
const candidates = 20;

/**
 * The object of an upload that was finished, but whose response was lost. The server no longer knows the upload, but the
 * `ETag` of a file consists of the id of its upload.
 */
export async function findStored(
  client: SallyportClient,
  uploadId: string,
  { replace, size, signal }: Place,
): Promise<FileObject | undefined> {
  const etag = `"${uploadId.toLowerCase().replaceAll("-", "")}"`;
  for (const id of replace === undefined ? await newest(client, size, signal) : [replace]) {
    const headers = { "if-none-match": etag, range: "bytes=0-0" };
    const { httpStatus, stream } = await client.requestStream({
      path: `/v1/file/${encodeURIComponent(id)}`,
      headers,
      signal,
    });
    await stream.cancel();
    if (httpStatus === 304) return client.getObject<FileObject>(id, { signal });
  }
  return undefined;
}

async function newest(
  client: SallyportClient,
  size: number | undefined,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (size === undefined) return [];
  const query = { where: { Size: size }, sort: ["-~StoreTime"] };
  const serialization = { type: "oid" } as const;
  const page = await client.listObjects("File", { query, perPage: candidates, serialization, signal });
  return page["~Elements"].map((each) => each["~ObjectID"]);
}
