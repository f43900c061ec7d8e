import type { SallyportClient } from "../client.ts";
import type { CallOptions } from "../requests.ts";
import type { Method } from "../transport/transport.ts";

const statuses = ["unavailable", "off", "optional", "forced"] as const;

/** How it stands with the user's second factor for an app name. */
export interface SecondFactor {
  /** Whether a secret was given out. */
  readonly isActivated: boolean;
  /** Whether log-ins ask for a token of it. */
  readonly isConfirmed: boolean;
  /** What the app name asks for. */
  readonly status: (typeof statuses)[number];
}

/** What is given out once, when a second factor is begun. */
export interface EnrolledFactor {
  /** Base32, for an authenticator. */
  readonly secret: string;
  /** The same for a QR code. */
  readonly otpauthUrl: string;
  /** Each takes the place of a token once. They cannot be shown again. */
  readonly recoveryCodes: readonly string[];
}

/** How it stands. */
export async function readSecondFactor(
  client: SallyportClient,
  app: string,
  options: CallOptions = {},
): Promise<SecondFactor> {
  const data = await send<{
    readonly isActivated: boolean;
    readonly isConfirmed: boolean;
    readonly "2faStatus": number;
  }>(client, "GET", app, options);
  return {
    isActivated: data.isActivated,
    isConfirmed: data.isConfirmed,
    status: statuses[data["2faStatus"]] ?? "unavailable",
  };
}

/** Begins one; until it is confirmed, it asks for nothing and can be begun anew. 307 where there is none to begin. */
export function enrolSecondFactor(
  client: SallyportClient,
  app: string,
  options: CallOptions = {},
): Promise<EnrolledFactor> {
  return send<EnrolledFactor>(client, "POST", app, options);
}

/** Confirms it with a token: from now on log-ins ask for one (`twoFactorToken`). 342 for a wrong one. */
export async function confirmSecondFactor(
  client: SallyportClient,
  app: string,
  token: string,
  options: CallOptions = {},
): Promise<void> {
  await send(client, "PATCH", app, options, { token });
}

/** Switches it off; a confirmed one for a token. */
export async function removeSecondFactor(
  client: SallyportClient,
  app: string,
  token?: string,
  options: CallOptions = {},
): Promise<void> {
  await send(client, "DELETE", app, options, token === undefined ? undefined : { token });
}

/** Resolves for a token of the confirmed second factor, which is spent by it; 342 for any other. */
export async function validateSecondFactor(
  client: SallyportClient,
  app: string,
  token: string,
  options: CallOptions = {},
): Promise<void> {
  await client.request({ ...options, method: "POST", path: "/v1/2fa/validate", query: { app }, body: { token } });
}

async function send<Data>(
  client: SallyportClient,
  method: Method,
  app: string,
  options: CallOptions,
  body?: object,
): Promise<Data> {
  const { data } = await client.request<Data>({
    ...options,
    method,
    path: "/v1/2fa/secret",
    query: { app },
    ...(body === undefined ? {} : { body }),
  });
  return data;
}
