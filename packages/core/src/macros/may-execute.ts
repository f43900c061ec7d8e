import type { SessionContext } from "../request/request-context.ts";
import type { CallerNames } from "./caller.ts";
import type { MacroAccess } from "./macro.ts";

/** Whether the caller is among those who have access. Administrators always are. */
export async function mayExecute(
  context: SessionContext,
  access: MacroAccess | null,
  names: CallerNames,
): Promise<boolean> {
  if (context.principal.administrator) return true;
  if (access === null) return false;
  const { groups, apps } = access;
  if (apps !== null && !apps.some((app) => context.session.appNames.includes(app))) return false;
  if (groups === null) return true;
  const own = new Set((await names.groups(context)).map(({ name }) => name));
  return groups.some((group) => own.has(group));
}
