import type { SessionContext } from "../request/request-context.ts";
import { CallerNames } from "./caller.ts";
import { mayExecute } from "./may-execute.ts";

/** Lists the names of the macros that the caller may execute, in the order of their code units. */
export class ListExecutableMacros {
  async run(context: SessionContext): Promise<readonly string[]> {
    const names = new CallerNames();
    const executable: string[] = [];
    for (const module of (await context.database.macros.current(context)).all()) {
      if (module.kind === "macro" && (await mayExecute(context, module.access, names))) executable.push(module.name);
    }
    return executable.toSorted();
  }
}
