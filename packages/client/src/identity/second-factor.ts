import type { SallyportClient } from "../client.ts";
import type { CallOptions } from "../requests.ts";

const statuses = ["unavailable", "off", "optional", "forced"] as const;

/** The state of the user's second factor for an app name. */
export interface SecondFactor {
  /** Whether a secret was issued. */
  readonly isActivated: boolean;
  /** Whether log-ins require a token. */
  readonly isConfirmed: boolean;
  /** The requirement of the app name. */
  readonly status: (typeof statuses)[number];
}

/** Shown once, at enrolment. */
export interface EnrolledFactor {
  /** Base32, for an authenticator app. */
  readonly secret: string;
  /** The secret as a URL for a QR code. */
  readonly otpauthUrl: string;
  /** Each replaces a token once. They cannot be shown again. */
  readonly recoveryCodes: readonly string[];
}

/** Reads the state of the second factor. */
export async function readSecondFactor(
  client: SallyportClient,
  app: string,
  options: CallOptions = {},
): Promise<SecondFactor> {
  const data = await client.call("GET /v1/2fa/secret", { ...options, query: { app } });
  return {
    isActivated: data.isActivated,
    isConfirmed: data.isConfirmed,
    status: statuses[data["2faStatus"]] ?? "unavailable",
  };
}

/** Starts enrolment. An unconfirmed factor has no effect and can be replaced. 307 if none is available. */
export function enrolSecondFactor(
  client: SallyportClient,
  app: string,
  options: CallOptions = {},
): Promise<EnrolledFactor> {
  return client.call("POST /v1/2fa/secret", { ...options, query: { app } });
}

/** Confirms the factor with a token. Later log-ins require one (`twoFactorToken`). 342 for a wrong token. */
export async function confirmSecondFactor(
  client: SallyportClient,
  app: string,
  token: string,
  options: CallOptions = {},
): Promise<void> {
  await client.call("PATCH /v1/2fa/secret", { ...options, query: { app }, body: { token } });
}

/** Disables the factor. A confirmed one needs a token. */
export async function removeSecondFactor(
  client: SallyportClient,
  app: string,
  token?: string,
  options: CallOptions = {},
): Promise<void> {
  const body = token === undefined ? {} : { body: { token } };
  await client.call("DELETE /v1/2fa/secret", { ...options, query: { app }, ...body });
}

/** Consumes a token of the confirmed second factor. 342 for an invalid one. */
export async function validateSecondFactor(
  client: SallyportClient,
  app: string,
  token: string,
  options: CallOptions = {},
): Promise<void> {
  await client.call("POST /v1/2fa/validate", { ...options, query: { app }, body: { token } });
}
