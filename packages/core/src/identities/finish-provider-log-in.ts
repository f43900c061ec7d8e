import { acceptAppNames, withParameter } from "../access/index.ts";
import { ServiceError } from "@sallyport/storage";
import {
  type AppKeyContext,
  maintenanceError,
  type UnadmittedContext,
  type Uses,
  type Database,
} from "../request/index.ts";
import { type ProviderOutcome, logInWithProvider } from "./log-in-with-provider.ts";
import { type CallbackParameters, type ProviderProfile, providerTypeOf } from "./identity-provider.ts";
import { tallyRefused, tallyStrayCallback, auditRefusals } from "./provider-events.ts";
import {
  type BrowserCookie,
  browserCookie,
  cookieName,
  openedState,
  type ReturnTarget,
  type ProviderState,
  type ReturnCode,
  returnCodeLifetime,
  returnCodes,
  storedCode,
} from "./provider-state.ts";
import type { ProviderServices, RegisteredProvider } from "./registered-providers.ts";

export interface CallbackInput {
  readonly providerName: string;
  readonly parameters: CallbackParameters;
  /** Returns the value of a request cookie, or `null` if there is none with the name. */
  readonly cookie: (name: string) => string | null;
}

/** Redirects the browser to the app's return address, with a code or an error. */
export interface AppRedirect {
  readonly location: string;
  readonly failure: ServiceError | null;
}

export interface FinishedLogIn {
  readonly outcome: ProviderOutcome | AppRedirect;
  readonly cookie: BrowserCookie;
}

interface Proven {
  readonly registered: RegisteredProvider;
  readonly profile: ProviderProfile;
}

interface AcceptedCallback {
  readonly state: ProviderState;
  /** The state in plain text, as sent to the provider. */
  readonly text: string;
  readonly parameters: CallbackParameters;
  readonly finding: Promise<RegisteredProvider>;
  /** Returns the context with the app key that started the log-in. Throws 101 if the key is no longer valid. */
  readonly context: () => AppKeyContext & Uses<Omit<ProviderServices, "hasher">>;
  readonly database: Database;
}

/**
 * Handles the callback of a provider. Consumes the state and checks everything bound to it: 324 if anything is missing
 * or different. The provider is called outside any transaction. If the log-in has a return address, every later outcome
 * redirects there, with a code for the proven identity or with an error.
 */
export async function finishProviderLogIn(
  request: UnadmittedContext & Uses<Omit<ProviderServices, "hasher">>,
  input: CallbackInput,
): Promise<FinishedLogIn> {
  const text = input.parameters.get("state") ?? "";
  // Runs in parallel to save a round trip. Only a valid state learns whether the provider is registered.
  const finding = request.services.registeredProviders.find(input.providerName, request.database, request.r);
  finding.catch(() => {});
  const callback = { ...(await admitCallback(request, text, input)), text, parameters: input.parameters, finding };
  const { state } = callback;
  if (state.returnTarget !== null) return redirectToApp(callback, state.returnTarget);
  const context = callback.context();
  return auditRefusals(context, details(state), async () => {
    const { registered, profile } = await proveCallback(context, callback);
    const { appNames, deviceId, secondFactor } = state;
    const outcome = await logInWithProvider(context, {
      registered,
      profile,
      appNames,
      deviceId,
      secondFactor,
    });
    return { outcome, cookie: browserCookie(request.database.digests.sha256(text), "", registered.redirectUri) };
  });
}

async function redirectToApp(
  callback: AcceptedCallback,
  { address, challenge, redirectUri }: ReturnTarget,
): Promise<FinishedLogIn> {
  const { text, state, database } = callback;
  const cookie = browserCookie(database.digests.sha256(text), "", redirectUri);
  try {
    const context = callback.context();
    const code = await auditRefusals(context, details(state), async () => {
      const { profile } = await proveCallback(context, callback);
      return storeReturnCode(context, state, { profile, challenge });
    });
    return { outcome: { location: withParameter(address, "code", code), failure: null }, cookie };
  } catch (error) {
    const failure = error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
    return { outcome: { location: withParameter(address, "error", String(failure.code)), failure }, cookie };
  }
}

/** Stores the proven identity for the code exchange, which opens the session and links the user. */
async function storeReturnCode(
  context: AppKeyContext & Uses<Pick<ProviderServices, "providerSealing" | "random" | "settings">>,
  state: ProviderState,
  proven: Pick<ReturnCode, "profile" | "challenge">,
): Promise<string> {
  const { random, providerSealing, settings } = context.services;
  const { provider, alias, appNames, deviceId, secondFactor } = state;
  const code = random.secret();
  const logIn = { provider, alias, appNames, deviceId, secondFactor, appKeyId: context.appKey.id };
  const outcome = await context.r.records.putWithin(
    returnCodes,
    context.database.digests.sha256(code),
    storedCode({ ...logIn, ...proven }, providerSealing),
    { owner: `network:${context.origin.network}`, lifetime: returnCodeLifetime, quota: settings.pendingProviderLogIns },
  );
  if (outcome === "stored") return code;
  await tallyRefused(context, 706);
  throw new ServiceError(706, { detail: "Too many codes wait to be exchanged." });
}

async function proveCallback(
  context: AppKeyContext & Uses<Pick<ProviderServices, "registeredProviders">>,
  { state, text, parameters, finding }: AcceptedCallback,
): Promise<Proven> {
  const registered = await finding;
  await acceptAppNames(context, state.appNames);
  const { provider, data, redirectUri } = registered;
  const { nonce, codeVerifier } = state;
  return {
    registered,
    profile: await context.services.registeredProviders.calls.run(context.origin.network, () =>
      provider.finish({ data, redirectUri, state: text, nonce, codeVerifier, parameters }),
    ),
  };
}

/** Consumes the state and checks its bindings. Missing or different: 324. Maintenance: 706. */
async function admitCallback(
  request: UnadmittedContext & Uses<Omit<ProviderServices, "hasher">>,
  text: string,
  input: CallbackInput,
): Promise<Pick<AcceptedCallback, "context" | "state" | "database">> {
  const { providerName, cookie } = input;
  const { digests } = request.database;
  const provider = providerTypeOf(providerName);
  if (provider === null) throw new ServiceError(698, { detail: "There is no provider with this name." });
  const digest = digests.sha256(text);
  const { state: stored, appKey, ...admission } = await request.r.admission.admitCallback(digest);
  if (admission.maintenance) throw await maintenanceError(request.database);
  const state = stored === null ? null : openedState(stored, request.services.providerSealing);
  const cookieSecret = cookie(cookieName(digest, state?.secureCookie ?? false));
  const isBound =
    state !== null &&
    cookieSecret !== null &&
    state.provider === provider &&
    state.alias === request.database.alias &&
    state.cookie === digests.sha256(cookieSecret);
  if (!isBound) {
    await tallyStrayCallback(request);
    throw new ServiceError(324, {
      detail:
        state === null
          ? "The state is unknown, used or expired."
          : "The state belongs to another provider, database or browser.",
    });
  }
  const { modelGeneration, settingsGeneration } = admission;
  const context = () => {
    if (appKey === null || !appKey.enabled) throw new ServiceError(101);
    return { ...request, modelGeneration, settingsGeneration, appKey };
  };
  return { context, state, database: request.database };
}

function details({ appNames, provider }: ProviderState) {
  return { appNames, providerName: provider };
}
