import { acceptAppNames, listsReturnAddress, type SecondFactorInput } from "../access/index.ts";
import { type Digest, ServiceError } from "@sallyport/storage";
import type { AppKeyContext, Uses } from "../request/index.ts";
import { tallyRefused } from "./provider-events.ts";
import {
  type BrowserCookie,
  browserCookie,
  digestOfChallenge,
  isSecureCallback,
  type ReturnTarget,
  providerStates,
  stateLifetime,
  storedState,
} from "./provider-state.ts";
import type { PendingLogInServices } from "./registered-providers.ts";

export interface StartInput {
  readonly providerName: string;
  /** SHA-256 of the app key. */
  readonly appKey: Digest;
  /** `null`: the app names of the entry. */
  readonly appNames: readonly string[] | null;
  readonly deviceId: string | null;
  readonly secondFactor: Pick<Required<SecondFactorInput>, "token" | "enrol">;
  /** Return address of the app. `null`: the callback answers itself. */
  readonly returnTo: string | null;
  /** PKCE challenge of the return code. Required with `returnTo`, and only valid with it. */
  readonly challenge: string | null;
}

export interface StartedLogIn {
  readonly location: string;
  readonly cookie: BrowserCookie;
}

/** Value of `Retry-After`, in seconds. The quota frees gradually. */
const retryAfterSeconds = 10;

/**
 * Starts a log-in with a provider. Returns its address, and the cookie that binds the browser. Unlisted return address, or
 * one without a challenge: 307. Unknown or disabled provider: 698. One that cannot be used: 608. No app names: 209. Invalid app names: 208 and 210. Too many pending log-ins: 706.
 */
export async function startProviderLogIn(
  context: AppKeyContext & Uses<PendingLogInServices>,
  input: StartInput,
): Promise<StartedLogIn> {
  try {
    return await startWith(context, input);
  } catch (error) {
    const isTallied =
      error instanceof TooManyPendingLogInsError ||
      (error instanceof ServiceError && (error.code === 608 || error.code === 698));
    if (isTallied) await tallyRefused(context, error.code);
    throw error;
  }
}

async function startWith(
  context: AppKeyContext & Uses<PendingLogInServices>,
  { providerName, appKey, deviceId, ...input }: StartInput,
): Promise<StartedLogIn> {
  const { r, database } = context;
  const requested = acceptReturnTarget(context, input);
  const { provider, entry, data, redirectUri } = await context.services.registeredProviders.find(
    providerName,
    database,
    r,
  );
  const appNames = input.appNames ?? entry.appNames;
  if (appNames.length === 0) throw new ServiceError(209);
  await acceptAppNames(context, appNames);

  const secret = (): string => context.services.random.secret();
  const [state, cookieSecret, codeVerifier, nonce] = [secret(), secret(), secret(), secret()];
  const location = await provider.begin({ data, redirectUri, state, nonce, codeVerifier });
  const secondFactor = { ...input.secondFactor, at: await database.clock.now(context.unit) };
  const stateDigest = database.digests.sha256(state);
  const bound = {
    provider: provider.type,
    alias: database.alias,
    appKey,
    appNames,
    deviceId,
    cookie: database.digests.sha256(cookieSecret),
    secureCookie: isSecureCallback(redirectUri),
  };
  const returnTarget = requested === null ? null : { ...requested, redirectUri };
  const stored = storedState(
    { ...bound, codeVerifier, nonce, secondFactor, returnTarget },
    context.services.providerSealing,
  );
  const outcome = await r.records.putWithin(providerStates, stateDigest, stored, {
    owner: `network:${context.origin.network}`,
    lifetime: stateLifetime,
    quota: context.services.settings.pendingProviderLogIns,
  });
  if (outcome !== "stored")
    throw new TooManyPendingLogInsError(outcome === "ownerFull" ? "from this network" : "of this database");
  return { location, cookie: browserCookie(stateDigest, cookieSecret, redirectUri) };
}

type RequestedReturnTarget = Omit<ReturnTarget, "redirectUri">;

function acceptReturnTarget(
  { appKey }: AppKeyContext,
  { returnTo, challenge }: Pick<StartInput, "returnTo" | "challenge">,
): RequestedReturnTarget | null {
  if (returnTo === null && challenge === null) return null;
  if (returnTo === null) throw new ServiceError(307, { detail: "at /challenge: It requires returnTo." });
  if (!listsReturnAddress(appKey, returnTo))
    throw new ServiceError(307, { detail: "at /returnTo: The app key does not list this address." });
  const digest = challenge === null ? null : digestOfChallenge(challenge);
  if (digest === null)
    throw new ServiceError(307, { detail: "at /challenge: The base64url of a SHA-256 is expected." });
  return { address: returnTo, challenge: digest };
}

/** The quota of pending log-ins is exhausted. */
class TooManyPendingLogInsError extends ServiceError {
  constructor(whose: string) {
    super(706, { retryAfter: retryAfterSeconds, detail: `Too many provider log-ins ${whose} are pending.` });
  }
}
