import { createHash } from "node:crypto";
import { type NewSession, passwordAuthentication, type SessionPolicy } from "@sallyport/storage";

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export const openPolicy: SessionPolicy = {
  idleTimeout: 600_000,
  absoluteLifetime: 3_600_000,
  limit: 0,
  perUserLimit: 0,
  perDevice: 5,
};

/** Keys of a secure session. */
export const channel = { wrappedKey: "wrapped", ivPrefix: Uint8Array.of(1, 2, 3) };

export function newSession(name: string, changes: Partial<NewSession> = {}): NewSession {
  return {
    digest: digestOf(name),
    mode: "session",
    appKeyId: "key",
    userId: "1",
    secretVersion: 1,
    appNames: ["app"],
    deviceId: null,
    authenticationMethod: passwordAuthentication,
    ...changes,
  };
}

/** The code of the `ServiceError` that a call fails with. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => `no error but ${JSON.stringify(value)}`,
    (error: { code?: unknown }) => error.code ?? error,
  );
}
