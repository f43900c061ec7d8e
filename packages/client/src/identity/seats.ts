import type { SallyportClient } from "../client.ts";
import type { CallOptions, OnceOptions } from "../requests.ts";

export interface ReserveOptions extends CallOptions, OnceOptions {
  /** Token or recovery code, or several separated by commas, if an app name needs a second factor. */
  readonly twoFactorToken?: string | undefined;
}

/**
 * Takes a licence seat of each app name until the session ends or releases it. 306 if one has no free seat; then none is
 * taken. A renewed session has the seats of its log-in only.
 */
export async function reserveSeats(
  client: SallyportClient,
  appNames: readonly string[],
  { twoFactorToken, ...options }: ReserveOptions = {},
): Promise<void> {
  await client.call("POST /v1/license/reserve", { ...options, body: { appNames, "2faToken": twoFactorToken } });
}

/** Frees the seats of app names, those of the log-in included. 323 if the session lacks one; then none is freed. */
export async function releaseSeats(
  client: SallyportClient,
  appNames: readonly string[],
  options: CallOptions = {},
): Promise<void> {
  await client.call("POST /v1/license/release", { ...options, body: { appNames } });
}
