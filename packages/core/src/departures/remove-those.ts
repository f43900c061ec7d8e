import type { Database } from "../databases/database.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Principal } from "../rights/principal.ts";
import type { Repositories } from "../storage/repositories.ts";
import { removeUsers } from "./remove-users.ts";
import type { ThoseWhoGo } from "./those-who-go.ts";

export interface Removal {
  readonly model: Model;
  readonly principal: Principal;
  readonly database: Pick<Database, "digests" | "policy">;
  readonly recycled: boolean;
  /** The one that takes the others along. */
  readonly leader: ObjectId;
}

/** Lets objects go that are held, and takes what the others lose. 718 when the caller would have too many in the recycle bin. */
export async function removeThose(
  r: Repositories,
  { going, losing }: Pick<ThoseWhoGo, "going" | "losing">,
  { model, principal, database: { digests, policy }, recycled, leader }: Removal,
): Promise<void> {
  await removeUsers(r, going, { model, principal, digests });
  if (losing.length > 0) await r.departures.clear(losing);
  const quota = policy.objects.recycledPerUser;
  const outcome = await r.departures.depart(
    going.map(({ id }) => id),
    { recycled, leader, deletedBy: principal.userId, quota },
  );
  if (outcome === "full")
    throw new ServiceError(718, {
      detail: `A user can have ${quota} objects in the recycle bin: purge others first, or delete it for good.`,
    });
}
