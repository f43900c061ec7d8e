import { type AuditedChange, type AuditEvent, canonicalJson, type JsonValue, type ObjectId } from "@sallyport/storage";
import type { AppKeyContext, SessionContext } from "./request-context.ts";

/** Defaults of an event: a success outside any request. */
export const blankEvent = {
  requestId: "",
  outcome: 0,
  appKeyId: "",
  actorId: null,
  subjectId: null,
  address: "",
  appNames: [],
  className: null,
  macroName: null,
  providerName: null,
  changes: [],
} as const satisfies Omit<AuditEvent, "type">;

function requestEvent({ requestId, appKey, origin }: AppKeyContext) {
  return { ...blankEvent, requestId, appKeyId: appKey.id, address: origin.address };
}

type AppKeyEventFields<Outcome> = Pick<AuditEvent, "type"> & { readonly outcome: Outcome } & Partial<
    Pick<AuditEvent, "appNames" | "providerName" | "changes"> & { readonly userId: ObjectId | null }
  >;

/** Creates the event of a request with an app key. `userId` is the authenticated user, as actor and subject. */
export function appKeyEvent<Outcome extends AuditEvent["outcome"]>(
  context: AppKeyContext,
  { type, outcome, userId = null, appNames = [], providerName = null, changes = [] }: AppKeyEventFields<Outcome>,
): AuditEvent & { readonly outcome: Outcome } {
  const about = { actorId: userId, subjectId: userId, appNames, providerName, changes };
  return { ...requestEvent(context), type, outcome, ...about };
}

/** A change by an administrator. `subjectId` is the changed user. */
export type ChangeToAudit = Pick<AuditEvent, "type"> &
  Partial<
    Pick<AuditEvent, "appKeyId" | "subjectId" | "appNames" | "className" | "macroName" | "providerName" | "changes">
  >;

/** Creates the event of a CLI command, which has no request and no actor. */
export function operatorEvent(change: ChangeToAudit): AuditEvent {
  return { ...blankEvent, ...change };
}

/** Creates the event of a change by an administrator in a session. */
export function administratorEvent(context: SessionContext, change: ChangeToAudit): AuditEvent {
  return { ...requestEvent(context), actorId: context.principal.userId, ...change };
}

type SessionEventFields = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "outcome" | "appNames" | "className" | "macroName" | "providerName" | "changes">>;

/** Creates the event of a request with a session. The user is also the subject, unless it concerns a class or a macro. */
export function sessionEvent(context: SessionContext, fields: SessionEventFields): AuditEvent {
  const { userId } = context.principal;
  const isAboutUser = (fields.className ?? null) === null && (fields.macroName ?? null) === null;
  const subjectId = isAboutUser ? userId : null;
  return { ...requestEvent(context), actorId: userId, subjectId, appNames: context.session.appNames, ...fields };
}

/** Stands for the rest of a long value. As the name of the last change, it stands for further changes. */
const cut = "…";

/** Characters of a text, and of other values as JSON. */
const maxValueLength = 300;
/** Characters of all changes of an event as JSON. */
const maxChangesLength = 2_048;

/**
 * The differences between the properties of a thing before and after a change, for the audit. `null`: the thing does not
 * exist. Callers leave secrets out. Long values are cut.
 */
export function changesBetween(before: object | null, after: object | null): readonly AuditedChange[] {
  const [former, present] = [propertiesOf(before), propertiesOf(after)];
  const changes: AuditedChange[] = [];
  let left = maxChangesLength;
  for (const name of new Set([...former.keys(), ...present.keys()]))
    for (const change of changeOf(name, former.get(name), present.get(name))) {
      left -= JSON.stringify(change).length;
      if (left < 0) return [...changes, { name: cut, before: null, after: null }];
      changes.push(change);
    }
  return changes;
}

function propertiesOf(thing: object | null): ReadonlyMap<string, JsonValue | undefined> {
  return new Map(Object.entries(thing ?? {}));
}

/** As `changesBetween`, of one property. `undefined`: the thing does not exist. */
export function changeOf(name: string, before?: JsonValue, after?: JsonValue): readonly AuditedChange[] {
  return isChange(before, after) ? [{ name, before: shortened(before), after: shortened(after) }] : [];
}

/** An empty value of a thing that is created or removed is not a change. */
function isChange(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === undefined || after === undefined) return !isEmpty(before ?? after ?? null);
  return canonicalJson(before) !== canonicalJson(after);
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function shortened(value: JsonValue = null): JsonValue {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= maxValueLength) return value;
  // Not within a pair of surrogates.
  return `${text.slice(0, maxValueLength).replace(/\p{Surrogate}$/u, "")}${cut}`;
}

/** A time of an audited property, ISO 8601; `null` for none. */
export function auditedTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
