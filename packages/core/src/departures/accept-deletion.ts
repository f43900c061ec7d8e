import type { Digest } from "../digests/digest.ts";
import type { Sight } from "../objects/serialization-source.ts";
import type { Principal } from "../rights/principal.ts";
import type { Repositories } from "../storage/repositories.ts";
import { guardUsers } from "./guard-users.ts";
import type { HeldObject } from "./held-object.ts";
import { refuseGroupsWithRights } from "./refuse-groups-with-rights.ts";
import { type ThoseWhoGo, thoseWhoGo } from "./those-who-go.ts";

export interface DeletionBy extends Sight {
  readonly principal: Principal;
  readonly session: Digest;
  readonly recycled: boolean;
}

/** What a deletion takes along, if nothing keeps it from going: users for those who are no administrators 404, otherwise 718. */
export async function acceptDeletion(
  { departures }: Pick<Repositories, "departures">,
  held: HeldObject,
  { model, visibility, principal, session, recycled }: DeletionBy,
): Promise<Pick<ThoseWhoGo, "going" | "losing">> {
  const { going, losing, refusal } = await thoseWhoGo(held, {
    departures,
    model,
    known: model.as(principal),
    visibility,
    session,
    recycled,
  });
  guardUsers(going, { model, principal });
  if (refusal !== null) throw refusal;
  refuseGroupsWithRights(going, { model, visibility });
  return { going, losing };
}
