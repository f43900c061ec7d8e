import type { Digests } from "../digests/digests.ts";
import type { Model } from "../model/model.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Principal } from "../rights/principal.ts";
import type { Repositories } from "../storage/repositories.ts";
import { removeUsers } from "./remove-users.ts";
import type { ThoseWhoGo } from "./those-who-go.ts";

export interface Removal {
  readonly model: Model;
  readonly principal: Principal;
  readonly digests: Digests;
  readonly recycled: boolean;
  /** The one that takes the others along. */
  readonly leader: ObjectId;
}

/** Lets objects go that are held, and takes what the others lose. */
export async function removeThose(r: Repositories, { going, losing }: Pick<ThoseWhoGo, "going" | "losing">, { model, principal, digests, recycled, leader }: Removal): Promise<void> {
  await removeUsers(r, going, { model, principal, digests });
  if (losing.length > 0) await r.departures.clear(losing);
  await r.departures.depart(going.map(({ id }) => id), { recycled, leader });
}
