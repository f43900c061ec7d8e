import { ServiceError } from "../errors/index.ts";
import { visibilityOf } from "../model/index.ts";
import {
  deeper,
  type HookCaller,
  type Members,
  type ObjectHooks,
  type ProviderUser,
  rawMembers,
} from "../objects/index.ts";
import { inTransaction, requestModel } from "../request/index.ts";
import type { ObjectId, StoredObject } from "../storage/index.ts";

export interface NewProviderUser extends Omit<ProviderUser, "userObject"> {
  readonly userId: ObjectId;
}

/**
 * Asks the hook `xRestApi_DBCreateInit_xRestApiUserProvider` about a user object of an external provider that was made just now, in one
 * transaction in which nobody else writes it. Its answer 0, and no hook: `accepted`. A positive number: `assigned`, the hook has bound it to
 * a user itself. A negative one, and what is no whole number: 324, and what the hook wrote is undone. A hook that fails: 710.
 */
export class AcceptProviderUser {
  constructor(private readonly hooks: ObjectHooks) {}

  async run(caller: HookCaller, { userId, ...given }: NewProviderUser): Promise<"accepted" | "assigned"> {
    const active = await this.hooks.current(caller);
    const [hook] = active?.createUserProvider ?? [];
    if (active === null || hook === undefined) return "accepted";
    const model = (await requestModel(caller)).as(caller.principal);
    const sight = { model, visibility: visibilityOf(caller.principal, model) };
    return active.prepared(caller, (ready) =>
      inTransaction(ready, async (inside) => {
        await inside.r.objects.hold([userId]);
        const [user] = (await inside.r.objects.get([userId], sight.visibility)) as [StoredObject?];
        if (user === undefined) throw new ServiceError(304);
        const [userObject] = (await rawMembers(inside, sight, [user])) as [Members];
        const answer = await hook.run(deeper(inside), { ...given, userObject });
        if (typeof answer !== "number" || !Number.isSafeInteger(answer) || answer < 0)
          throw new ServiceError(324, { detail: `The hook ${hook.name} refuses the user.` });
        return answer === 0 ? "accepted" : "assigned";
      }),
    );
  }
}
