import { explained, type Finding, seesAll, ServiceError, type StoredObject } from "@sallyport/storage";
import { isMacroName, type Macro, type MacroAccess } from "../macros/index.ts";
import { requestMacros, type SessionContext } from "../request/index.ts";

export interface Caller {
  readonly userId: string;
  readonly administrator: boolean;
  readonly appNames: readonly string[];
  /** Database name as in log-in answers. */
  readonly database: string;
  /** Empty if not requested. */
  readonly name: string;
  readonly groups: readonly CallerGroup[];
}

export interface CallerGroup {
  readonly id: string;
  readonly name: string;
}

/** Names of the caller and the caller's groups. Loaded on first use, once per execution. */
export class CallerNames {
  private principals: readonly StoredObject[] | undefined;

  /** The caller's user groups. `context`: the current one, possibly inside a transaction. */
  async groups(context: SessionContext): Promise<readonly CallerGroup[]> {
    const names = new Map((await this.objects(context)).map((object) => [object.id, nameOf(object)]));
    return context.principal.groups.flatMap((id) => (names.has(id) ? { id, name: names.get(id) ?? "" } : []));
  }

  /** The caller, with names if `named`. */
  async caller(context: SessionContext, named: boolean): Promise<Caller> {
    const { principal, session, database } = context;
    const { userId, administrator } = principal;
    const identity = { userId, administrator, appNames: session.appNames, database: database.name };
    if (!named) return { ...identity, name: "", groups: [] };
    const user = (await this.objects(context)).find(({ id }) => id === userId);
    return { ...identity, name: user === undefined ? "" : nameOf(user), groups: await this.groups(context) };
  }

  private async objects({ r, principal }: SessionContext): Promise<readonly StoredObject[]> {
    return (this.principals ??= await r.objects.get([principal.userId, ...principal.groups], seesAll));
  }
}

function nameOf({ attributes }: StoredObject): string {
  const { Name: name } = attributes;
  return typeof name === "string" ? name : "";
}

/** Whether the caller has access. Administrators always do. */
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

/** The macro to execute. 400: invalid name. 710: no such macro, a hook, or a broken module. 401: no access. */
export async function accessibleMacro(context: SessionContext, name: string, names: CallerNames): Promise<Macro> {
  if (!isMacroName(name)) throw new ServiceError(400);
  const macro = (await requestMacros(context)).find(name);
  if (macro === undefined) throw new ServiceError(710, { detail: "There is no macro with this name." });
  if (macro.kind === "hook") throw new ServiceError(710, { detail: "The module is a hook, not a macro." });
  if (macro.kind === "broken") throw new ServiceError(710, { detail: "The macro failed to load.", cause: macro.fault });
  if (!(await mayExecute(context, macro.access, names)))
    throw explained(
      new ServiceError(401),
      accessFinding(`May the user execute the macro ${macro.name}?`, macro.access),
    );
  return macro;
}

/** Which groups and app names a macro is for. */
export function accessFinding(asked: string, access: MacroAccess | null): Finding {
  if (access === null) return { asked, found: "No: only administrators may." };
  const [groups, apps] = [access.groups, access.apps].map((each) =>
    each === null ? "all" : each.join(", ") || "none",
  );
  return { asked, found: `No. It is for the groups: ${groups}; and for the app names: ${apps}.` };
}
