import { operatorEvent } from "../audit/audit-events.ts";
import type { Database } from "../databases/database.ts";
import type { MacroRemoval } from "./macro-repository.ts";

/** Takes a macro away, for somebody at the command line of the server. Its history stays. */
export class RemoveMacro {
  async run(
    { storage }: Pick<Database, "storage">,
    name: string,
    removal: MacroRemoval,
  ): Promise<"removed" | "stale" | "unknown"> {
    return storage.transaction(async (r) => {
      const outcome = await r.macros.remove(name, removal);
      if (outcome === "removed") await r.audit.append(operatorEvent({ type: "macro.removed", macroName: name }));
      return outcome;
    });
  }
}
