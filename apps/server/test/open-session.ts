import { type ClientSession, type Device, type LogInMode, type LogInOptions, SallyportClient } from "@sallyport/client";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import type { Subject } from "./subject.ts";

const keyPair = await storedKeyPair();

export interface OpeningOptions {
  readonly alias?: string;
  readonly device?: Device;
  /** Default: the name. */
  readonly password?: string;
}

/** Sessions of users of the demo in one mode, opened before the tests of the current suite. */
export function sessionsOf<Name extends string>(
  server: () => Subject,
  mode: LogInMode,
  ...names: readonly Name[]
): Readonly<Record<Name, ClientSession>> {
  const sessions = {} as Record<Name, ClientSession>;
  beforeAll(async () => {
    for (const name of names) sessions[name] = await openSession(server(), mode, name);
  });
  return sessions;
}

/** Logs a user of the demo in, in any mode. */
export async function openSession(
  { url }: Subject,
  mode: LogInMode,
  user: string,
  { alias = "", device, password = user }: OpeningOptions = {},
): Promise<ClientSession> {
  const client = new SallyportClient({ baseUrl: url, alias, appKey: "demo-app-key", renew: false });
  const keys = mode === "encrypted" || mode === "secure" ? { keyPair, allowUnprotectedKey: true } : {};
  await client.logIn({ mode, user, password, appNames: ["demo-app"], device, ...keys } as LogInOptions);
  if (client.session === undefined) throw new Error("A log-in leaves a session behind.");
  return client.session;
}
