import type { Digest } from "../digests/digest.ts";
import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { ShownFactor } from "../second-factors/check-second-factors.ts";
import { acceptAppNames } from "../sessions/app-names.ts";
import { type BrowserCookie, browserCookie } from "./browser-cookie.ts";
import { tallyUnusableProvider } from "./provider-events.ts";
import type { ProviderSealing } from "./provider-sealing.ts";
import { stateLifetime, storedState } from "./provider-state.ts";
import type { RegisteredProviders } from "./registered-providers.ts";

export interface StartInput {
  readonly providerName: string;
  /** SHA-256 of the app key. */
  readonly appKey: Digest;
  /** `null`: those of the entry. */
  readonly appNames: readonly string[] | null;
  readonly deviceId: string | null;
  readonly secondFactor: Pick<Required<ShownFactor>, "token" | "enrol">;
}

export interface StartedLogIn {
  /** Where the browser is to go. */
  readonly location: string;
  readonly cookie: BrowserCookie;
}

/** Sends somebody to a provider. 698 and 608 for the provider; 209 without app names, 208 and 210 for wrong ones. */
export class StartProviderLogIn {
  constructor(
    private readonly providers: RegisteredProviders,
    private readonly sealing: ProviderSealing,
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  async run(context: AppKeyContext, input: StartInput): Promise<StartedLogIn> {
    try {
      return await this.start(context, input);
    } catch (error) {
      if (error instanceof ServiceError && (error.code === 608 || error.code === 698)) await tallyUnusableProvider(context, error.code);
      throw error;
    }
  }

  private async start(context: AppKeyContext, { providerName, appKey, deviceId, ...given }: StartInput): Promise<StartedLogIn> {
    const { r, database } = context;
    const { provider, entry, data, redirectUri } = await this.providers.find(providerName, database, r);
    const appNames = given.appNames ?? entry.appNames;
    if (appNames.length === 0) throw new ServiceError(209);
    await acceptAppNames(context, appNames);

    const [state, cookie, codeVerifier, nonce] = [this.random.secret(), this.random.secret(), this.random.secret(), this.random.secret()];
    const location = await provider.begin({ data, redirectUri, state, nonce, codeVerifier });
    const secondFactor = { ...given.secondFactor, at: await database.clock.now(context.unit) };
    const digest = this.digests.sha256(state);
    const bound = { provider: provider.type, alias: database.alias, appKey, appNames, deviceId, cookie: this.digests.sha256(cookie) };
    const payload = storedState({ ...bound, codeVerifier, nonce, secondFactor }, this.sealing);
    await r.oneTime.issue({ kind: "providerState", digest, subject: null, payload, lifetime: stateLifetime });
    return { location, cookie: browserCookie(digest, cookie, redirectUri) };
  }
}
