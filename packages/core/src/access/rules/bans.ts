import {
  type AuditedChange,
  type ClaimedRecord,
  isStorableText,
  type JsonValue,
  type PageRequest,
  type RecordKind,
  type Repositories,
  ServiceError,
  type Settlement,
  type StoredRecord,
} from "@sallyport/storage";
import {
  acceptNetwork,
  type AdministrationContext,
  auditedTime,
  changeOf,
  type Database,
  operatorEvent,
} from "../../request/index.ts";
import { type Ban, banKind, isInForce } from "./access-rules.ts";
import { type AppliedRule, applyRuleChange, type OwnAccess, ownAccessError } from "./apply-rule-change.ts";
import {
  type BanSubject,
  type NamedSubject,
  requireVisitor,
  type ShownSubject,
  sessionsOf,
  showSubjects,
  subjectId,
  subjectOwner,
  type Visitor,
} from "./rule-subjects.ts";

/** The next change of a timed ban, under the id of the ban. Like bans, timers never expire. */
export const banTimerKind: RecordKind<Record<never, never>> = "banTimer";

/** A user, a device, a user on a device, or an address. */
interface NamedBanSubject extends Pick<NamedSubject, "user" | "device"> {
  /** An IPv4 address, or an IPv6 address for its /64. */
  readonly address?: string | undefined;
}

export interface AddBanInput extends NamedBanSubject {
  readonly reason: string;
  /** Milliseconds since 1970. `null`: now. */
  readonly from: number | null;
  /** Milliseconds since 1970. `null`: no end. */
  readonly until: number | null;
  /** Returns the sessions that the ban would end today, and writes nothing. */
  readonly rehearse?: boolean;
  /** Whom the ban must not concern: 307. */
  readonly own?: OwnAccess;
}

/**
 * Bans a user, a device, a user on a device, or an address, and ends their sessions. It replaces an earlier ban of the same subject.
 * A ban in the future ends them when it begins. Unknown user: 304. No subject, an end that is over or before the
 * beginning, a reason that is too long, the own access, or the last administrator: 307.
 */
export async function addBan(
  { database, r, unit, eventOf }: AdministrationContext,
  { user, device, address, own, reason: reasonText, from: beginning, until, rehearse = false }: AddBanInput,
): Promise<AppliedRule> {
  const { subject, account } = await findBanSubject(r, { user, device, address });
  if (own !== undefined && isOwn(subject, own)) throw ownAccessError();
  const reason = acceptReason(reasonText);
  const now = await database.clock.now(unit);
  const from = Math.max(beginning ?? now, now);
  if (until !== null && until <= from)
    throw new ServiceError(307, { detail: "The end of a ban must be in the future and after its beginning." });
  const id = subjectId(subject, database.digests);
  const owner = subjectOwner(subject);
  // A rehearsal of a later ban shows what it would end now.
  const begun = rehearse || from <= now;
  const ban: Ban = { subject, reason, from: begun ? now : from, until, begun };
  const change = async ({ records, audit }: Repositories) => {
    const [former] = await records.get(banKind, [id]);
    await records.put(banKind, id, ban, { owner });
    await records.remove(banTimerKind, { ids: [id] });
    if (!begun || until !== null) await records.put(banTimerKind, id, {}, { owner });
    const changes = changesOf(former?.value, ban);
    await audit.append(eventOf({ type: "ban.added", subjectId: account?.userId ?? null, changes }));
  };
  const ended = await applyRuleChange(
    { database, unit },
    {
      change,
      matching: sessionsOf(subject),
      rehearse,
      ofAddress: subject.kind === "address",
      guardsAdministrators: subject.kind === "user" && account?.administrator === true,
      // A rehearsal of a later ban shows what the ban itself permits.
      own: from <= now ? own?.session : undefined,
    },
  );
  return { ...ended, id };
}

/** Whether a ban, also one in the future, excludes the administrator from everywhere or from the current network. */
function isOwn(subject: BanSubject, own: OwnAccess): boolean {
  return subject.kind === "address"
    ? subject.network === own.network
    : subject.kind === "user" && subject.userId === own.userId;
}

/** Removes a ban by its subject or id. It ends at once. Unknown user or ban: 304. No subject: 307. */
export async function removeBan(
  { database, unit, eventOf }: AdministrationContext,
  named: NamedBanSubject | { readonly id: string },
): Promise<void> {
  await unit.transaction(async (r) => {
    const id = "id" in named ? named.id : subjectId((await findBanSubject(r, named)).subject, database.digests);
    const [former] = await r.records.get(banKind, [id]);
    if (former === undefined || (await r.records.remove(banKind, { ids: [id] })).length === 0)
      throw new ServiceError(304, { detail: `There is no ban with this ${"id" in named ? "id" : "subject"}.` });
    await r.records.remove(banTimerKind, { ids: [id] });
    const { subject } = former.value;
    await r.audit.append(
      eventOf({ type: "ban.removed", subjectId: userOf(subject), changes: changesOf(former.value) }),
    );
  });
}

function changesOf(before?: Ban, after?: Ban): readonly AuditedChange[] {
  return changeOf("ban", before && auditedBan(before), after && auditedBan(after));
}

function auditedBan({ subject, reason, from, until }: Ban): JsonValue {
  return { ...subject, reason, from: auditedTime(from), until: auditedTime(until) };
}

export interface ListedBan
  extends Pick<Ban, "reason" | "from" | "until">,
    Pick<ShownSubject, "userId" | "userName" | "deviceId"> {
  readonly id: string;
  /** An IPv4 address, or the /64 of IPv6 addresses. */
  readonly address: string | null;
  readonly state: "planned" | "inForce" | "over";
}

/** Lists at most `limit` bans after an id. */
export async function listBans(
  { database, r, unit }: Pick<AdministrationContext, "database" | "r" | "unit">,
  page: PageRequest,
): Promise<ListedBan[]> {
  const [listed, now] = [await r.records.list(banKind, page), await database.clock.now(unit)];
  const shown = await showSubjects(
    r,
    listed.map(({ value }) => value.subject),
  );
  return listed.map(({ id, value: ban }, index) => {
    const { subject, reason, from, until } = ban;
    const { userId = null, userName = "", deviceId = null } = shown[index] ?? {};
    const address = subject.kind === "address" ? subject.network : null;
    const state = isInForce(ban, now) ? "inForce" : from > now ? "planned" : "over";
    return { id, userId, userName, deviceId, address, reason, from, until, state };
  });
}

/** Milliseconds of a claim, longer than the transaction that ends the sessions. */
const lease = 60_000;

/**
 * Ends the sessions of bans that begin, and removes bans that are over. Several servers share the work. Returns the
 * number of timers that it looked at, of at most `limit`.
 */
export async function applyTimedBans(database: Database, limit: number): Promise<number> {
  const timers = await database.storage.repositories.records.claim(banTimerKind, limit, lease);
  for (const timer of timers) await applyTimer(database, timer);
  return timers.length;
}

async function applyTimer(database: Database, timer: ClaimedRecord): Promise<void> {
  const { records } = database.storage.repositories;
  // Not the estimate of `clock`: a timer is due by the storage's clock.
  const now = await database.storage.now();
  const [record] = await records.get(banKind, [timer.id]);
  if (record === undefined) {
    await records.settle(banTimerKind, timer, "done");
    return;
  }
  const { begun, from, until } = record.value;
  const next = from > now ? from : until;
  const due = next === null ? "done" : { dueIn: next - now };
  if (next !== null && next <= now) await removeOver(database, timer, record);
  else if (begun || from > now) await records.settle(banTimerKind, timer, due);
  else await begin(database, timer, record, due);
}

/** Removes a ban that is over. Needs no event: that of the addition has the end. */
async function removeOver(
  { unit }: Database,
  timer: ClaimedRecord,
  { version }: Pick<StoredRecord<Ban>, "version">,
): Promise<void> {
  await unit.transaction(async ({ records }) => {
    if (!(await records.settle(banTimerKind, timer, "done"))) return;
    const [current] = await records.get(banKind, [timer.id]);
    if (current?.version === version) await records.remove(banKind, { ids: [timer.id] });
  });
}

async function begin(
  database: Database,
  timer: ClaimedRecord,
  { value: ban, version: ifVersion }: Pick<StoredRecord<Ban>, "value" | "version">,
  due: Settlement<Record<never, never>>,
): Promise<void> {
  const { subject } = ban;
  await applyRuleChange(
    { database, unit: database.unit },
    {
      matching: sessionsOf(subject),
      ofAddress: subject.kind === "address",
      // Without a change, the rules refuse no further session, and none ends.
      change: async ({ records, audit }) => {
        // Otherwise the ban was replaced or removed, or another server has applied it.
        if (!(await records.settle(banTimerKind, timer, due))) return;
        // The new version refuses the log-ins that were checked before the beginning.
        const owner = subjectOwner(subject);
        const put = await records.put(banKind, timer.id, { ...ban, begun: true }, { owner, ifVersion });
        if (put === "stored") await audit.append(operatorEvent({ type: "ban.begun", subjectId: userOf(subject) }));
      },
    },
  );
}

/** Throws as `requireVisitor`, and 307 for a text that is not an address, or an address beside a user or a device. */
async function findBanSubject(
  r: Pick<Repositories, "accounts">,
  { user, device, address }: NamedBanSubject,
): Promise<{ readonly subject: BanSubject; readonly account: Visitor["account"] }> {
  if (address === undefined) return requireVisitor(r, { user, device });
  if (user !== undefined || device !== undefined)
    throw new ServiceError(307, { detail: "A ban concerns an address, or a user, a device or both." });
  return { subject: { kind: "address", network: acceptNetwork(address) }, account: null };
}

function userOf(subject: BanSubject): string | null {
  return "userId" in subject ? subject.userId : null;
}

const maxReason = 500;

/** Throws 307 for a reason that is too long or not storable. */
export function acceptReason(text: string): string {
  const reason = text.trim();
  if (reason.length > maxReason)
    throw new ServiceError(307, { detail: `A reason must have at most ${maxReason} characters.` });
  if (!isStorableText(reason))
    throw new ServiceError(307, { detail: "A reason must not contain null characters or unpaired surrogates." });
  return reason;
}
