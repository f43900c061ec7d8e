import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { Gate } from "../gate/gate.ts";
import type { SerializeOwnUser } from "../objects/serialize-own-user.ts";
import { randomUuid } from "../one-time/random-uuid.ts";
import type { AppKeyContext, RequestContext } from "../request/request-context.ts";
import { acceptAppNames } from "../sessions/app-names.ts";
import type { LogInResult } from "../sessions/log-in.ts";
import { type AssignableIdentity, assignableLifetime } from "./assignable-identity.ts";
import type { AssignProviderUser } from "./assign-provider-user.ts";
import { type BrowserCookie, browserCookie, cookieName } from "./browser-cookie.ts";
import { remembered } from "./create-link.ts";
import type { IdentityLink } from "./identity-link.ts";
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

const states = /^[A-Za-z0-9_-]{43}$/;

/**
 * Takes somebody back from a provider. First of all his state is spent, then everything is compared that it is bound to: 324 for whatever is
 * missing or different. What the provider says is asked for outside of any transaction.
 */
export class FinishProviderLogIn {
  constructor(private readonly parts: FinishParts) {}

  async run(request: RequestContext, input: CallbackInput): Promise<FinishedLogIn> {
    const { digests } = this.parts;
    if (providerTypeOf(input.providerName) === null) throw new ServiceError(698, { detail: "There is no such provider." });
    const text = input.parameters.get("state") ?? "";
    const state = await this.spend(request, text, input);
    const context = await this.entitled(request, state);
    const { appNames, provider: providerName } = state;
    try {
      const registered = await this.parts.providers.find(providerName, context.database, context.r);
      await acceptAppNames(context, appNames);
      const profile = await this.ask(registered, state, text, input.parameters);
      const cookie = browserCookie(digests.sha256(text), "", registered.redirectUri);
      const link = (await context.r.identityLinks.find(profile)) ?? (await this.parts.assignUser.run(context, { registered, profile, appNames }));
      const outcome = link === null ? await this.offer(context, state, profile) : await this.enter(context, state, link);
      return { outcome, cookie };
    } catch (error) {
      // What the gate refuses it has told of itself.
      if (error instanceof ServiceError && [101, 208, 324, 608, 698].includes(error.code)) await tellRefusedProvider(context, error.code, { appNames, providerName });
      throw error;
    }
  }

  private async spend(request: RequestContext, text: string, { providerName, cookie }: CallbackInput): Promise<ProviderState> {
    const { digests, sealing } = this.parts;
    const digest = digests.sha256(text);
    const stored = states.test(text) ? await request.r.oneTime.consume("providerState", digest) : null;
    const state = stored === null ? null : openedState(stored, sealing);
    const held = cookie(cookieName(digest));
    const isBound =
      state !== null &&
      held !== null &&
      state.provider === providerTypeOf(providerName) &&
      state.alias === request.database.alias &&
      state.cookie === digests.sha256(held);
    if (isBound) return state;
    await tallyStrayCallback(request);
    throw new ServiceError(324, { detail: state === null ? "The state is unknown, used or over." : "The state is of another provider, database or browser." });
  }

  /** The request with the app key that began the log-in; 101 if it is not good any more. */
  private async entitled(request: RequestContext, { appKey: digest }: ProviderState): Promise<AppKeyContext> {
    const { idleTimeout } = request.database.policy.sessions;
    const { appKey } = await request.r.admission.admit({ appKey: digest, session: null, idleTimeout });
    if (appKey === null || !appKey.enabled) throw new ServiceError(101);
    return { ...request, appKey };
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

  private async enter(context: AppKeyContext, { appNames, deviceId, secondFactor, provider }: ProviderState, link: Omit<IdentityLink, "linkedAt">): Promise<LogInResult> {
    const { gate, serializeOwnUser } = this.parts;
    const entrance = { kind: "provider", linkId: link.id, shared: link.shared } as const;
    const prepareProof = async () => {
      const { account, user, linked } = await context.r.accounts.byUser(link.userId, serializeOwnUser.links(context));
      return async () => (account === null || user === null || account.disabled ? null : { account, user, linked, entrance });
    };
    const userKey = ["provider", link.issuer, link.subject].join("\0");
    const claim = { mode: "session", userKey, prepareProof, appNames, deviceId, secondFactor, providerName: provider } as const;
    const { sessionId, prepared: user } = await gate.enter(context, claim, (person) => serializeOwnUser.run(context, person));
    return { sessionId, user, databaseName: context.database.name };
  }
}
