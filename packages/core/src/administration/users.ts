import {
  addUser,
  type AdministrationRights,
  administrationRightsByUser,
  auditedRights,
  type CreateUserInput,
  keepLimitedRights,
  type PasswordServices,
  requestedRights,
  type RightsRequest,
  setUserDisabled,
  setUserEmail,
  takeAccess,
} from "../access/index.ts";
import {
  type Filter,
  idsOf,
  isObjectId,
  type ListedAccount,
  type ObjectId,
  type PageRequest,
  type Repositories,
  seesAll,
  ServiceError,
  type StoredObject,
  type ValuePath,
} from "@sallyport/storage";
import { type InputAttributes, updateObject, createObject, type ObjectServices } from "../objects/index.ts";
import { type AdministrationContext, changesBetween, inTransaction, type Uses } from "../request/index.ts";
import { type AdministratorContext, isOperator } from "./administrators.ts";
import { contentVersion, replaceIfMatch, serialize, type Versioned } from "./replace-if-match.ts";

/** A database user: account and user object. */
export interface AdministeredUser {
  readonly userId: ObjectId;
  readonly name: string;
  readonly description: string | null;
  readonly enabled: boolean;
  /** Whether there are rights. */
  readonly administrator: boolean;
  readonly rights: AdministrationRights | null;
  readonly email: string | null;
  /** Ids of the user's groups. */
  readonly groups: readonly ObjectId[];
}

/** Text in the names of what a list shows; `null` for all. */
interface Search {
  readonly search: string | null;
}

const nameOfObject: ValuePath = { hops: [], leaf: "Name", type: "string" };

/** Names with the text, also in lower case and with a capital first letter. */
function nameContains(search: string): Filter {
  const lower = search.toLowerCase();
  const spellings = new Set([search, lower, lower.charAt(0).toUpperCase() + lower.slice(1)]);
  return {
    kind: "any",
    filters: Array.from(spellings, (value) => ({ kind: "contains", path: nameOfObject, value })),
  };
}

/** Lists at most `limit` users in the order of `AccountRepository.list`. The key of a page is the log-in name. */
export async function listAdministeredUsers(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit, search }: PageRequest & Search,
): Promise<AdministeredUser[]> {
  if (search !== null) return searchUsers(r, { after, limit, search });
  const accounts = await r.accounts.list("database", after, limit);
  const objects = await r.objects.get(
    accounts.map(({ userId }) => userId),
    seesAll,
  );
  const byId = new Map(objects.map((object) => [object.id, object]));
  const rights = await administrationRightsByUser(r, accounts);
  return accounts.map((account) => userOf(account, byId.get(account.userId), rights));
}

/** Finds users by the names of their objects, which are the log-in names. An object without an account is not a user. */
async function searchUsers(
  r: Repositories,
  { after, limit, search }: PageRequest & { readonly search: string },
): Promise<AdministeredUser[]> {
  const users: AdministeredUser[] = [];
  const sort = [{ path: nameOfObject, descending: false }];
  let position = after;
  while (users.length < limit) {
    const later: Filter[] =
      position === null ? [] : [{ kind: "compare", path: nameOfObject, operator: "gt", value: position }];
    const filter: Filter = { kind: "all", filters: [nameContains(search), ...later] };
    const { objects } = await r.objects.find({ classes: [userClass], filter, sort }, seesAll, { offset: 0, limit });
    const accounts = await Promise.all(objects.map(({ id }) => r.accounts.find({ id }, [])));
    const rights = await administrationRightsByUser(
      r,
      accounts.flatMap(({ account }) => account ?? []),
    );
    users.push(...accounts.flatMap(({ account, user }) => (account && user ? [userOf(account, user, rights)] : [])));
    const last = objects.at(-1)?.attributes["Name"];
    if (objects.length < limit || typeof last !== "string") break;
    position = last;
  }
  return users.slice(0, limit);
}

export async function findAdministeredUser(
  { r, database }: Pick<AdministrationContext, "r" | "database">,
  userId: string,
): Promise<Versioned<AdministeredUser>> {
  const content = await readUser(r, userId);
  return { content, version: contentVersion(content, database.digests) };
}

async function readUser(r: Repositories, userId: string): Promise<AdministeredUser> {
  const { account, user } = await r.accounts.find({ id: userId }, []);
  // Custom users have other ids, and no user object.
  if (account === null || user === null)
    throw new ServiceError(304, { detail: "There is no user with an account of this id." });
  return userOf(account, user, await administrationRightsByUser(r, [account]));
}

function userOf(
  { userId, loginName, disabled, email }: Pick<ListedAccount, "userId" | "loginName" | "disabled" | "email">,
  user: StoredObject | undefined,
  rightsByUser: ReadonlyMap<ObjectId, AdministrationRights>,
): AdministeredUser {
  const rights = rightsByUser.get(userId) ?? null;
  const attributes = user?.attributes ?? {};
  const { Description: description } = attributes;
  return {
    userId,
    name: loginName,
    description: typeof description === "string" ? description : null,
    enabled: !disabled,
    administrator: rights !== null,
    rights,
    email,
    groups: idsOf(attributes, "Groups"),
  };
}

/** Creates a user. Refusals: see `createUser`. 713: it has rights of administrators, and the caller has lost all rights. */
export async function createAdministeredUser(
  context: AdministratorContext & Uses<PasswordServices>,
  input: CreateUserInput,
): Promise<Versioned<AdministeredUser>> {
  const userId = await context.unit.transaction(async (r) => {
    const inside = { ...context, r };
    if (input.rights !== null) await requireOwnRights(inside);
    return addUser(inside, input);
  });
  return findAdministeredUser(context, userId);
}

/** The members to change. */
export type UserChange = RightsRequest & {
  readonly [Member in keyof Omit<AdministeredUser, "userId" | keyof RightsRequest>]?:
    | AdministeredUser[Member]
    | undefined;
};

export interface ChangeUserInput {
  readonly userId: string;
  readonly change: UserChange;
  readonly expectedVersions: readonly number[];
}

/**
 * Changes a user, with the hooks of the user object. Takes effect with the next request of the user. 304: unknown user.
 * 307: a change that takes the own access, a taken name, an invalid value or an unknown group. 713: another version.
 */
export async function changeUser(
  context: AdministratorContext & Uses<ObjectServices>,
  { userId, change, expectedVersions }: ChangeUserInput,
): Promise<Versioned<AdministeredUser>> {
  const concernsAccess = [change.enabled, change.administrator, change.rights].some((each) => each !== undefined);
  const takesAccess = change.enabled === false || requestedRights(change, "all") !== "all";
  if (takesAccess && userId === context.principal.userId)
    throw new ServiceError(307, { detail: "Administrators cannot take their own access." });
  return replaceIfMatch(context, {
    resource: `user ${userId}`,
    expectedVersions,
    read: (r) => readUser(r, userId),
    write: async (inside, current) => {
      if (concernsAccess) await requireOwnRights(inside);
      await changeFound(inside, current, { ...change, rights: requestedRights(change, current.rights) });
    },
  });
}

async function changeFound(
  context: AdministratorContext & Uses<ObjectServices>,
  current: AdministeredUser,
  { rights, ...change }: Omit<UserChange, keyof RightsRequest> & Pick<AdministeredUser, "rights">,
): Promise<void> {
  const { r, eventOf } = context;
  const { userId } = current;
  const attributes = attributesOf(change);
  // First, as it may wait for writers of objects.
  if (Object.keys(attributes).length > 0) {
    const input = { attributes, expectedVersions: null, serialization: { type: "oid" } } as const;
    await updateObject(context, { kind: "id", id: userId }, input);
  }
  const account = { id: userId };
  if (change.email !== undefined && change.email !== current.email)
    await setUserEmail(context, { name: account, email: change.email });
  if (change.enabled !== undefined && change.enabled !== current.enabled)
    await setUserDisabled(context, { name: account, disabled: !change.enabled });
  if (rights !== current.rights) await changeRights(context, current, rights);
  if (Object.keys(attributes).length > 0) {
    const changes = changesBetween(profileOf(current), profileOf(await readUser(r, userId)));
    await r.audit.append(eventOf({ type: "account.changed", subjectId: userId, changes }));
  }
}

async function changeRights(
  { r, database, unit, eventOf }: AdministratorContext,
  { userId, name, rights: former }: AdministeredUser,
  rights: AdministrationRights | null,
): Promise<void> {
  const administrator = rights === "all";
  const changed = await takeAccess(
    { r, database, now: await database.clock.now(unit) },
    {
      users: administrator ? [] : [userId],
      change: () => r.accounts.change(userId, { administrator }),
      refusal: new ServiceError(307, { detail: "The last administrator with all rights keeps them." }),
    },
  );
  if (!changed) throw new ServiceError(304, { detail: `There is no user "${name}".` });
  await keepLimitedRights(r, userId, rights);
  const loses = rights === null || former === "all";
  const gains = former === null || rights === "all";
  const type = loses ? "account.demoted" : gains ? "account.promoted" : "account.changed";
  const changes = changesBetween(auditedRights(former), auditedRights(rights));
  await r.audit.append(eventOf({ type, subjectId: userId, changes }));
}

/** The audited properties that the user object has. */
function profileOf({ name, description, groups }: AdministeredUser): object {
  return { name, description, groups };
}

function attributesOf({ name, description, groups }: UserChange): InputAttributes {
  return {
    ...(name === undefined ? {} : { Name: name }),
    ...(description === undefined ? {} : { Description: description }),
    ...(groups === undefined ? {} : { Groups: [...groups] }),
  };
}

/**
 * Serializes changes of administrators, and throws 713 if the caller has lost all rights: the request can have waited since
 * its admission. Callers cannot take their own, so one administrator with all rights always remains. The operator has no access
 * to lose.
 */
async function requireOwnRights({ r, principal }: AdministratorContext): Promise<void> {
  await serialize(r, "administrators");
  if (isOperator(principal)) return;
  const { account } = await r.accounts.find({ id: principal.userId }, []);
  if (account?.administrator !== true || account.disabled)
    throw new ServiceError(713, { detail: "Another administrator took your access." });
}

export interface AdministeredGroup {
  readonly groupId: ObjectId;
  readonly name: string;
  readonly description: string | null;
}

const groupClass = "UserGroup";
const userClass = "User";

/** Lists at most `limit` user groups after a number of them, by id. */
export async function listGroups(
  { r }: Pick<AdministrationContext, "r">,
  { offset, limit, search }: { readonly offset: number; readonly limit: number } & Search,
): Promise<AdministeredGroup[]> {
  const filter = search === null ? {} : { filter: nameContains(search) };
  const { objects } = await r.objects.find({ classes: [groupClass], ...filter }, seesAll, { offset, limit });
  return objects.map(groupOf);
}

export async function findGroup(
  { r, database }: Pick<AdministrationContext, "r" | "database">,
  groupId: string,
): Promise<Versioned<AdministeredGroup>> {
  const content = await readGroup(r, groupId);
  return { content, version: contentVersion(content, database.digests) };
}

async function readGroup({ objects }: Repositories, groupId: string): Promise<AdministeredGroup> {
  const [object] = isObjectId(groupId) ? await objects.get([groupId], seesAll) : [];
  if (object?.className !== groupClass) throw new ServiceError(304, { detail: "There is no user group of this id." });
  return groupOf(object);
}

function groupOf({ id, attributes }: StoredObject): AdministeredGroup {
  const { Name: name, Description: description } = attributes;
  return {
    groupId: id,
    name: typeof name === "string" ? name : "",
    description: typeof description === "string" ? description : null,
  };
}

export interface GroupInput {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

/** Creates and changes user groups, with the hooks of their objects. */
export async function createGroup(
  context: AdministratorContext & Uses<ObjectServices>,
  input: GroupInput,
): Promise<Versioned<AdministeredGroup>> {
  const groupId = await inTransaction(context, async (inside) => {
    const { object } = await createObject(inside, groupClass, attributesOf(input), { type: "oid" });
    const { groupId: id, ...group } = await readGroup(inside.r, object["~ObjectID"]);
    const changes = changesBetween(null, group);
    await inside.r.audit.append(inside.eventOf({ type: "group.created", className: groupClass, changes }));
    return id;
  });
  return findGroup(context, groupId);
}

/** Unknown group: 304. Another version: 713. */
export function changeGroup(
  context: AdministratorContext & Uses<ObjectServices>,
  {
    groupId,
    change,
    expectedVersions,
  }: Omit<ChangeUserInput, "userId" | "change"> & {
    readonly groupId: string;
    readonly change: GroupInput;
  },
): Promise<Versioned<AdministeredGroup>> {
  return replaceIfMatch(context, {
    resource: `group ${groupId}`,
    expectedVersions,
    read: (r) => readGroup(r, groupId),
    write: async (inside, current) => {
      const input = {
        attributes: attributesOf(change),
        expectedVersions: null,
        serialization: { type: "oid" },
      } as const;
      await updateObject(inside, { kind: "id", id: groupId }, input);
      const changes = changesBetween(current, await readGroup(inside.r, groupId));
      await inside.r.audit.append(inside.eventOf({ type: "group.changed", className: groupClass, changes }));
    },
  });
}
