import type { FileLinkData } from "@sallyport/contract";
import type { SallyportClient } from "../client.ts";
import type { CallOptions } from "../requests.ts";

export interface LinkOptions extends CallOptions {
  /** Seconds until the link expires, at most 3,600. Default: 300. */
  readonly expiresIn?: number | undefined;
  /** Whether the link ends with the session. Default: true. */
  readonly session?: boolean | undefined;
}

/**
 * Creates a link to the present bytes of a file, for `<img>`, `<video>` and `<a>`: everyone who has the address can read them.
 * It ends when the file gets other bytes, and when the user may no longer read it. 307 in a secure session, unless the
 * server allows it.
 */
export async function linkFile(
  client: SallyportClient,
  id: string,
  { expiresIn, session, ...options }: LinkOptions = {},
): Promise<FileLinkData> {
  const request = { path: { idOrUuid: id }, body: { expiresIn, session } };
  const data = await client.call("POST /v1/file/{idOrUuid}/link", { ...options, ...request });
  return { ...data, url: new URL(data.url, client.baseUrl).href };
}
