import type { LogInMode } from "@sallyport/client";
import { signIn } from "@sallyport/fake-identity-providers";
import type { ObjectId } from "@sallyport/storage";
import { createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { RunningServer } from "../../../src/index.ts";
import { call, logOut, logOutIn, tryLogIn } from "../../client.ts";
import { linkAccount } from "../../log-in-endpoints/log-in-endpoint.ts";
import { exchangeCode, finishLogIn, logInAt, link, returnFrom, startLogIn } from "../../providers/browser.ts";
import { repositoriesOf } from "../../repositories-of.ts";
import { logInWith } from "../../second-factor-client.ts";
import type { Subject } from "../../subject.ts";

/** A user with a database password, a custom user and an account at a provider. */
export interface StormUser {
  readonly name: string;
  readonly userId: ObjectId;
}

/** The password of `createStormUser`, at every endpoint. */
const password = "the password of a storm";

const providerAccount = "anna";

/** The outcome of a log-in. */
export interface Outcome {
  readonly endpoint: string;
  readonly code: string;
  /** Ends the session at any of the servers. `null` after a refusal. */
  readonly logOut: ((at: Subject) => Promise<string>) | null;
}

/** A log-in that is prepared up to the request that opens the session. */
export type PreparedLogIn = (at: Subject) => Promise<Outcome>;

type PrepareLogIn = () => Promise<PreparedLogIn>;

/** Creates a user, to whom the account at Google is linked. */
export async function createStormUser(admin: RunningServer, name: string): Promise<StormUser> {
  const { accounts, objects, sessions } = repositoriesOf(admin);
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const [object] = await objects.insert([{ className: "User", attributes: { Name: name } }]);
  const userId = object?.id ?? "";
  const creating = { database: { digests: new NodeDigests() }, services: { hasher, random: new NodeRandomSource() } };
  for (const realm of ["database", "custom"] as const)
    await createAccount(creating, accounts, {
      realm,
      userId,
      loginName: name,
      password,
      clientHash: "md5",
    });
  const { dfUuid } = (await logInAt(admin, "google", providerAccount)).body.data;
  await link(admin, dfUuid, { user: name, pass: password });
  await sessions.end({ userId });
  return { name, userId };
}

/** The code of a log-in without preparation. */
export const logInCode = async (at: Subject, { name }: StormUser, appName: string): Promise<string> =>
  (await tryLogIn(at, name, { pass: password, appNames: [appName] })).code;

/**
 * The log-ins of one user: by each of the eight endpoints that open sessions, then again by those that cost a test the
 * least. Codes of a provider are valid for a minute.
 */
export function stormEndpoints(admin: RunningServer, { name }: StormUser, appName: string): PrepareLogIn[] {
  const fields = { user: name, pass: password, appNames: [appName] };
  const withId = (endpoint: string, code: string, sessionId: string | undefined): Outcome => ({
    endpoint,
    code,
    logOut: sessionId === undefined ? null : (at) => logOut(at, sessionId),
  });
  const plain: PrepareLogIn = async () => async (at) => {
    const { code, body } = await tryLogIn(at, name, { pass: password, appNames: [appName] });
    return withId("POST /v1/login", code, body.data?.sessionId);
  };
  const inMode =
    (mode: LogInMode): PrepareLogIn =>
    async () =>
    async (at) => {
      const endpoint = `log-in in mode ${mode}`;
      try {
        const session = await logInWith(at, { mode, user: name, password, appNames: [appName] });
        return { endpoint, code: "0", logOut: (other) => logOutIn(other, session) };
      } catch (error) {
        return { endpoint, code: String((error as { readonly code?: unknown }).code ?? error), logOut: null };
      }
    };
  const custom: PrepareLogIn = async () => async (at) => {
    const { code, body } = await call(at, "/v1/auth/df", { method: "POST", body: fields });
    return withId("POST /v1/auth/df", code, body.data?.sessionId);
  };
  const linking: PrepareLogIn = async () => async (at) => {
    const { body } = await linkAccount({ ...admin, url: at.url }, fields, {});
    return withId("POST /v1/extLogin", body.status.internalStatus, body.data?.sessionId);
  };
  const query = { appNames: appName };
  const callback: PrepareLogIn = async () => {
    const { location, cookie } = await startLogIn(admin, "google", { query });
    const answer = await signIn(location, providerAccount);
    return async (at) => {
      const { code, body } = await finishLogIn(at, answer, cookie);
      return withId("provider callback", code, body.data?.sessionId);
    };
  };
  const exchange: PrepareLogIn = async () => {
    const returned = await returnFrom(admin, "google", providerAccount, { query });
    return async (at) => {
      const { code, body } = await exchangeCode(at, returned);
      return withId("POST /v1/auth/code", code, body.data?.sessionId);
    };
  };
  const token = inMode("token");
  const each = [callback, plain, exchange, token, custom, linking, inMode("encrypted"), inMode("secure")];
  const cheap = Array.from({ length: 4 }, () => [plain, token, custom]).flat();
  return [...each, ...cheap, plain];
}
