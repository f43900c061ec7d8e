import {
  type ClientKeyPair,
  type ClientSession,
  type Device,
  type LogInMode,
  type LogInOptions,
  SallyportClient,
} from "@sallyport/client";
import { customLogIn, providerAnswer } from "@sallyport/client/identity";
import type { ProviderName } from "../providers/fake-providers.ts";
import type { Persona, TestProvider } from "../providers/test-provider.ts";

/** The modes of database users. */
export const logInModes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];

/** How an agent logs in: a mode of a database user, as a custom user, or with an account of a fake provider. */
export type AgentMode = LogInMode | "custom" | { readonly provider: ProviderName; readonly persona: Persona };

interface LogIn {
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
}

/** Logs in and returns the session. Rejects with a `SallyportError` if the service refuses. */
export async function openSession(fields: LogIn): Promise<ClientSession> {
  const { url, alias, appKey } = fields;
  const client = new SallyportClient({ baseUrl: url, alias, appKey, renew: false });
  await client.logIn(await optionsOf(fields));
  if (client.session === undefined) throw new Error("The log-in left no session.");
  return client.session;
}

async function optionsOf({ mode, provider, alias, appKey, ...given }: LogIn): Promise<LogInOptions> {
  const { url: _, ...fields } = given;
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
