import type { JsonValue } from "../../objects/stored-object.ts";
import type { SessionContext } from "../../request/request-context.ts";

/** One thing that modules can ask for. Judges its argument before anything is done. */
export interface HostAction {
  /** Whether it needs the transaction of the execution, which begins with it. */
  writes(argument: JsonValue): boolean;
  run(context: SessionContext, argument: JsonValue): Promise<JsonValue | undefined>;
}
