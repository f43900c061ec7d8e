import type { ActiveHooks } from "../hooks/active-hooks.ts";
import { DeletionHooks } from "../hooks/deletion-hooks.ts";
import { hookFailure } from "../hooks/hook-failure.ts";
import type { Model } from "../model/model.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Sight } from "../objects/serialization-source.ts";
import { inTransaction } from "../request/in-transaction.ts";
import type { SessionContext } from "../request/request-context.ts";
import { acceptDeletion } from "./accept-deletion.ts";
import { heldFirst } from "./held-first.ts";
import { removeThose } from "./remove-those.ts";

export interface HookedDeletion {
  readonly sight: Sight;
  /** The model for hooks, filtered by the rights of the caller. */
  readonly known: Model;
  readonly recycled: boolean;
  readonly expectedVersions: readonly number[] | null;
}

/** How often what hooks do may take more along. */
const mostRounds = 8;

/** Deletes an object with hooks, in one transaction with what they do; what that takes along, too, is told them before it goes. */
export function deleteWithHooks(
  active: ActiveHooks,
  context: SessionContext,
  id: ObjectId,
  { sight, known, recycled, expectedVersions }: HookedDeletion,
): Promise<void> {
  const { principal, sessionDigest: session, database } = context;
  const { model } = sight;
  return active.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { r } = inside;
      const hooks = new DeletionHooks(active, { ...sight, model: known });
      let held = await heldFirst(r, id, { model, expectedVersions });
      for (let round = 1; ; round += 1) {
        const those = await acceptDeletion(r, held, { ...sight, principal, session, recycled });
        if (!(await hooks.before(inside, those.going))) {
          await removeThose(r, those, { model, principal, database, recycled, leader: id });
          return hooks.after(inside, those.going);
        }
        if (round > mostRounds) throw hookFailure("of a deletion", "takes along more and more.");
        const [now] = await r.departures.hold([id], { modelGeneration: model.generation });
        // A hook has deleted it already.
        if (now === undefined) return undefined;
        held = now;
      }
    }),
  );
}
