import { entryEvent } from "../audit/entry-event.ts";
import type { ErrorCode } from "../errors/error-code.ts";
import type { AppKeyContext, ArrivingContext } from "../request/request-context.ts";
import type { ProviderType } from "./identity-link.ts";

/** Tells the audit of a callback that belongs to no log-in: anybody can send as many as he likes, so they are counted together. */
export async function tallyStrayCallback(context: ArrivingContext): Promise<void> {
  const { r, requestId, origin } = context;
  const nobody = { type: "provider.refused", requestId, outcome: 324, appKeyId: "", userId: null, address: origin.address } as const;
  await r.audit.tally(`provider callback ${origin.network}`, { ...nobody, appNames: [], className: null, macroName: null, providerName: null });
}

/** Tells the audit of somebody with an app key who is not sent to a provider: he can try as often as he likes. */
export async function tallyRefusedStart(context: AppKeyContext, outcome: ErrorCode): Promise<void> {
  const event = entryEvent(context, { type: "provider.refused", outcome });
  await context.r.audit.tally(`provider ${outcome} ${context.appKey.id} ${context.origin.network}`, event);
}

/** Tells the audit of a log-in that a provider, or what it says, has put an end to. */
export async function tellRefusedProvider(context: AppKeyContext, outcome: ErrorCode, known: { readonly appNames: readonly string[]; readonly providerName: ProviderType }): Promise<void> {
  await context.r.audit.append(entryEvent(context, { type: "provider.refused", outcome, ...known }));
}
