import { ServiceError } from "../errors/service-error.ts";
import type { AskedLogIn, Hook } from "../hooks/active-hooks.ts";
import type { HookCaller } from "../hooks/hook-caller.ts";
import type { ObjectHooks } from "../hooks/object-hooks.ts";
import { isRefusalCode } from "../macros/refusal-code.ts";
import type { JsonValue } from "../objects/stored-object.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import { unattendedPrincipal } from "../rights/unattended-principal.ts";
import { isStorableText } from "../storage/storable-text.ts";
import { authenticatedUser, unusable } from "./authenticated-user.ts";
import type { KeepAuthenticatedUser } from "./keep-authenticated-user.ts";
import { mappedPerson } from "./mapped-person.ts";
import type { CustomCredentials, ProveCustomUser, ProvenCustomUser } from "./prove-custom-user.ts";

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
    if ((await r.accounts.byUser(found.userId, [])).account === null)
      throw unusable("names a user who is not there or cannot log in");
    const account = await this.keep.run(caller, found);
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
