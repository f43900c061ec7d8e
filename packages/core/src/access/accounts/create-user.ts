import {
  type AccountId,
  type AccountRepository,
  confusableKeyOf,
  isObjectId,
  type ListedAccount,
  loginNameOf,
  type NewAccount,
  type ObjectId,
  type ObjectRepository,
  type PageRequest,
  randomUuid,
  type Realm,
  seesAll,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import { acceptMailAddress } from "../../mail/index.ts";
import { userName, UserNames } from "../../objects/index.ts";
import {
  type AdministrationContext,
  changesBetween,
  type ClientHash,
  type Uses,
  type Database,
} from "../../request/index.ts";
import { type AdministrationRights, auditedRights, keepLimitedRights } from "./administration-rights.ts";
import { type NewPassword, newPasswordText } from "./passwords.ts";
import type { PasswordServices } from "../passwords/password-policy.ts";

export interface CreateAccountInput extends Omit<NewAccount, "id" | "secret">, NewPassword {
  readonly realm: Realm;
  readonly clientHash: ClientHash;
}

interface AccountContext extends Uses<Pick<PasswordServices, "hasher" | "random">> {
  readonly database: Pick<Database, "digests">;
}

/**
 * Creates the credentials of a `User` object, or a custom user that is mapped to one. Returns the account id. Throws
 * 307 if the name is taken in the realm or confusable with a taken name.
 */
export async function createAccount(
  context: AccountContext,
  accounts: AccountRepository,
  { realm, password, passwordDigest, clientHash, ...account }: CreateAccountInput,
): Promise<AccountId> {
  const secret = await context.services.hasher.hash(
    newPasswordText({ password, passwordDigest }, clientHash, context.database.digests),
  );
  const loginName = loginNameOf(account.loginName);
  const id = realm === "custom" ? randomUuid(context.services.random) : account.userId;
  const outcome = await accounts.create({ ...account, id, loginName, secret }, confusableKeyOf(loginName));
  if (outcome === "nameTaken") {
    const name = realm === "custom" ? "name of the custom user" : "user name";
    throw new ServiceError(307, { detail: `The ${name} is in use, or too similar to one in use.` });
  }
  return id;
}

export interface CreateUserInput extends NewPassword {
  readonly name: string;
  readonly description?: string | undefined;
  /** `null`: no administrator. */
  readonly rights: AdministrationRights | null;
  readonly email: string | null;
  readonly groups: readonly string[];
  readonly createsGroups: boolean;
  /** Ids of further groups. */
  readonly groupIds?: readonly ObjectId[];
}

interface UserContext extends Omit<AdministrationContext, "unit">, Uses<Omit<PasswordServices, "settings">> {}

/** Returns the user id. Refused password: 320. Taken or confusable name, or invalid e-mail address: 307. Unknown group: 304. */
export async function createUser(
  context: UserContext & Pick<AdministrationContext, "unit">,
  input: CreateUserInput,
): Promise<ObjectId> {
  return context.unit.transaction((r) => addUser({ ...context, r }, input));
}

/** As `createUser`, in an open transaction. */
export async function addUser(
  context: UserContext,
  { name, description, rights, groups, createsGroups, groupIds = [], ...input }: CreateUserInput,
): Promise<ObjectId> {
  const { database, r, eventOf } = context;
  const { password, passwordDigest } = input;
  const { policy, digests } = database;
  const { clientHash } = policy;
  const loginName = userName(name);
  const email = input.email === null ? null : acceptMailAddress(input.email);
  context.services.passwordPolicy.accept({ password, passwordDigest }, clientHash);
  const named = await findGroups(r.objects, groups, createsGroups);
  const Groups = [...new Set([...named, ...(await acceptGroups(r.objects, groupIds))])];
  const attributes = { Name: loginName, ...(description === undefined ? {} : { Description: description }), Groups };
  const [user] = await r.objects.insert([{ className: "User", attributes, links: { Groups } }]);
  if (user === undefined) throw new ServiceError(799, { detail: "The user could not be created." });
  const { id: userId } = user;
  // Hashing inside the transaction holds the connection. User creation is too rare for this to matter.
  const administrator = rights === "all";
  const account = { userId, loginName, password, passwordDigest, administrator, clientHash, email };
  await createAccount(context, r.accounts, { ...account, realm: "database" });
  if (rights !== null) await keepLimitedRights(r, userId, rights);
  await new UserNames(r.records, digests).reserve({ id: userId, name: loginName });
  const changes = changesBetween(null, {
    name: loginName,
    description,
    email,
    ...auditedRights(rights),
    groups: Groups,
  });
  await r.audit.append(eventOf({ type: "account.created", subjectId: userId, changes }));
  return userId;
}

/** Returns the ids of the named user groups. Missing groups are created if `creates` is set. Otherwise throws 304. */
export async function findGroups(
  objects: ObjectRepository,
  names: readonly string[],
  creates: boolean,
): Promise<ObjectId[]> {
  if (names.length === 0) return [];
  const existing = new Map((await allGroups(objects)).map(({ id, attributes }) => [attributes["Name"], id]));
  const missing = [...new Set(names)].filter((name) => !existing.has(name));
  if (missing.length > 0 && !creates) {
    const list = missing.map((name) => `"${name}"`).join(", ");
    throw new ServiceError(304, { detail: `There is no user group ${list}.` });
  }
  const made = await objects.insert(missing.map((name) => ({ className: "UserGroup", attributes: { Name: name } })));
  for (const { id, attributes } of made) existing.set(attributes["Name"], id);
  return [...new Set(names)].map((name) => existing.get(name)).filter((id) => id !== undefined);
}

/** Throws 307 unless all ids are those of user groups. */
export async function acceptGroups(objects: ObjectRepository, ids: readonly ObjectId[]): Promise<readonly ObjectId[]> {
  const groups = ids.length === 0 ? [] : await objects.get(ids.filter(isObjectId), seesAll);
  const groupIds = new Set(groups.filter(({ className }) => className === "UserGroup").map(({ id }) => id));
  const missing = ids.find((id) => !groupIds.has(id));
  if (missing === undefined) return ids;
  throw new ServiceError(307, { detail: `There is no user group with the id ${missing}.` });
}

export interface ListedUser extends ListedAccount {
  readonly groups: readonly string[];
}

/** Lists at most `limit` accounts of users, disabled ones included, in the order of `AccountRepository.list`. */
export async function listUsers(
  { r: { accounts, objects } }: Pick<AdministrationContext, "r">,
  { after, limit }: PageRequest,
): Promise<ListedUser[]> {
  const listed = await accounts.list("database", after, limit);
  const groupNames = new Map((await allGroups(objects)).map(({ id, attributes }) => [id, String(attributes["Name"])]));
  const userObjects = await objects.get(
    listed.map(({ userId }) => userId),
    seesAll,
  );
  const users = new Map(userObjects.map((user) => [user.id, user]));
  return listed.map((account) => {
    const groups = users.get(account.userId)?.attributes["Groups"];
    const ids = Array.isArray(groups) ? groups : [];
    return { ...account, groups: ids.flatMap((id) => groupNames.get(String(id)) ?? []) };
  });
}

const pageSize = 500;

/** Reads all user groups of the database, regardless of access rights. */
async function allGroups(objects: ObjectRepository): Promise<StoredObject[]> {
  const groups: StoredObject[] = [];
  let page: readonly StoredObject[];
  do {
    ({ objects: page } = await objects.find({ classes: ["UserGroup"] }, seesAll, {
      offset: groups.length,
      limit: pageSize,
    }));
    groups.push(...page);
  } while (page.length === pageSize);
  return groups;
}
