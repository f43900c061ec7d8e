import type { Digest } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { AdministrationContext, Database } from "../../request/index.ts";
import { allPages, type ListedSession, type Repositories, type SessionMatch } from "../../storage/index.ts";
import { Applications } from "../appkeys/applications.ts";
import {
  appRulesKind,
  banKind,
  deviceKind,
  isAllowed,
  isInForce,
  refusalOf,
  registrationIds,
  ruleIdsOf,
  type Visit,
} from "./access-rules.ts";
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
}

/** Number of ended sessions that an answer lists. */
const maxListed = 100;

/**
 * Changes a rule, and ends the sessions that the rules no longer permit, in one transaction. No session opens meanwhile
 * on the old rules. 307, without any change, if no enabled administrator could log in any more.
 */
export async function endRefused(
  { database, unit }: Pick<AdministrationContext, "database" | "unit">,
  { change, matching, rehearse = false, guardsAdministrators = false, registration = false }: RuleChange,
): Promise<EndedSessions> {
  const now = await database.clock.now(unit);
  const work = async (r: Repositories): Promise<EndedSessions> => {
    const ended: EndedSession[] = [];
    let count = 0;
    let changed = false;
    const begin = async () => {
      changed = true;
      const hadAdministrator = guardsAdministrators && (await hasAdministrator(r, database, now));
      await change(r);
      if (hadAdministrator && !(await hasAdministrator(r, database, now)))
        throw new ServiceError(307, { detail: "The last administrator cannot be excluded." });
    };
    const choose = async (page: readonly ListedSession[]): Promise<Digest[]> => {
      if (!changed) await begin();
      const refused = await refusedOf(r, database, page, { now, registration });
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
  { digests }: Pick<Database, "digests">,
  page: readonly ListedSession[],
  { now, registration }: { readonly now: number; readonly registration: boolean },
): Promise<(EndedSession & Pick<ListedSession, "digest">)[]> {
  if (page.length === 0) return [];
  const users = await usersById(
    r,
    page.map(({ userId }) => userId),
  );
  const visits = page.map((session) => {
    const { name: userName = "", groups = [] } = users.get(session.userId) ?? {};
    const visit = { ...session, groups };
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

async function rulesOf({ records }: Pick<Repositories, "records">, ids: readonly ReturnType<typeof ruleIdsOf>[]) {
  const unique = (list: readonly string[]) => [...new Set(list)];
  const bans = await records.get(banKind, unique(ids.flatMap((each) => each.bans)));
  const rules = await records.get(appRulesKind, unique(ids.flatMap((each) => each.rules.flat())));
  return {
    bans: new Map(bans.map(({ id, value }) => [id, value])),
    rules: new Map(rules.map(({ id, value }) => [id, value])),
  };
}

async function registeredOf(
  { records }: Pick<Repositories, "records">,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const devices = await records.get(deviceKind, [...new Set(ids)]);
  return new Set(devices.filter(({ value }) => value.registered).map(({ id }) => id));
}

/**
 * Whether an enabled administrator could log in: not banned, neither now nor later, and with an app name that the rules
 * allow on any device.
 */
async function hasAdministrator(
  r: Repositories,
  { digests }: Pick<Database, "digests">,
  now: number,
): Promise<boolean> {
  const appNames = await allPages(
    ({ after, limit }) => new Applications(r.records).list(after, limit),
    ({ name }) => name,
  );
  for (let after: string | null = null; ; ) {
    const accounts = await r.accounts.list("database", after, pageSize);
    const administrators = accounts.filter(({ administrator, disabled }) => administrator && !disabled);
    const users = await usersById(
      r,
      administrators.map(({ userId }) => userId),
    );
    const visits = administrators.map(({ userId }): Visit => {
      const { groups = [] } = users.get(userId) ?? {};
      return { userId, groups, deviceId: null, appNames: [] };
    });
    const ids = visits.map((visit) => ruleIdsOf(visit, digests));
    const found = await rulesOf(r, ids);
    const canLogIn = (index: number) => {
      const each = ids[index] as (typeof ids)[number];
      if (refusalOf({ appNames: [] }, each, found, ({ until }) => until === null || until > now) !== null) return false;
      return appNames.length === 0 || appNames.some(({ name }) => isAllowed(name, each, found.rules));
    };
    if (visits.some((_visit, index) => canLogIn(index))) return true;
    if (accounts.length < pageSize) return false;
    after = accounts.at(-1)?.loginName ?? null;
  }
}

/** Accounts that are read at once. */
const pageSize = 500;
