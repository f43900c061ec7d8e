import type { AdministrationContext } from "../request/index.ts";
import { restartSync } from "../sync/index.ts";

/** The means of a storage to continue after transactions were lost. Each step is idempotent. */
export interface StorageRecovery {
  /** Whether the database waits for a recovery. */
  isPending(): Promise<boolean>;
  /**
   * Prevents that anything of the lost time is used twice. Ends the sessions of secure mode, or of all modes. Skips
   * object ids, change stamps, versions of records, generations of the model and the settings, and numbers of messages
   * and audit events.
   */
  skip(sessions: "secure" | "all"): Promise<void>;
  /** Lets the servers use the database. They notice it within a second. */
  accept(): Promise<void>;
}

export interface RecoverDatabaseInput {
  /** Recovers a database that does not wait for it, such as a restored copy. */
  readonly force: boolean;
  /** The caller knows that no transaction was lost: accepts the database as it is. */
  readonly nothingLost: boolean;
  readonly sessions: "secure" | "all";
}

/** Continues after transactions were lost. Can be repeated after a failure: servers use the database after the last step. */
export async function recoverDatabase(
  context: Pick<AdministrationContext, "unit" | "eventOf">,
  storage: StorageRecovery,
  { force, nothingLost, sessions }: RecoverDatabaseInput,
): Promise<"recovered" | "accepted" | "nothing"> {
  const { unit, eventOf } = context;
  if (!force && !(await storage.isPending())) return "nothing";
  if (!nothingLost) {
    await storage.skip(sessions);
    await restartSync(context);
  }
  const type = nothingLost ? "database.accepted" : "database.recovered";
  await unit.transaction((r) => r.audit.append(eventOf({ type })));
  await storage.accept();
  return nothingLost ? "accepted" : "recovered";
}
