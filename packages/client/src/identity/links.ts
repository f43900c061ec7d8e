import type { SallyportClient } from "../client.ts";
import type { CallOptions } from "../requests/call-options.ts";

/** An account of a provider that is bound to the user. */
export interface Link {
  readonly provider: string;
  /** As the provider said it when the account was bound. */
  readonly displayName: string | null;
  readonly email: string | null;
  /** Whether it was bound without the user's own credentials. */
  readonly shared: boolean;
  /** ISO 8601, in UTC. */
  readonly linkedAt: string;
}

/** The accounts of providers that are bound to the user. */
export async function listLinks(client: SallyportClient, options: CallOptions = {}): Promise<readonly Link[]> {
  const { data } = await client.request<{ readonly links: readonly Link[] }>({ ...options, path: "/v1/auth/links" });
  return data.links;
}

/** Takes the user's links to a provider away; the sessions that they opened end. 304 when there are none. */
export async function removeLinks(client: SallyportClient, provider: string, options: CallOptions = {}): Promise<void> {
  await client.request({ ...options, method: "DELETE", path: `/v1/auth/links/${encodeURIComponent(provider)}` });
}
