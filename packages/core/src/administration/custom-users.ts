import {
  findCustomUser,
  type ListedCustomUser,
  mapCustomUser,
  setCustomUserDisabled,
  setCustomUserEmail,
} from "../access/index.ts";
import type { AdministrationContext } from "../request/index.ts";
import type { AccountId, ObjectId } from "@sallyport/storage";
import type { AdministratorContext } from "./administrators.ts";
import { contentVersion, replaceIfMatch, type Versioned } from "./replace-if-match.ts";

export async function findAdministeredCustomUser(
  context: Pick<AdministrationContext, "r" | "database">,
  id: AccountId,
): Promise<Versioned<ListedCustomUser>> {
  const content = await findCustomUser(context, { id });
  return { content, version: contentVersion(content, context.database.digests) };
}

export interface ChangeCustomUserInput {
  readonly id: AccountId;
  readonly change: {
    readonly enabled?: boolean | undefined;
    readonly email?: string | null | undefined;
    readonly userId?: ObjectId | undefined;
  };
  readonly expectedVersions: readonly number[];
}

/** Changes a custom user. Unknown custom user, or unknown mapped user: 304. Another version: 713. Invalid address: 307. */
export function changeAdministeredCustomUser(
  context: AdministratorContext,
  { id, change: { enabled, email, userId }, expectedVersions }: ChangeCustomUserInput,
): Promise<Versioned<ListedCustomUser>> {
  const name = { id };
  return replaceIfMatch(context, {
    resource: `custom user ${id}`,
    expectedVersions,
    read: (r) => findCustomUser({ r }, name),
    write: async (inside, current) => {
      if (email !== undefined && email !== current.email) await setCustomUserEmail(inside, { name, email });
      if (userId !== undefined && userId !== current.userId)
        await mapCustomUser(inside, { name, user: { id: userId } });
      if (enabled !== undefined && enabled === current.disabled)
        await setCustomUserDisabled(inside, { name, disabled: !enabled });
    },
  });
}
