import type { ShownFactor } from "../access/index.ts";
import type { Digests } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { AppKeyContext } from "../request/index.ts";
import type { Repositories } from "../storage/index.ts";
import type { EnterWithProvider, ProvenLogIn, ProviderOutcome } from "./enter-with-provider.ts";
import { tallyRefused, tellingRefusals } from "./provider-events.ts";
import { isVerifier, openedCode, type ProviderSealing, type ReturnCode, returnCodes } from "./provider-state.ts";
import type { RegisteredProviders } from "./registered-providers.ts";

export interface TradeInput {
  /** As it came with the address that the browser returned to. */
  readonly code: string;
  readonly verifier: string;
  /** What is shown with the code; without a token, the one that the log-in began with. */
  readonly secondFactor: Pick<Required<ShownFactor>, "token" | "enrol">;
}

type Trade = Pick<TradeInput, "verifier" | "secondFactor"> & Required<Pick<ProvenLogIn, "spend">>;

/** Refusals of second factors: the client sends the same code again, with a token. */
const factorCodes: readonly number[] = [340, 341, 342];

/**
 * Trades the code that an app's return address was given for what the callback would have answered otherwise. 324 for a code
 * that is unknown, used, over, of another app key or database, and for a verifier that does not belong to it. Every outcome spends
 * the code, except 340, 341 and 342.
 */
export class TradeReturnCode {
  constructor(
    private readonly providers: RegisteredProviders,
    private readonly sealing: ProviderSealing,
    private readonly enterWithProvider: EnterWithProvider,
    private readonly digests: Digests,
  ) {}

  async tradeReturnCode(context: AppKeyContext, input: TradeInput): Promise<ProviderOutcome> {
    const { r } = context;
    const digest = this.digests.sha256(input.code);
    const [stored] = await r.records.get(returnCodes, [digest]);
    const code = stored === undefined ? null : openedCode(stored.value, this.sealing);
    if (code === null) {
      await tallyRefused(context, 324);
      throw new ServiceError(324, { detail: "The code is unknown, used or over." });
    }
    const spend = async (inside: Repositories) => (await inside.records.take(returnCodes, digest)) !== null;
    try {
      const known = { appNames: code.appNames, providerName: code.provider };
      return await tellingRefusals(context, known, () => this.trade(context, code, { ...input, spend }));
    } catch (error) {
      // What has failed is told, also when spending fails: the code is over soon.
      if (!(error instanceof ServiceError && factorCodes.includes(error.code))) await spend(r).catch(() => false);
      throw error;
    }
  }

  private async trade(context: AppKeyContext, code: ReturnCode, given: Trade): Promise<ProviderOutcome> {
    const { verifier, secondFactor, spend } = given;
    const { database, appKey, r } = context;
    const isOwn = code.appKeyId === appKey.id && code.alias === database.alias;
    if (!isOwn) throw new ServiceError(324, { detail: "The code is of another app key or database." });
    // Digests are compared, so the time it takes tells nothing of the verifier.
    const isProven = isVerifier(verifier) && this.digests.sha256(verifier) === code.challenge;
    if (!isProven) throw new ServiceError(324, { detail: "The verifier does not belong to the code." });
    const registered = await this.providers.find(code.provider, database, r);
    const { profile, appNames, deviceId } = code;
    const begun = { ...code.secondFactor, enrol: code.secondFactor.enrol || secondFactor.enrol };
    const shown = secondFactor.token ? secondFactor : begun;
    return this.enterWithProvider.enterWithProvider(context, {
      registered,
      profile,
      appNames,
      deviceId,
      secondFactor: shown,
      spend,
    });
  }
}
