import {
  type Digest,
  type LiveSession,
  type ObjectId,
  type Repositories,
  ServiceError,
  type SessionMatch,
} from "@sallyport/storage";
import { type AdministrationContext, type Database, networkOf } from "../../request/index.ts";
import { deviceKind, isInForce, refusalOf, registrationIds, ruleIdsOf } from "./access-rules.ts";
import { keepAdministrator, rulesOf } from "./last-administrator.ts";
import { usersById } from "./rule-subjects.ts";

/** A session that a rule ends. Its app names are those of the log-in, then the reserved ones. */
export interface EndedSession extends Pick<LiveSession, "userId" | "deviceId" | "appNames" | "openedAt"> {
  readonly userName: string;
}

export interface EndedSessions {
  readonly count: number;
  /** The first of them. */
  readonly sessions: readonly EndedSession[];
}

/** The sessions that a change of bans or rules ended, or would end. */
export interface AppliedRule extends EndedSessions {
  /** Id of the ban, or of the rules of the subject. */
  readonly id: string;
}

/** The administrator who makes a change, and must not be its subject. */
export interface OwnAccess {
  readonly userId: ObjectId;
  /** As in `ClientOrigin`. */
  readonly network: string;
  readonly session: Digest;
}

interface RuleChange {
  /** Writes the rule and its audit event. Runs first, under the lock that openings share. */
  readonly change: (r: Repositories) => Promise<void>;
  /** The sessions that the rule can concern. */
  readonly matching: SessionMatch;
  /** Ends nothing and writes nothing. */
  readonly rehearse?: boolean;
  /** Whether the change could exclude administrators. */
  readonly guardsAdministrators?: boolean;
  /** Whether to end sessions on devices that are not registered, too. */
  readonly registration?: boolean;
  /** Whether the addresses of the log-ins decide. */
  readonly ofAddress?: boolean;
  /** The session of the administrator, which the change must not end. */
  readonly own?: Digest | undefined;
}

/** Number of ended sessions that an answer lists. */
const maxListed = 100;

/** Sessions that are read at once. */
const pageSize = 500;

/**
 * Changes a rule, and ends the sessions that the rules no longer permit, in one transaction. No session opens
 * on the old rules before its end. 307, without any change, if no enabled administrator could log in any more, or if `own` would end.
 */
export async function applyRuleChange(
  { database, unit }: Pick<AdministrationContext, "database" | "unit">,
  rule: RuleChange,
): Promise<EndedSessions> {
  const { matching, rehearse = false, own } = rule;
  const now = await database.clock.now(unit);
  try {
    return await unit.transaction(async (r) => {
      const ended: EndedSession[] = [];
      let count = 0;
      const nextPage = (after: Digest | null, holdsOpenings = false) =>
        r.sessions.list({ after, limit: pageSize }, { matching }, { holdsOpenings });
      // A rehearsal is rolled back, so nothing has to wait for it.
      let page = await nextPage(null, !rehearse);
      await makeChange(r, { database, now }, rule);
      for (;;) {
        const refused = await refusedOf(r, { database, now }, page, rule);
        const digests = refused.map(({ digest }) => digest);
        if (own !== undefined && digests.includes(own)) throw ownAccessError();
        count += refused.length;
        for (const { digest: _digest, ...session } of refused.slice(0, maxListed - ended.length)) ended.push(session);
        if (!rehearse && digests.length > 0) await r.sessions.end({ digests });
        if (page.length < pageSize) break;
        page = await nextPage(page.at(-1)?.digest ?? null);
      }
      const outcome = { count, sessions: ended };
      if (rehearse) throw new Rehearsed(outcome);
      return outcome;
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.outcome;
    throw error;
  }
}

interface Ruling {
  readonly database: Pick<Database, "digests">;
  /** By the storage's clock. */
  readonly now: number;
}

async function makeChange(
  r: Repositories,
  { database, now }: Ruling,
  { change, guardsAdministrators = false }: RuleChange,
): Promise<void> {
  if (!guardsAdministrators) return change(r);
  const refusal = new ServiceError(307, { detail: "The last administrator cannot be excluded." });
  await keepAdministrator({ r, database, now }, { change: () => change(r), refusal });
}

export function ownAccessError(): ServiceError {
  return new ServiceError(307, { detail: "Administrators cannot take their own access." });
}

/** Rolls a rehearsal back. */
class Rehearsed extends Error {
  override readonly name = "Rehearsed";

  constructor(readonly outcome: EndedSessions) {
    super();
  }
}

/** The sessions of a page that the rules refuse, with the names of their users. */
async function refusedOf(
  r: Repositories,
  { database: { digests }, now }: Ruling,
  page: readonly LiveSession[],
  { registration = false, ofAddress = false }: RuleChange,
): Promise<(EndedSession & Pick<LiveSession, "digest">)[]> {
  if (page.length === 0) return [];
  const users = await usersById(
    r,
    page.map(({ userId }) => userId),
  );
  const visits = page.map(({ digest, userId, deviceId, appNames: opened, reservedNames, openedAt, address }) => {
    const { name: userName = "", groups = [] } = users.get(userId) ?? {};
    const network = ofAddress && address !== null ? networkOf(address) : null;
    const appNames = [...opened, ...reservedNames];
    const visit = { userId, deviceId, appNames, groups, network };
    return {
      session: { digest, userId, userName, deviceId, appNames, openedAt },
      visit,
      ids: ruleIdsOf(visit, digests),
    };
  });
  const rules = await rulesOf(
    r,
    visits.map(({ ids }) => ids),
  );
  const registered = registration
    ? await registeredOf(
        r,
        visits.flatMap(({ visit }) => registrationIds(visit, digests)),
      )
    : null;
  return visits
    .filter(
      ({ visit, ids }) =>
        refusalOf(visit, ids, rules, (ban) => isInForce(ban, now)) !== null ||
        (registered !== null && !registrationIds(visit, digests).some((id) => registered.has(id))),
    )
    .map(({ session }) => session);
}

async function registeredOf(
  { records }: Pick<Repositories, "records">,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const devices = await records.get(deviceKind, [...new Set(ids)]);
  return new Set(devices.filter(({ value }) => value.registered).map(({ id }) => id));
}
