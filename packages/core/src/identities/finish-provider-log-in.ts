import { acceptAppNames, withParameter } from "../access/index.ts";
import type { Digests, RandomSource } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { AppKeyContext, ArrivingContext } from "../request/index.ts";
import { type RecordQuota, refuseMaintenance } from "../storage/index.ts";
import type { EnterWithProvider, ProviderOutcome } from "./enter-with-provider.ts";
import { type CallbackParameters, type ProviderProfile, providerTypeOf } from "./identity-provider.ts";
import { tallyRefused, tallyStrayCallback, tellingRefusals } from "./provider-events.ts";
import {
  type BrowserCookie,
  browserCookie,
  cookieName,
  openedState,
  type ProviderReturn,
  type ProviderSealing,
  type ProviderState,
  type ReturnCode,
  returnCodeLifetime,
  returnCodes,
  storedCode,
} from "./provider-state.ts";
import type { RegisteredProvider, RegisteredProviders } from "./registered-providers.ts";

export interface CallbackInput {
  readonly providerName: string;
  readonly parameters: CallbackParameters;
  /** The value of a cookie that the browser sent; `null` if it sent none of the name. */
  readonly cookie: (name: string) => string | null;
}

/** The browser goes to the address that the app wants, with a code or an error. */
export interface SentBack {
  readonly location: string;
  readonly failure: ServiceError | null;
}

export interface FinishedLogIn {
  readonly outcome: ProviderOutcome | SentBack;
  readonly cookie: BrowserCookie;
}

export interface FinishParts {
  readonly providers: RegisteredProviders;
  readonly sealing: ProviderSealing;
  readonly enterWithProvider: EnterWithProvider;
  readonly digests: Digests;
  readonly random: RandomSource;
  /** How many codes may wait to be traded. */
  readonly quota: RecordQuota;
}

interface Proven {
  readonly registered: RegisteredProvider;
  readonly profile: ProviderProfile;
}

interface Arrival {
  readonly state: ProviderState;
  /** The text of the state, as the provider has it. */
  readonly text: string;
  readonly parameters: CallbackParameters;
  readonly finding: Promise<RegisteredProvider>;
  /** The request with the app key that began the log-in; throws 101 if that is not good any more. */
  readonly context: () => AppKeyContext;
}

/**
 * Takes a browser back from a provider. Its state admits it and is spent by that. Everything that the state is bound to is compared:
 * 324 if something is missing or different. The provider is asked outside of any transaction. If the log-in began with an address
 * to return to, every outcome from then on leads there: a code for what the provider has proven, or an error.
 */
export class FinishProviderLogIn {
  constructor(private readonly parts: FinishParts) {}

  async finishProviderLogIn(request: ArrivingContext, input: CallbackInput): Promise<FinishedLogIn> {
    const { providers, digests, enterWithProvider } = this.parts;
    const text = input.parameters.get("state") ?? "";
    // Asked for together, so that it is one trip to the database. Whether there is such a provider is told to whoever began a log-in there.
    const finding = providers.find(input.providerName, request.database, request.r);
    finding.catch(() => {});
    const arrival = { ...(await this.admit(request, text, input)), text, parameters: input.parameters, finding };
    const { state } = arrival;
    if (state.returning !== null) return this.sendBack(arrival, state.returning);
    const context = arrival.context();
    return tellingRefusals(context, known(state), async () => {
      const { registered, profile } = await this.prove(context, arrival);
      const { appNames, deviceId, secondFactor } = state;
      const outcome = await enterWithProvider.enterWithProvider(context, {
        registered,
        profile,
        appNames,
        deviceId,
        secondFactor,
      });
      return { outcome, cookie: browserCookie(digests.sha256(text), "", registered.redirectUri) };
    });
  }

  private async sendBack(
    arrival: Arrival,
    { address, challenge, redirectUri }: ProviderReturn,
  ): Promise<FinishedLogIn> {
    const { text, state } = arrival;
    const cookie = browserCookie(this.parts.digests.sha256(text), "", redirectUri);
    try {
      const context = arrival.context();
      const code = await tellingRefusals(context, known(state), async () => {
        const { profile } = await this.prove(context, arrival);
        return this.keep(context, state, { profile, challenge });
      });
      return { outcome: { location: withParameter(address, "code", code), failure: null }, cookie };
    } catch (error) {
      const failure = error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
      return { outcome: { location: withParameter(address, "error", String(failure.code)), failure }, cookie };
    }
  }

  /** Keeps what was proven, for the trade of the code: no session is opened and no user is bound before. */
  private async keep(
    context: AppKeyContext,
    state: ProviderState,
    proven: Pick<ReturnCode, "profile" | "challenge">,
  ): Promise<string> {
    const { random, digests, sealing, quota } = this.parts;
    const { provider, alias, appNames, deviceId, secondFactor } = state;
    const code = random.secret();
    const begun = { provider, alias, appNames, deviceId, secondFactor, appKeyId: context.appKey.id };
    const outcome = await context.r.records.putWithin(
      returnCodes,
      digests.sha256(code),
      storedCode({ ...begun, ...proven }, sealing),
      { owner: `network:${context.origin.network}`, lifetime: returnCodeLifetime, quota },
    );
    if (outcome === "stored") return code;
    await tallyRefused(context, 706);
    throw new ServiceError(706, { detail: "Too many codes wait to be traded." });
  }

  private async prove(context: AppKeyContext, { state, text, parameters, finding }: Arrival): Promise<Proven> {
    const registered = await finding;
    await acceptAppNames(context, state.appNames);
    const { provider, data, redirectUri } = registered;
    const { nonce, codeVerifier } = state;
    return {
      registered,
      profile: await provider.finish({ data, redirectUri, state: text, nonce, codeVerifier, parameters }),
    };
  }

  /** What the state is of, and what it is bound to: 324 if that is missing or different, 706 during maintenance. */
  private async admit(
    request: ArrivingContext,
    text: string,
    input: CallbackInput,
  ): Promise<Pick<Arrival, "context" | "state">> {
    const { providerName, cookie } = input;
    const { digests, sealing } = this.parts;
    const provider = providerTypeOf(providerName);
    if (provider === null) throw new ServiceError(698, { detail: "There is no such provider." });
    const digest = digests.sha256(text);
    const { state: stored, appKey, ...admission } = await request.r.admission.admitReturn(digest);
    refuseMaintenance(admission);
    const state = stored === null ? null : openedState(stored, sealing);
    const held = cookie(cookieName(digest, state?.secureCookie ?? false));
    const isBound =
      state !== null &&
      held !== null &&
      state.provider === provider &&
      state.alias === request.database.alias &&
      state.cookie === digests.sha256(held);
    if (!isBound) {
      await tallyStrayCallback(request);
      throw new ServiceError(324, {
        detail:
          state === null
            ? "The state is unknown, used or over."
            : "The state is of another provider, database or browser.",
      });
    }
    const { modelGeneration, macroGeneration } = admission;
    const context = () => {
      if (appKey === null || !appKey.enabled) throw new ServiceError(101);
      return { ...request, modelGeneration, macroGeneration, appKey };
    };
    return { context, state };
  }
}

function known({ appNames, provider }: ProviderState) {
  return { appNames, providerName: provider };
}
