import { type ErrorCode, type ProviderType, ServiceError } from "@sallyport/storage";
import { type AppKeyContext, type UnadmittedContext, blankEvent, appKeyEvent } from "../request/index.ts";
import { AlreadyConsumedError } from "./log-in-with-provider.ts";

/** Audits a callback without a matching log-in. Anyone can send these without limit, so they are tallied. */
export async function tallyStrayCallback(context: UnadmittedContext): Promise<void> {
  const { r, requestId, origin } = context;
  const event = { ...blankEvent, type: "provider.refused", requestId, outcome: 324, address: origin.address } as const;
  await r.audit.append(event, `provider callback ${origin.network}`);
}

/** Tallies refused starts and unknown codes, which a client with an app key can cause without limit. */
export async function tallyRefused(context: AppKeyContext, outcome: ErrorCode): Promise<void> {
  const event = appKeyEvent(context, { type: "provider.refused", outcome });
  await context.r.audit.append(event, `provider ${outcome} ${context.appKey.id} ${context.origin.network}`);
}

interface LogInDetails {
  readonly appNames: readonly string[];
  readonly providerName: ProviderType;
}

/** Runs a provider log-in and audits the failures that the gate does not audit. */
export async function auditRefusals<T>(
  context: AppKeyContext,
  details: LogInDetails,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAudited =
      error instanceof ServiceError &&
      !(error instanceof AlreadyConsumedError) &&
      [101, 208, 324, 608, 698].includes(error.code);
    if (isAudited)
      await context.r.audit.append(appKeyEvent(context, { type: "provider.refused", outcome: error.code, ...details }));
    throw error;
  }
}
