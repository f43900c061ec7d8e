import {
  type Account,
  accountOwner,
  type ListedAccount,
  type ObjectId,
  type Principal,
  type RecordKind,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";

/** What an administrator may do: everything, read all of the administration but the audit, or read the audit. */
export type AdministrationRights = "all" | "view" | "audit";

/**
 * The rights of administrators without all rights, by user. The account tells who has all, so a request of theirs reads
 * no record, and nothing but the administration routes knows of other rights.
 */
const limitedRights: RecordKind<Exclude<AdministrationRights, "all">> = "administrationRights";

type Asked = Pick<Principal & Account & ListedAccount, "userId" | "administrator">;
type Records = Pick<Repositories, "records">;

/** The present rights of a user; `null` for a user who is no administrator. */
export async function administrationRightsOf(r: Records, user: Asked): Promise<AdministrationRights | null> {
  return (await administrationRightsByUser(r, [user])).get(user.userId) ?? null;
}

/** The present rights of users, without those who are no administrators. */
export async function administrationRightsByUser(
  { records }: Records,
  users: readonly Asked[],
): Promise<ReadonlyMap<ObjectId, AdministrationRights>> {
  const others = users.filter(({ administrator }) => !administrator).map(({ userId }) => userId);
  const limited = others.length === 0 ? [] : await records.get(limitedRights, others);
  return new Map([
    ...limited.map(({ id, value }) => [id, value] as const),
    ...users.filter(({ administrator }) => administrator).map(({ userId }) => [userId, "all"] as const),
  ]);
}

/** Replaces the record of a user. Call it in the transaction that creates or changes the account. */
export async function keepLimitedRights(
  { records }: Records,
  userId: ObjectId,
  rights: AdministrationRights | null,
): Promise<void> {
  if (rights === null || rights === "all") await records.remove(limitedRights, { ids: [userId] });
  else await records.put(limitedRights, userId, rights, { owner: accountOwner(userId) });
}

/** Members of a request that set rights. */
export interface RightsRequest {
  readonly administrator?: boolean | undefined;
  readonly rights?: AdministrationRights | undefined;
}

/** The rights after a request. An administrator without `rights` has all, or keeps the former. 307: both contradict. */
export function requestedRights(
  { administrator, rights }: RightsRequest,
  former: AdministrationRights | null,
): AdministrationRights | null {
  if (administrator === false && rights !== undefined)
    throw new ServiceError(307, { detail: "Only administrators have rights." });
  if (rights !== undefined) return rights;
  if (administrator === undefined) return former;
  return administrator ? (former ?? "all") : null;
}

/** The rights of a user as the audit has them. */
export function auditedRights(rights: AdministrationRights | null) {
  return { administrator: rights !== null, rights };
}
