import { type RandomSource, randomUuid } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { isRefusalCode } from "../../macros/index.ts";
import { mailAddress } from "../../mail/index.ts";
import type { AskedLogIn, Hook, HookCaller, ObjectHooks } from "../../objects/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import {
  type Account,
  confusableKeyOf,
  isObjectId,
  isStorableText,
  type JsonValue,
  loginNameOf,
  type ObjectId,
  unattendedPrincipal,
} from "../../storage/index.ts";
import type { PasswordHasher } from "../accounts/verify-password.ts";
import { mapCustomAccount } from "./custom-accounts.ts";
import {
  type CustomCredentials,
  mappedPerson,
  type ProveCustomUser,
  type ProvenCustomUser,
} from "./verify-custom-password.ts";

const nothing = async (): Promise<void> => {};

/**
 * Has the hook `xRestApi_Authenticate` say who custom users are, where there is one, and otherwise somebody else. The hook runs as an
 * administrator, because there is nobody yet whose rights it could have, and can do nothing but read. When it fails: 710.
 */
export class AskAuthenticator implements ProveCustomUser {
  constructor(
    private readonly hooks: ObjectHooks,
    private readonly keep: KeepAuthenticatedUser,
    private readonly otherwise: ProveCustomUser,
  ) {}

  async prepare(
    context: AppKeyContext,
    credentials: CustomCredentials,
  ): Promise<() => Promise<ProvenCustomUser | null>> {
    const caller = { ...context, principal: unattendedPrincipal };
    const active = await this.hooks.current(caller);
    const hook = active?.authenticate ?? null;
    return hook === null ? this.otherwise.prepare(context, credentials) : () => this.prove(caller, hook, credentials);
  }

  private async prove(
    caller: HookCaller,
    hook: Hook<AskedLogIn, JsonValue | undefined>,
    { user, pass, appNames, links }: CustomCredentials,
  ): Promise<ProvenCustomUser | null> {
    // Nobody can have such a name, whatever the hook takes it for.
    if (!isStorableText(user)) return null;
    const found = authenticatedUser(await answerOf(() => hook.run(caller, { user, pass, appNames })), user);
    if (found === null) return null;
    const { r } = caller;
    if ((await r.accounts.find({ id: found.userId }, [])).account === null)
      throw unusable("names a user who is not there or cannot log in");
    const account = await this.keep.keepAuthenticatedUser(caller, found);
    if (account === null) throw unusable("has a name that looks like that of another custom user");
    const person = await mappedPerson(r.accounts, account, links);
    return person && { person, afterwards: nothing };
  }
}

/** A refusal in other words than `null` is the hook's failure: what it says with codes is about something else than log-ins. */
async function answerOf<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 710 || !isRefusalCode(error.code)) throw error;
    throw new ServiceError(710, {
      detail: `The hook xRestApi_Authenticate refuses with ${error.code}: only null refuses a log-in.`,
      cause: error,
    });
  }
}

/** Whom the hook takes somebody for. */
interface AuthenticatedUser {
  readonly userId: ObjectId;
  /** Unicode NFC. */
  readonly loginName: string;
  readonly email: string | null;
}

const longestName = 1_024;
const known: ReadonlySet<string> = new Set(["userId", "name", "email"]);

/** Reads what the hook `xRestApi_Authenticate` gave: `null` for somebody it refuses. The sandbox is not believed: what is neither is 710. */
function authenticatedUser(given: JsonValue | undefined, user: string): AuthenticatedUser | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== "object" || Array.isArray(given)) throw unusable("is neither null nor a user");
  const members = new Map(Object.entries(given as { readonly [name: string]: JsonValue }));
  for (const name of members.keys()) if (!known.has(name)) throw unusable("has members that a user does not have");
  const [userId, name, email] = [members.get("userId"), members.get("name") ?? user, members.get("email") ?? null];
  if (typeof userId !== "string" || !isObjectId(userId))
    throw unusable("names no user: userId is the ~ObjectID of one");
  if (typeof name !== "string" || name.trim() === "" || name.length > longestName || !isStorableText(name))
    throw unusable("has a name that is none");
  const address = typeof email === "string" ? mailAddress(email) : null;
  if (email !== null && address === null) throw unusable("has an e-mail address that is none");
  return { userId, loginName: loginNameOf(name), email: address };
}

/** The hook can be neither believed nor taken for a refusal. */
function unusable(reason: string): ServiceError {
  return new ServiceError(710, { detail: `What the hook xRestApi_Authenticate gave ${reason}.` });
}

/** Keeps an account for users whom the hook accepts, for administrators to see and disable. Its password is unknown. */
export class KeepAuthenticatedUser {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly random: RandomSource,
  ) {}

  /** The account as it is now; `null` if its name looks like that of another one. */
  async keepAuthenticatedUser(context: AppKeyContext, found: AuthenticatedUser): Promise<Account | null> {
    const account = (await this.find(context, found.loginName)) ?? (await this.create(context, found));
    if (account === null || (account.userId === found.userId && account.email === found.email)) return account;
    await this.change(context, account, found);
    return (await context.r.accounts.find({ id: account.id }, [])).account;
  }

  private async find({ r }: AppKeyContext, loginName: string): Promise<Account | null> {
    return (await r.accounts.find({ realm: "custom", loginName }, [])).account;
  }

  private async create(
    context: AppKeyContext,
    { loginName, userId, email }: AuthenticatedUser,
  ): Promise<Account | null> {
    const secret = await this.hasher.hash(this.random.secret());
    const account = { id: randomUuid(this.random), loginName, userId, email, secret };
    await context.database.storage.transaction(async (r) => {
      if ((await r.accounts.create(account, confusableKeyOf(loginName))) === "nameTaken") return;
      await r.audit.append(logInEvent(context, { type: "customUser.stored", outcome: 0, userId }));
    });
    // Another log-in may have been faster.
    return this.find(context, loginName);
  }

  private change(context: AppKeyContext, { id, userId, email }: Account, found: AuthenticatedUser): Promise<void> {
    return context.database.storage.transaction(async (r) => {
      if (email !== found.email) await r.accounts.change(id, { email: found.email });
      if (userId !== found.userId) {
        await mapCustomAccount(r, id, found.userId);
        await r.sessions.end({ customAccountId: id });
      }
      await r.audit.append(logInEvent(context, { type: "customUser.stored", outcome: 0, userId: found.userId }));
    });
  }
}

/** Whether a hook decides who custom users are, so that their passwords are kept elsewhere. */
export async function isAskedElsewhere(hooks: ObjectHooks, caller: HookCaller): Promise<boolean> {
  const active = await hooks.current(caller);
  return (active?.authenticate ?? null) !== null;
}
