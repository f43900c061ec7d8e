import type { AppKeyContext } from "../request/request-context.ts";
import type { AuditEvent } from "./audit-event.ts";

type Given<Outcome> = Pick<AuditEvent, "type"> & { readonly outcome: Outcome } & Partial<
    Pick<AuditEvent, "userId" | "appNames" | "providerName">
  >;

/** What somebody with an app key has done with this request; `userId` only if it was proven who it is. */
export function entryEvent<Outcome extends AuditEvent["outcome"]>(
  { requestId, appKey, origin }: AppKeyContext,
  { type, outcome, userId = null, appNames = [], providerName = null }: Given<Outcome>,
): AuditEvent & { readonly outcome: Outcome } {
  return {
    type,
    requestId,
    outcome,
    appKeyId: appKey.id,
    userId,
    address: origin.address,
    appNames,
    className: null,
    macroName: null,
    providerName,
  };
}
