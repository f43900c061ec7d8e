import { type ClientSession, type LogInMode, type LogInOptions, SallyportClient } from "@sallyport/client";
import { generateSync } from "otplib";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import type { RunningServer } from "../src/index.ts";
import { callIn } from "./client.ts";
import { logInForm } from "@sallyport/testing/acceptance";
import { appKey, type Subject } from "./subject.ts";

const keyPair = await storedKeyPair();

/** The tests send wrong tokens. */
export const secondFactorEnvironment = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  THROTTLE_IP_MAX_FAILURES: "10000",
  THROTTLE_USER_MAX_FAILURES: "10000",
};

export interface Enrolled {
  readonly secret: string;
  readonly otpauthUrl: string;
  readonly recoveryCodes: readonly string[];
}

/** Generates tokens like an authenticator with the storage's clock. A step is 30 seconds, longer than any test. */
export class Authenticator {
  private constructor(
    private readonly secret: string,
    private readonly step: number,
  ) {}

  static async of(server: RunningServer, secret: string): Promise<Authenticator> {
    return Authenticator.at(secret, (await server.databases.get("")?.storage.now()) ?? 0);
  }

  /** @param now by the storage's clock, milliseconds since 1970 */
  static at(secret: string, now: number): Authenticator {
    return new Authenticator(secret, Math.floor(now / 30_000));
  }

  /** The token of a step, counted from the one at creation; those of 0 and 1 are valid for a while. */
  token(later = 0): string {
    return generateSync({ secret: this.secret, strategy: "totp", epoch: (this.step + later) * 30 });
  }

  /** Six digits that match no token of a nearby step. */
  wrong(): string {
    const near = [-2, -1, 0, 1, 2, 3].map((later) => this.token(later));
    return Array.from({ length: 10 }, (_, index) => String(111_111 * index).padStart(6, "0")).find(
      (digits) => !near.includes(digits),
    ) as string;
  }
}

export interface Fields {
  readonly user: string;
  readonly pass?: string;
  readonly appNames: readonly string[];
  readonly "2faToken"?: unknown;
  readonly "2faEnrol"?: unknown;
}

/** The code of a log-in, in any mode. */
export async function attempt(
  subject: Subject,
  mode: LogInMode,
  { user, pass = user, ...more }: Fields,
): Promise<string> {
  const form = await logInForm(subject.url, appKey, mode);
  const headers = { appkey: appKey, "content-type": "application/json" };
  const answer = await fetch(subject.url + form.path, {
    method: "POST",
    headers,
    body: form.wrap(JSON.stringify({ user, pass, ...more })),
  });
  const text = await answer.text();
  const { status } = JSON.parse(text.startsWith("{") ? text : form.unwrap(text)) as {
    status: { internalStatus: string };
  };
  return status.internalStatus;
}

/** Logs in, in any mode. */
export async function logInWithFactor(
  { url }: Subject,
  mode: LogInMode,
  user: string,
  appNames: readonly string[],
  twoFactorToken?: string,
): Promise<ClientSession> {
  return logInWith({ url }, { mode, user, password: user, appNames, twoFactorToken });
}

/** Logs in with these options, in any mode. */
export async function logInWith({ url }: Subject, options: Omit<LogInOptions, "keyPair">): Promise<ClientSession> {
  const client = new SallyportClient({ baseUrl: url, appKey, renew: false, timeout: 120_000 });
  const keys = options.mode === "encrypted" || options.mode === "secure" ? { keyPair, allowUnprotectedKey: true } : {};
  await client.logIn({ ...options, ...keys } as LogInOptions);
  if (client.session === undefined) throw new Error("A log-in leaves a session behind.");
  return client.session;
}

/** A user's requests about the second factor. */
export function factorRequests(subject: Subject, session: ClientSession, app: string) {
  const path = `/v1/2fa/secret?app=${encodeURIComponent(app)}`;
  return {
    state: async () => (await callIn(subject, session, path)).body.data,
    enrol: async () => (await callIn(subject, session, path, { method: "POST" })).body.data as Enrolled,
    confirm: (token: unknown) => callIn(subject, session, path, { method: "PATCH", body: { token } }),
    remove: (token: unknown) => callIn(subject, session, path, { method: "DELETE", body: { token } }),
    validate: (token: unknown) =>
      callIn(subject, session, `/v1/2fa/validate?app=${encodeURIComponent(app)}`, { method: "POST", body: { token } }),
  };
}
