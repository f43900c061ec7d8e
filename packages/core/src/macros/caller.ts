import type { StoredObject } from "../objects/stored-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { seesAll } from "../rights/visibility.ts";

/** Who executes a macro, in the words that modules are told. */
export interface Caller {
  readonly userId: string;
  readonly administrator: boolean;
  readonly appNames: readonly string[];
  /** The name of the database, as log-ins answer it. */
  readonly database: string;
  /** Empty where it was not asked for. */
  readonly name: string;
  readonly groups: readonly CallerGroup[];
}

export interface CallerGroup {
  readonly id: string;
  readonly name: string;
}

/** The names of the caller and of the caller's groups: looked up once in an execution, and not before somebody asks. */
export class CallerNames {
  private asked: readonly StoredObject[] | undefined;

  /** The user groups that the caller is in. `context`: that of now, whose transaction may be open. */
  async groups(context: SessionContext): Promise<readonly CallerGroup[]> {
    const found = new Map((await this.objects(context)).map((object) => [object.id, nameOf(object)]));
    return context.principal.groups.flatMap((id) => (found.has(id) ? { id, name: found.get(id) ?? "" } : []));
  }

  /** The caller; with names, if they are wanted. */
  async caller(context: SessionContext, named: boolean): Promise<Caller> {
    const { principal, session, database } = context;
    const { userId, administrator } = principal;
    const known = { userId, administrator, appNames: session.appNames, database: database.name };
    if (!named) return { ...known, name: "", groups: [] };
    const user = (await this.objects(context)).find(({ id }) => id === userId);
    return { ...known, name: user === undefined ? "" : nameOf(user), groups: await this.groups(context) };
  }

  private async objects({ r, principal }: SessionContext): Promise<readonly StoredObject[]> {
    return (this.asked ??= await r.objects.get([principal.userId, ...principal.groups], seesAll));
  }
}

function nameOf({ attributes }: StoredObject): string {
  const { Name: name } = attributes;
  return typeof name === "string" ? name : "";
}
