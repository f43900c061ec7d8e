import type { SecondFactorInput } from "../access/index.ts";
import { type Repositories, ServiceError } from "@sallyport/storage";
import type { AppKeyContext, Uses } from "../request/index.ts";
import { type ProvenLogIn, type ProviderOutcome, logInWithProvider } from "./log-in-with-provider.ts";
import { tallyRefused, auditRefusals } from "./provider-events.ts";
import { isVerifier, openedCode, type ReturnCode, returnCodes } from "./provider-state.ts";
import type { ProviderServices } from "./registered-providers.ts";

export interface ExchangeInput {
  /** The code from the return address. */
  readonly code: string;
  readonly verifier: string;
  /** Second-factor input. Without a token, the token of the log-in's start applies. */
  readonly secondFactor: Pick<Required<SecondFactorInput>, "token" | "enrol">;
}

type Exchange = Pick<ExchangeInput, "verifier" | "secondFactor"> & Required<Pick<ProvenLogIn, "consume">>;

/** Refusals of second factors. The client sends the same code again, with a token. */
const factorCodes: readonly number[] = [340, 341, 342];

/**
 * Exchanges a return code for the outcome of the log-in. Unknown, used or expired code, another app key or database, or
 * a wrong verifier: 324. Every outcome consumes the code, except 340, 341 and 342.
 */
export async function exchangeReturnCode(
  context: AppKeyContext & Uses<Omit<ProviderServices, "hasher" | "settings">>,
  input: ExchangeInput,
): Promise<ProviderOutcome> {
  const { r } = context;
  const digest = context.database.digests.sha256(input.code);
  const [stored] = await r.records.get(returnCodes, [digest]);
  const code = stored === undefined ? null : openedCode(stored.value, context.services.providerSealing);
  if (code === null) {
    await tallyRefused(context, 324);
    throw new ServiceError(324, { detail: "The code is unknown, used or expired." });
  }
  const consume = async (inside: Repositories) => (await inside.records.take(returnCodes, digest)) !== null;
  try {
    const details = { appNames: code.appNames, providerName: code.provider };
    return await auditRefusals(context, details, () => exchangeCode(context, code, { ...input, consume }));
  } catch (error) {
    // The original error takes precedence over a failure to consume the code, which expires soon.
    if (!(error instanceof ServiceError && factorCodes.includes(error.code))) await consume(r).catch(() => false);
    throw error;
  }
}

async function exchangeCode(
  context: AppKeyContext & Uses<Omit<ProviderServices, "hasher" | "providerSealing" | "settings">>,
  code: ReturnCode,
  exchange: Exchange,
): Promise<ProviderOutcome> {
  const { verifier, secondFactor, consume } = exchange;
  const { database, appKey, r } = context;
  const isOwn = code.appKeyId === appKey.id && code.alias === database.alias;
  if (!isOwn) throw new ServiceError(324, { detail: "The code belongs to another app key or database." });
  // The comparison of digests leaks nothing about the verifier through timing.
  const isProven = isVerifier(verifier) && context.database.digests.sha256(verifier) === code.challenge;
  if (!isProven) throw new ServiceError(324, { detail: "The verifier does not match the code." });
  const registered = await context.services.registeredProviders.find(code.provider, database, r);
  const { profile, appNames, deviceId } = code;
  const startInput = { ...code.secondFactor, enrol: code.secondFactor.enrol || secondFactor.enrol };
  const factorInput = secondFactor.token ? secondFactor : startInput;
  return logInWithProvider(context, {
    registered,
    profile,
    appNames,
    deviceId,
    secondFactor: factorInput,
    consume,
  });
}
