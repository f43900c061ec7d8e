import {
  type IdentityLink,
  idsOf,
  type ObjectId,
  passwordSession,
  providerUserClass,
  randomUuid,
  seesAll,
  ServiceError,
  type StoredObject,
  systemPrincipal,
} from "@sallyport/storage";
import { visibilityOf } from "../model/index.ts";
import {
  deeper,
  type HookCaller,
  type Members,
  type ProviderUser,
  rawMembers,
  type ObjectServices,
} from "../objects/index.ts";
import { type AppKeyContext, inTransaction, requestModel, type Uses } from "../request/index.ts";
import type { ProviderProfile } from "./identity-provider.ts";
import type { RegisteredProvider } from "./registered-providers.ts";
import { createLink, printableText, IdentityAlreadyLinkedError } from "./links.ts";
import type { LogInServices } from "../access/index.ts";

export interface NewProviderUser extends Omit<ProviderUser, "userObject"> {
  readonly userId: ObjectId;
}

/**
 * Runs the hook `xRestApi_DBCreateInit_xRestApiUserProvider` for a new provider user object, in one transaction without
 * other writes to it. The result 0, or no hook: `accepted`. Positive: `assigned`, the hook has set a user itself.
 * Negative or no integer: 324, and the writes of the hook are rolled back. A failure of the hook: 710.
 */
export async function acceptProviderUser(
  caller: HookCaller,
  { userId, ...profile }: NewProviderUser,
): Promise<"accepted" | "assigned"> {
  const active = await caller.services.objectHooks.current(caller);
  const [hook] = active?.createUserProvider ?? [];
  if (active === null || hook === undefined) return "accepted";
  const model = (await requestModel(caller)).as(caller.principal);
  const readScope = { model, visibility: visibilityOf(caller.principal, model) };
  return active.prepared(caller, (ready) =>
    inTransaction(ready, async (inside) => {
      await inside.r.objects.lock([userId]);
      const [user] = (await inside.r.objects.get([userId], readScope.visibility)) as [StoredObject?];
      if (user === undefined) throw new ServiceError(304);
      const [userObject] = (await rawMembers(inside, readScope, [user])) as [Members];
      const answer = await hook.run(deeper(inside), { ...profile, userObject });
      if (typeof answer !== "number" || !Number.isSafeInteger(answer) || answer < 0)
        throw new ServiceError(324, { detail: `The hook ${hook.name} refused the user.` });
      return answer === 0 ? "accepted" : "assigned";
    }),
  );
}

/** An authenticated external user whose identity is not linked. */
export interface NewExternalUser {
  readonly registered: RegisteredProvider;
  readonly profile: ProviderProfile;
  readonly appNames: readonly string[];
}

/**
 * Links a new external user to the provider's default user, or to the user that the hook chooses. The object of class
 * `xRestApiUserProvider`, the writes of the hook and the link are one transaction. Throws 324 if the hook refuses, or
 * if the chosen user has no account or a disabled one. Whether the identity is linked now, by this or a concurrent
 * call. `false` if neither a default user nor a hook provides a user.
 */
export async function assignProviderUser(
  context: AppKeyContext & Uses<ObjectServices & Pick<LogInServices, "random">>,
  user: NewExternalUser,
): Promise<boolean> {
  const caller = callerOf(context, user);
  const active = await context.services.objectHooks.current(caller);
  const asks = active !== null && active.createUserProvider.length > 0;
  if (!asks && user.registered.entry.defaultUserId === null) return false;
  const work = (ready: HookCaller & Uses<Pick<LogInServices, "random">>) =>
    inTransaction(ready, (inside) => assign(inside, user));
  try {
    await (asks ? active.prepared(caller, work) : work(caller));
    return true;
  } catch (error) {
    if (error instanceof NoUserAssignedError) return false;
    if (error instanceof IdentityAlreadyLinkedError) return true;
    throw error;
  }
}

async function assign(
  inside: HookCaller & Uses<Pick<LogInServices, "random">>,
  { registered, profile, appNames }: NewExternalUser,
): Promise<void> {
  const { entry, data, provider } = registered;
  const { subject, name, surname, email } = profile;
  const identityAttributes = { Provider: provider.type, Uuid: subject, Name: name, Surname: surname, Email: email };
  const ids = entry.defaultUserId === null ? [] : [entry.defaultUserId];
  const attributes = { ...identityAttributes, User: entry.defaultUserId };
  if (entry.defaultUserId !== null) await requireAccount(inside, entry.defaultUserId);
  const [created] = (await inside.r.objects.insert([
    { className: providerUserClass, attributes, links: { User: ids } },
  ])) as [StoredObject];

  const { type, name: providerName, appNames: ofEntry } = entry;
  const providerConfig = { type, name: providerName, clientId: data["clientId"] ?? "", appNames: ofEntry };
  const newUser = { userId: created.id, providerConfig, userUuid: subject, name, surname, email };
  const answer = await acceptProviderUser(inside, newUser);
  const userId = answer === "assigned" ? await chosenUser(inside, created.id) : entry.defaultUserId;
  // No user was chosen. The caller must link the identity to a user.
  if (userId === null) throw new NoUserAssignedError();
  await requireAccount(inside, userId);

  const link: IdentityLink = {
    id: randomUuid(inside.services.random),
    issuer: profile.issuer,
    subject,
    email: printableText(email),
    displayName: printableText(`${name} ${surname}`),
    provider: provider.type,
    userId,
    shared: true,
  };
  if (!(await createLink(inside, inside.r, link, { appNames, digests: inside.database.digests })))
    throw new IdentityAlreadyLinkedError();
}

/** Runs the hook with the unattended principal, as no user is known yet. The session is a placeholder that holds no locks. */
function callerOf(
  context: AppKeyContext & Uses<ObjectServices & Pick<LogInServices, "random">>,
  { appNames }: NewExternalUser,
): HookCaller & Uses<Pick<LogInServices, "random">> {
  const principal = systemPrincipal;
  const session = passwordSession(context.appKey.id, principal.userId, appNames);
  const opened = {
    session,
    sessionDigest: context.database.digests.sha256(context.services.random.secret()),
    appKeyDigest: "",
    sessionEndedCode: 201,
  } as const;
  return { ...context, ...opened, principal };
}

/** Neither a default user nor the hook provides a user. */
class NoUserAssignedError extends Error {
  override readonly name = "NoUserAssignedError";
}

async function chosenUser({ r }: HookCaller, id: ObjectId): Promise<ObjectId> {
  const [object] = await r.objects.get([id], seesAll);
  const [userId] = idsOf(object?.attributes ?? {}, "User");
  if (userId === undefined)
    throw new ServiceError(324, { detail: "The hook reported an assigned user but did not set one." });
  return userId;
}

async function requireAccount({ r }: HookCaller, userId: ObjectId): Promise<void> {
  const { account } = await r.accounts.find({ id: userId }, []);
  if (account === null || account.disabled)
    throw new ServiceError(324, { detail: "The assigned user has no account, or the account is disabled." });
}
