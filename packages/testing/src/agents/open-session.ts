import {
  type ClientKeyPair,
  type ClientSession,
  type Device,
  type Fetch,
  type LogInMode,
  type LogInOptions,
  SallyportClient,
} from "@sallyport/client";
import { SallyportAdmin } from "@sallyport/client/admin";
import { confirmSecondFactor, customLogIn, enrolSecondFactor, providerAnswer } from "@sallyport/client/identity";
import type { ProviderName } from "../providers/fake-providers.ts";
import { Authenticator } from "./authenticator.ts";
import type { Persona, TestProvider } from "../providers/test-provider.ts";

/** How an agent logs in: a mode of a database user, as a custom user, or with an account of a fake provider. */
export type AgentMode = LogInMode | "custom" | { readonly provider: ProviderName; readonly persona: Persona };

export interface LogIn {
  readonly url: string;
  readonly alias: string;
  readonly appKey: string;
  readonly mode: AgentMode;
  readonly user: string;
  readonly password: string;
  readonly passwordHash: "md5" | "none";
  readonly appNames: readonly string[];
  readonly device: Device | undefined;
  readonly provider: (name: ProviderName) => TestProvider;
  readonly fetch: Fetch;
}

/** Logs in and returns the session. Rejects with a `SallyportError` if the service refuses. */
export async function openSession(fields: LogIn, authenticator: Authenticator | null): Promise<ClientSession> {
  const proof = authenticator === null ? {} : { twoFactorToken: authenticator.token() };
  const { session } = await clientWith(fields, proof);
  if (session === undefined) throw new Error("The log-in left no session.");
  return session;
}

/** Enrols the user for a second factor of the first app name, with a session that ends at once. */
export async function enrolFactor(fields: LogIn, now: () => number): Promise<Authenticator> {
  const mode = fields.mode === "custom" ? "custom" : "session";
  const client = await clientWith({ ...fields, mode }, { enrolling: true });
  const [app = ""] = fields.appNames;
  const { secret, recoveryCodes } = await enrolSecondFactor(client, app);
  const authenticator = new Authenticator(secret, now, recoveryCodes);
  await confirmSecondFactor(client, app, authenticator.token());
  await client.logOut();
  return authenticator;
}

/** Opens a session of an administrator, with an app key of scope `admin`. */
export async function openAdministration(
  { url, alias, appKey, fetch, user, password, passwordHash }: LogIn,
  authenticator: Authenticator | null,
): Promise<ClientSession> {
  const admin = new SallyportAdmin({ baseUrl: url, alias, appKey, fetch });
  const proof = authenticator === null ? {} : { twoFactorToken: authenticator.token() };
  await admin.logIn({ user, password, passwordHash, ...proof });
  const { sessionId = "" } = admin;
  return {
    mode: "session",
    seal: async ({ headers, body }) => ({ headers: { ...headers, sessionid: sessionId }, body }),
    open: async (answer) => answer,
    openPieces: () => (piece) => piece,
    isOverWith: (code) => code === 201,
  };
}

/** Gives a new proof of an administrator. */
export async function giveProof(
  { url, alias, appKey, fetch, password, passwordHash }: LogIn,
  session: ClientSession,
  authenticator: Authenticator | null,
): Promise<void> {
  const admin = new SallyportAdmin({ baseUrl: url, alias, appKey, fetch });
  admin.resume((await session.seal({ headers: {} })).headers["sessionid"] ?? "");
  await admin.prove(authenticator === null ? { password, passwordHash } : { twoFactorToken: authenticator.token() });
}

async function clientWith(fields: LogIn, more: Pick<LogInOptions, "twoFactorToken" | "enrolling">) {
  const { url, alias, appKey, fetch } = fields;
  const client = new SallyportClient({ baseUrl: url, alias, appKey, fetch, renew: false });
  await client.logIn(await optionsOf(fields, more));
  return client;
}

async function optionsOf(
  { mode, provider, alias, appKey, ...options }: LogIn,
  more: Pick<LogInOptions, "twoFactorToken" | "enrolling">,
): Promise<LogInOptions> {
  const { url: _, fetch: _fetch, ...own } = options;
  const fields = { ...own, ...more };
  if (mode === "custom") return customLogIn(fields);
  if (typeof mode !== "string") {
    const { user, appNames } = fields;
    const answer = await provider(mode.provider).logIn(mode.persona, { user, alias, appKey, appNames });
    const answered = providerAnswer(answer.text, answer.status);
    if (answered.assigned) return answered.logIn;
    throw new Error(`The account of the persona ${mode.persona} is linked to no user, so there is no session.`);
  }
  if (mode === "session" || mode === "token") return { ...fields, mode };
  return { ...fields, mode, keyPair: await clientKeyPair() };
}

let keyPair: Promise<ClientKeyPair> | undefined;

/** The key pair of all clients of this process. Generating one takes most of the time of a log-in. */
function clientKeyPair(): Promise<ClientKeyPair> {
  const algorithm = {
    name: "RSA-OAEP",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  return (keyPair ??= crypto.subtle.generateKey(algorithm, true, ["encrypt", "decrypt"]));
}
