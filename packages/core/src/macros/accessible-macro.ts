import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import type { CallerNames } from "./caller.ts";
import type { Macro } from "./macro.ts";
import { isMacroName } from "./macro-name.ts";
import { mayExecute } from "./may-execute.ts";

/**
 * The macro of this name, for those who may execute it. A name that can be none: 400; one of nothing, of a hook or of a broken
 * module: 710; without access: 401.
 */
export async function accessibleMacro(context: SessionContext, name: string, names: CallerNames): Promise<Macro> {
  if (!isMacroName(name)) throw new ServiceError(400);
  const found = (await context.database.macros.current(context)).find(name);
  if (found === undefined) throw new ServiceError(710, { detail: "There is no such macro." });
  if (found.kind === "hook") throw new ServiceError(710, { detail: "It is a hook, and no macro." });
  if (found.kind === "broken") throw new ServiceError(710, { detail: "The macro is broken.", cause: found.fault });
  if (!(await mayExecute(context, found.access, names))) throw new ServiceError(401);
  return found;
}
