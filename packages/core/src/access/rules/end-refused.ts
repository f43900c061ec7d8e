import {
  allPages,
  type Digest,
  type ListedSession,
  type Repositories,
  ServiceError,
  type SessionMatch,
} from "@sallyport/storage";
import { type AdministrationContext, type Database, networkOf } from "../../request/index.ts";
import { deviceKind, isInForce, refusalOf, registrationIds, ruleIdsOf } from "./access-rules.ts";
import { keepAdministrator, rulesOf } from "./last-administrator.ts";
import { usersById } from "./rule-subjects.ts";

/** A session that a rule ends. */
export interface EndedSession extends Omit<ListedSession, "digest"> {
  readonly userName: string;
}

export interface EndedSessions {
  readonly count: number;
  /** The first of them. */
  readonly sessions: readonly EndedSession[];
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

/**
 * Changes a rule, and ends the sessions that the rules no longer permit, in one transaction. No session opens meanwhile
 * on the old rules. 307, without any change, if no enabled administrator could log in any more, or if `own` would end.
 */
export async function endRefused(
  { database, unit }: Pick<AdministrationContext, "database" | "unit">,
  {
    change,
    matching,
    rehearse = false,
    guardsAdministrators = false,
    registration = false,
    ofAddress = false,
    own,
  }: RuleChange,
): Promise<EndedSessions> {
  const now = await database.clock.now(unit);
  const work = async (r: Repositories): Promise<EndedSessions> => {
    const ended: EndedSession[] = [];
    let count = 0;
    let changed = false;
    let networks: ReadonlyMap<Digest, string> | null = null;
    const begin = async () => {
      changed = true;
      if (ofAddress) networks = await networksOf(r);
      if (!guardsAdministrators) return change(r);
      const refusal = new ServiceError(307, { detail: "The last administrator cannot be excluded." });
      await keepAdministrator({ r, database, now }, { change: () => change(r), refusal });
    };
    const choose = async (page: readonly ListedSession[]): Promise<Digest[]> => {
      if (!changed) await begin();
      const refused = await refusedOf(r, database, page, { now, registration, networks });
      if (refused.some(({ digest }) => digest === own)) throw takesOwnAccess();
      count += refused.length;
      for (const { digest: _digest, ...session } of refused.slice(0, maxListed - ended.length)) ended.push(session);
      return rehearse ? [] : refused.map(({ digest }) => digest);
    };
    // A rehearsal is rolled back, so nothing has to wait for it.
    await r.sessions.end({ matching, choice: { exclusive: !rehearse, choose } });
    const outcome = { count, sessions: ended };
    if (rehearse) throw new Rehearsed(outcome);
    return outcome;
  };
  try {
    return await unit.transaction(work);
  } catch (error) {
    if (error instanceof Rehearsed) return error.outcome;
    throw error;
  }
}

export function takesOwnAccess(): ServiceError {
  return new ServiceError(307, { detail: "Administrators cannot take their own access." });
}

/** Rolls a rehearsal back. */
class Rehearsed extends Error {
  override readonly name = "Rehearsed";

  constructor(readonly outcome: EndedSessions) {
    super();
  }
}

interface Chosen extends Required<Pick<RuleChange, "registration">> {
  readonly now: number;
  /** By the digests of sessions. */
  readonly networks: ReadonlyMap<Digest, string> | null;
}

/** The networks of the live sessions. */
async function networksOf({ sessions }: Pick<Repositories, "sessions">): Promise<ReadonlyMap<Digest, string>> {
  const live = await allPages(
    (page) => sessions.list(page),
    ({ digest }) => digest,
  );
  return new Map(live.flatMap(({ digest, address }) => (address === null ? [] : [[digest, networkOf(address)]])));
}

/** The sessions of a page that the rules refuse, with the names of their users. */
async function refusedOf(
  r: Repositories,
  { digests }: Pick<Database, "digests">,
  page: readonly ListedSession[],
  { now, registration, networks }: Chosen,
): Promise<(EndedSession & Pick<ListedSession, "digest">)[]> {
  if (page.length === 0) return [];
  const users = await usersById(
    r,
    page.map(({ userId }) => userId),
  );
  const visits = page.map((session) => {
    const { name: userName = "", groups = [] } = users.get(session.userId) ?? {};
    const network = networks?.get(session.digest) ?? null;
    const visit = { ...session, groups, network };
    return { session: { ...session, userName }, visit, ids: ruleIdsOf(visit, digests) };
  });
  const found = await rulesOf(
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
        refusalOf(visit, ids, found, (ban) => isInForce(ban, now)) !== null ||
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
