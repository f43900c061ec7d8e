import type { ObjectId, Repositories, ServiceError } from "@sallyport/storage";
import type { UserGuard } from "../../objects/index.ts";
import type { Database } from "../../request/index.ts";
import { administrationAppName } from "../appkeys/applications.ts";
import { appRulesKind, banKind, isAllowed, refusalOf, ruleIdsOf, type Visit } from "./access-rules.ts";
import { usersById } from "./rule-subjects.ts";

interface Looking {
  readonly r: Repositories;
  readonly database: Pick<Database, "digests">;
  /** By the storage's clock. */
  readonly now: number;
}

/**
 * Makes a change in the transaction of `r`. Throws `refusal` if an administrator could log in before, and none could
 * afterwards. Callers have locked the rules.
 */
export async function keepAdministrator<T>(
  { r, database, now }: Looking,
  { change, refusal }: { readonly change: () => Promise<T>; readonly refusal: ServiceError },
): Promise<T> {
  const had = await hasAdministrator(r, database, now);
  const result = await change();
  if (had && !(await hasAdministrator(r, database, now))) throw refusal;
  return result;
}

/** Users who are asked for one by one. Of more, one is taken for an administrator: the rules are locked in vain at worst. */
const maxAsked = 50;

/**
 * Takes the access of users in the transaction of `r`, as `keepAdministrator` does. If one of them is an enabled
 * administrator, no rule changes and no other administrator loses access until the transaction ends.
 */
export async function takeAccess<T>(
  looking: Looking,
  {
    users,
    change,
    refusal,
  }: { readonly users: readonly ObjectId[]; readonly change: () => Promise<T>; readonly refusal: ServiceError },
): Promise<T> {
  const { accounts, sessions } = looking.r;
  const isAdministrator = async (id: ObjectId) => {
    const { account } = await accounts.find({ id }, []);
    return account?.administrator === true && !account.disabled;
  };
  const administrators = users.length > maxAsked ? [true] : await Promise.all(users.map(isAdministrator));
  const first = users[administrators.indexOf(true)];
  if (first === undefined) return change();
  // Only locks the rules.
  await sessions.list({ after: null, limit: 1 }, { userId: first }, { holdsOpenings: true });
  return keepAdministrator(looking, { change, refusal });
}

/** Guards deletions of users, and changes of their groups. */
export const administratorGuard: UserGuard = {
  keepAdministrator: async ({ r, database }, loss) =>
    takeAccess({ r, database, now: await database.clock.now({ joined: true }) }, loss),
};

export async function rulesOf(
  { records }: Pick<Repositories, "records">,
  ids: readonly ReturnType<typeof ruleIdsOf>[],
) {
  const unique = (list: readonly string[]) => [...new Set(list)];
  const bans = await records.get(banKind, unique(ids.flatMap((each) => each.bans)));
  const rules = await records.get(appRulesKind, unique(ids.flatMap((each) => each.rules.flat())));
  return {
    bans: new Map(bans.map(({ id, value }) => [id, value])),
    rules: new Map(rules.map(({ id, value }) => [id, value])),
  };
}

/**
 * Whether an enabled administrator could log in to administration from an address that is not banned: the user is not
 * banned, neither now nor later, and the rules allow the app name of administration.
 */
async function hasAdministrator(
  r: Repositories,
  { digests }: Pick<Database, "digests">,
  now: number,
): Promise<boolean> {
  for (let after: string | null = null; ; ) {
    const accounts = await r.accounts.list("database", after, pageSize);
    const administrators = accounts.filter(({ administrator, disabled }) => administrator && !disabled);
    const users = await usersById(
      r,
      administrators.map(({ userId }) => userId),
    );
    const visits = administrators.map(({ userId }): Visit => {
      const { groups = [] } = users.get(userId) ?? {};
      return { userId, groups, deviceId: null, network: null, appNames: [] };
    });
    const ids = visits.map((visit) => ruleIdsOf(visit, digests));
    const rules = await rulesOf(r, ids);
    const canLogIn = (index: number) => {
      const each = ids[index] as (typeof ids)[number];
      if (refusalOf({ appNames: [] }, each, rules, ({ until }) => until === null || until > now) !== null) return false;
      return isAllowed(administrationAppName, each, rules.rules);
    };
    if (visits.some((_visit, index) => canLogIn(index))) return true;
    if (accounts.length < pageSize) return false;
    after = accounts.at(-1)?.loginName ?? null;
  }
}

/** Accounts that are read at once. */
const pageSize = 500;
