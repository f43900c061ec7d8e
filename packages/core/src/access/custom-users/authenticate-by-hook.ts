import {
  type Account,
  confusableKeyOf,
  isObjectId,
  isStorableText,
  type JsonValue,
  loginNameOf,
  type ObjectId,
  randomUuid,
  ServiceError,
  systemPrincipal,
} from "@sallyport/storage";
import { isRefusalCode } from "../../macros/index.ts";
import { mailAddress } from "../../mail/index.ts";
import type { CustomLogIn, Hook, HookCaller, ObjectServices } from "../../objects/index.ts";
import { type AppKeyContext, changesBetween, appKeyEvent, type Uses } from "../../request/index.ts";
import { mapCustomAccount } from "./pending-passwords.ts";
import {
  type CustomCredentials,
  mappedUser,
  type ProvenCustomUser,
  prepareCustomPasswordProof,
} from "./verify-custom-password.ts";
import type { LogInServices } from "../gate/gate.ts";

const nothing = async (): Promise<void> => {};

/**
 * Authenticates custom users with the hook `xRestApi_Authenticate`, or by their password if there is no hook. The hook
 * runs read-only with administrator rights, as no user is authenticated yet. A failure of the hook: 710.
 */
export async function prepareCustomProof(
  context: AppKeyContext & Uses<ObjectServices & Pick<LogInServices, "hasher" | "random">>,
  credentials: CustomCredentials,
): Promise<() => Promise<ProvenCustomUser | null>> {
  const caller = { ...context, principal: systemPrincipal };
  const active = await context.services.objectHooks.current(caller);
  const hook = active?.authenticate ?? null;
  return hook === null
    ? prepareCustomPasswordProof(context, credentials)
    : () => proveByHook(caller, hook, credentials);
}

async function proveByHook(
  caller: HookCaller & Uses<Pick<LogInServices, "hasher" | "random">>,
  hook: Hook<CustomLogIn, JsonValue | undefined>,
  { user, pass, appNames, links }: CustomCredentials,
): Promise<ProvenCustomUser | null> {
  // A name that cannot be stored belongs to no user, even if the hook accepts it.
  if (!isStorableText(user)) return null;
  const hookUser = authenticatedUser(await answerOf(() => hook.run(caller, { user, pass, appNames })), user);
  if (hookUser === null) return null;
  const { r } = caller;
  if ((await r.accounts.find({ id: hookUser.userId }, [])).account === null)
    throw unusable("names a user that does not exist or has no account");
  const account = await storeAuthenticatedUser(caller, hookUser);
  if (account === null) throw unusable("has a name that is too similar to that of another custom user");
  const authenticated = await mappedUser(r.accounts, account, links);
  return authenticated && { authenticated, afterwards: nothing };
}

/** Turns a refusal code of the hook into 710. Its codes do not apply to log-ins: only `null` refuses one. */
async function answerOf<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 710 || !isRefusalCode(error.code)) throw error;
    throw new ServiceError(710, {
      detail: `The hook xRestApi_Authenticate refused with ${error.code}. It must return null to refuse a log-in.`,
      cause: error,
    });
  }
}

/** The custom user that the hook returns. */
interface AuthenticatedUser {
  readonly userId: ObjectId;
  /** In Unicode NFC. */
  readonly loginName: string;
  readonly email: string | null;
}

const maxNameLength = 1_024;
const memberNames: ReadonlySet<string> = new Set(["userId", "name", "email"]);

/** Validates the untrusted result of the hook `xRestApi_Authenticate`. `null` refuses the log-in. An invalid result: 710. */
function authenticatedUser(answer: JsonValue | undefined, user: string): AuthenticatedUser | null {
  if (answer === undefined || answer === null) return null;
  if (typeof answer !== "object" || Array.isArray(answer)) throw unusable("is neither null nor an object");
  const members = new Map(Object.entries(answer as { readonly [name: string]: JsonValue }));
  for (const name of members.keys()) if (!memberNames.has(name)) throw unusable("has unknown members");
  const [userId, name, email] = [members.get("userId"), members.get("name") ?? user, members.get("email") ?? null];
  if (typeof userId !== "string" || !isObjectId(userId))
    throw unusable("has an invalid userId, which must be the ~ObjectID of a user");
  if (typeof name !== "string" || name.trim() === "" || name.length > maxNameLength || !isStorableText(name))
    throw unusable("has an invalid name");
  const address = typeof email === "string" ? mailAddress(email) : null;
  if (email !== null && address === null) throw unusable("has an invalid e-mail address");
  return { userId, loginName: loginNameOf(name), email: address };
}

/** The error for an invalid result of the hook. */
function unusable(reason: string): ServiceError {
  return new ServiceError(710, { detail: `The result of the hook xRestApi_Authenticate ${reason}.` });
}

/**
 * Stores an account for users that the hook accepts, so that administrators can see and disable it. Its password is
 * random. Returns the current account, or `null` if the name is confusable with another custom user's.
 */
export async function storeAuthenticatedUser(
  context: AppKeyContext & Uses<Pick<LogInServices, "hasher" | "random">>,
  hookUser: AuthenticatedUser,
): Promise<Account | null> {
  const account =
    (await findCustomAccount(context, hookUser.loginName)) ?? (await createCustomAccount(context, hookUser));
  if (account === null || (account.userId === hookUser.userId && account.email === hookUser.email)) return account;
  await changeCustomAccount(context, account, hookUser);
  return (await context.r.accounts.find({ id: account.id }, [])).account;
}

async function findCustomAccount({ r }: AppKeyContext, loginName: string): Promise<Account | null> {
  return (await r.accounts.find({ realm: "custom", loginName }, [])).account;
}

async function createCustomAccount(
  context: AppKeyContext & Uses<Pick<LogInServices, "hasher" | "random">>,
  { loginName, userId, email }: AuthenticatedUser,
): Promise<Account | null> {
  const secret = await context.services.hasher.hash(context.services.random.secret());
  const account = { id: randomUuid(context.services.random), loginName, userId, email, secret };
  await context.database.storage.transaction(async (r) => {
    if ((await r.accounts.create(account, confusableKeyOf(loginName))) === "nameTaken") return;
    const changes = changesBetween(null, { name: loginName, userId, email });
    await r.audit.append(appKeyEvent(context, { type: "customUser.created", outcome: 0, userId, changes }));
  });
  // A concurrent log-in may have created the account.
  return findCustomAccount(context, loginName);
}

function changeCustomAccount(
  context: AppKeyContext,
  { id, userId, email }: Account,
  hookUser: AuthenticatedUser,
): Promise<void> {
  const after = { userId: hookUser.userId, email: hookUser.email };
  const changes = changesBetween({ userId, email }, after);
  return context.database.storage.transaction(async (r) => {
    if (email !== hookUser.email) await r.accounts.change(id, { email: hookUser.email });
    if (userId !== hookUser.userId) {
      await mapCustomAccount(r, id, hookUser.userId);
      await r.sessions.end({ customAccountId: id });
    }
    await r.audit.append(
      appKeyEvent(context, { type: "customUser.changed", outcome: 0, userId: hookUser.userId, changes }),
    );
  });
}

/** Whether a hook authenticates custom users. The server then does not store their passwords. */
export async function hasAuthenticateHook(caller: HookCaller): Promise<boolean> {
  const active = await caller.services.objectHooks.current(caller);
  return (active?.authenticate ?? null) !== null;
}
