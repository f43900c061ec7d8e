import type { StorageRecovery } from "@sallyport/storage";
import type { AdministrationContext } from "../request/index.ts";
import { restartSync } from "../sync/index.ts";

export interface RecoverDatabaseInput {
  /** Recovers a database that does not wait for it, such as a restored copy. */
  readonly force: boolean;
  /** The caller knows that no transaction was lost: accepts the database as it is. */
  readonly nothingLost: boolean;
  readonly sessions: "secure" | "all";
}

/**
 * Continues after transactions were lost. Can be repeated after a failure: servers use the database after the last step.
 * `nothing`: the database does not wait for a recovery. `changed`: the timeline of the database server has changed since the
 * start, and the recovery must be repeated.
 */
export async function recoverDatabase(
  context: Pick<AdministrationContext, "unit" | "eventOf">,
  storage: StorageRecovery,
  { force, nothingLost, sessions }: RecoverDatabaseInput,
): Promise<"recovered" | "accepted" | "nothing" | "changed"> {
  const { unit, eventOf } = context;
  const { timeline, isPending } = await storage.look();
  if (!force && !isPending) return "nothing";
  if (!nothingLost) {
    await storage.skip(sessions);
    await restartSync(context);
  }
  const type = nothingLost ? "database.accepted" : "database.recovered";
  await unit.transaction((r) => r.audit.append(eventOf({ type })));
  // The steps can have run on another server than the one that a failover has just made the primary.
  if (!(await storage.accept(timeline))) return "changed";
  return nothingLost ? "accepted" : "recovered";
}
