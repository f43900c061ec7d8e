import { type ErrorCode, errorEntry, type Repositories } from "@sallyport/storage";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { LogInAnswer } from "./log-in-endpoint.ts";
import { tuned } from "../test-environment.ts";

/** Failures until a user or a network is locked out, and live sessions of a user and of all. */
export const userFailures = 3;
export const addressFailures = 6;
export const perUser = 2;
const limit = 30;

export const limitEnvironment: Readonly<Record<string, string>> = {
  SESSION_LIMIT: `${limit}`,
  SESSION_PER_USER_LIMIT: `${perUser}`,
  SESSIONS_PER_DEVICE: "1",
  THROTTLE_USER_MAX_FAILURES: `${userFailures}`,
  THROTTLE_USER_MAX_DELAY: "1h",
  THROTTLE_IP_MAX_FAILURES: `${addressFailures}`,
  ...tuned({
    policy: {
      delaysOfUsers: { initialDelay: 3_600_000 },
      delaysOfAddresses: { initialDelay: 3_600_000, maxDelay: 3_600_000 },
    },
  }),
};

/** The refusal of every log-in endpoint with this code. */
export function refusal(code: ErrorCode): LogInAnswer {
  const { status, name } = errorEntry(code);
  return { status, body: { status: { internalStatus: `${code}`, statusMessage: name } }, retryAfter: null };
}

/** The same at the start of a lockout. */
export function delayed(code: ErrorCode): LogInAnswer {
  return { ...refusal(code), retryAfter: expect.stringMatching(/^3(600|59\d)$/) as unknown as string };
}

/** Opens sessions up to the limit of the database; the returned function ends them. */
export async function fillSessions({ sessions }: Repositories): Promise<() => Promise<unknown>> {
  const [digests, random] = [new NodeDigests(), new NodeRandomSource()];
  const filling = {
    mode: "session",
    appKeyId: "filling",
    userId: "1",
    secretVersion: 1,
    appNames: [],
    deviceId: null,
    authenticationMethod: { kind: "password" },
  } as const;
  const free = { idleTimeout: 600_000, absoluteLifetime: 600_000, limit: 0, perUserLimit: 0, perDevice: 5 };
  for (let count = await sessions.count(); count < limit; count += 1)
    await sessions.open({ ...filling, digest: digests.sha256(random.secret()) }, free);
  return () => sessions.end({ userId: "1" });
}
