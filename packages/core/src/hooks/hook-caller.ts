import type { MacroExecution } from "../macros/macro-execution.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { Principal } from "../rights/principal.ts";
import type { Session } from "../sessions/session.ts";

/** On whose behalf a hook runs: of a request with a session, or of one that is about to get one. */
export interface HookCaller extends AppKeyContext {
  readonly principal: Principal;
  readonly session?: Session | null;
  readonly execution?: MacroExecution;
  /** How many hooks have led to this, one inside of the other; not set outside of hooks. */
  readonly hookDepth?: number;
}
