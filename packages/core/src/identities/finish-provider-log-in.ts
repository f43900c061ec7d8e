import { refuseMaintenance } from "../admission/refuse-maintenance.ts";
import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { Gate } from "../gate/gate.ts";
import type { SerializeOwnUser } from "../objects/serialize-own-user.ts";
import { randomUuid } from "../one-time/random-uuid.ts";
import type { AppKeyContext, ArrivingContext } from "../request/request-context.ts";
import { acceptAppNames } from "../sessions/app-names.ts";
import type { LogInResult } from "../sessions/log-in.ts";
import { type AssignableIdentity, assignableLifetime } from "./assignable-identity.ts";
import type { AssignProviderUser, NewExternalUser } from "./assign-provider-user.ts";
import { type BrowserCookie, browserCookie, cookieName } from "./browser-cookie.ts";
import { remembered } from "./create-link.ts";
import type { CallbackParameters, ProviderProfile } from "./identity-provider.ts";
import { tallyStrayCallback, tellRefusedProvider } from "./provider-events.ts";
import { providerTypeOf } from "./provider-name.ts";
import type { ProviderSealing } from "./provider-sealing.ts";
import { openedState, type ProviderState } from "./provider-state.ts";
import type { RegisteredProvider, RegisteredProviders } from "./registered-providers.ts";

export interface CallbackInput {
  readonly providerName: string;
  readonly parameters: CallbackParameters;
  /** The value of a cookie that the browser sent; `null` if it sent none of the name. */
  readonly cookie: (name: string) => string | null;
}

export interface FinishedLogIn {
  /** A session, or what the account can be bound to a user with. */
  readonly outcome: LogInResult | { readonly dfUuid: string };
  /** Takes back the cookie of the log-in. */
  readonly cookie: BrowserCookie;
}

export interface FinishParts {
  readonly providers: RegisteredProviders;
  readonly sealing: ProviderSealing;
  readonly assignUser: AssignProviderUser;
  readonly gate: Gate;
  readonly serializeOwnUser: SerializeOwnUser;
  readonly digests: Digests;
  readonly random: RandomSource;
}

/**
 * Takes somebody back from a provider. He is admitted by his state, which that spends, then everything is compared that it is bound to: 324
 * for whatever is missing or different. What the provider says is asked for outside of any transaction.
 */
export class FinishProviderLogIn {
  constructor(private readonly parts: FinishParts) {}

  async run(request: ArrivingContext, input: CallbackInput): Promise<FinishedLogIn> {
    const text = input.parameters.get("state") ?? "";
    // Asked for together, so that it is one trip to the database. Whether there is such a provider is told to whoever began a log-in there.
    const finding = this.parts.providers.find(input.providerName, request.database, request.r);
    finding.catch(() => {});
    const { context, state } = await this.admit(request, text, input);
    const { appNames, provider: providerName } = state;
    try {
      const registered = await finding;
      await acceptAppNames(context, appNames);
      const profile = await this.ask(registered, state, text, input.parameters);
      const cookie = browserCookie(this.parts.digests.sha256(text), "", registered.redirectUri);
      return { outcome: await this.outcome(context, state, { registered, profile, appNames }), cookie };
    } catch (error) {
      // What the gate refuses it has told of itself.
      if (error instanceof ServiceError && [101, 208, 324, 608, 698].includes(error.code)) await tellRefusedProvider(context, error.code, { appNames, providerName });
      throw error;
    }
  }

  /** The request with the app key that began the log-in: 101 if that is not good any more, 706 during maintenance. */
  private async admit(request: ArrivingContext, text: string, { providerName, cookie }: CallbackInput): Promise<{ context: AppKeyContext; state: ProviderState }> {
    const { digests, sealing } = this.parts;
    const provider = providerTypeOf(providerName);
    if (provider === null) throw new ServiceError(698, { detail: "There is no such provider." });
    const digest = digests.sha256(text);
    const { state: stored, appKey, ...admission } = await request.r.admission.admitReturn(digest);
    refuseMaintenance(admission);
    const state = stored === null ? null : openedState(stored, sealing);
    const held = cookie(cookieName(digest, state?.secureCookie ?? false));
    const isBound =
      state !== null && held !== null && state.provider === provider && state.alias === request.database.alias && state.cookie === digests.sha256(held);
    if (!isBound) {
      await tallyStrayCallback(request);
      throw new ServiceError(324, { detail: state === null ? "The state is unknown, used or over." : "The state is of another provider, database or browser." });
    }
    if (appKey === null || !appKey.enabled) throw new ServiceError(101);
    const { modelGeneration, macroGeneration } = admission;
    return { context: { ...request, modelGeneration, macroGeneration, appKey }, state };
  }

  private ask({ provider, data, redirectUri }: RegisteredProvider, { nonce, codeVerifier }: ProviderState, state: string, parameters: CallbackParameters): Promise<ProviderProfile> {
    return provider.finish({ data, redirectUri, state, nonce, codeVerifier, parameters });
  }

  /** Somebody who is bound to nobody gets what he can bind himself with. */
  private async offer(context: AppKeyContext, { provider }: ProviderState, profile: ProviderProfile): Promise<{ dfUuid: string }> {
    const { issuer, subject, email, name, surname } = profile;
    const dfUuid = randomUuid(this.parts.random);
    const payload = { appKeyId: context.appKey.id, provider, issuer, subject, email: remembered(email), displayName: remembered(`${name} ${surname}`) } satisfies AssignableIdentity;
    await context.r.oneTime.issue({ kind: "accountLink", digest: this.parts.digests.sha256(dfUuid), subject: null, payload, lifetime: assignableLifetime });
    return { dfUuid };
  }

  private async outcome(context: AppKeyContext, state: ProviderState, user: NewExternalUser): Promise<FinishedLogIn["outcome"]> {
    try {
      return await this.enter(context, state, user);
    } catch (error) {
      if (!(error instanceof UnboundError)) throw error;
      return this.offer(context, state, user.profile);
    }
  }

  /** Whom the identity is bound to; whom it is bound to by this, if it was to nobody. */
  private async enter(context: AppKeyContext, { appNames, deviceId, secondFactor, provider }: ProviderState, external: NewExternalUser): Promise<LogInResult> {
    const { gate, serializeOwnUser, assignUser } = this.parts;
    const { profile } = external;
    const links = serializeOwnUser.links(context);
    const prepareProof = async () => {
      const known = await context.r.accounts.byIdentity(profile, links);
      return async () => {
        const link = known.link ?? (await assignUser.run(context, external));
        if (link === null) throw new UnboundError();
        const { account, user, linked } = known.link === null ? await context.r.accounts.byUser(link.userId, links) : known;
        const entrance = { kind: "provider", linkId: link.id, shared: link.shared } as const;
        return account === null || user === null || account.disabled ? null : { account, user, linked, entrance };
      };
    };
    const userKey = ["provider", profile.issuer, profile.subject].join("\0");
    const claim = { mode: "session", userKey, prepareProof, appNames, deviceId, secondFactor, providerName: provider } as const;
    const { sessionId, prepared: user } = await gate.enter(context, claim, (person) => serializeOwnUser.run(context, person));
    return { sessionId, user, databaseName: context.database.name };
  }
}

/** The identity is bound to nobody, and nobody says whom it is to be bound to. */
class UnboundError extends Error {
  override readonly name = "UnboundError";
}
