import { ServiceError } from "../../errors/index.ts";
import type { MacroExecution } from "../../macros/index.ts";
import type { Model } from "../../model/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type { JsonValue, Principal, Session, StoredObject } from "../../storage/index.ts";
import { fullPlan, withUuid } from "../object-plan.ts";
import { ObjectSerializer } from "../object-serializer.ts";
import type { Sight } from "../serialization-source.ts";

/** On whose behalf a hook runs: of a request with a session, or of one that is about to get one. */
export interface HookCaller extends AppKeyContext {
  readonly principal: Principal;
  readonly session?: Session | null;
  readonly execution?: MacroExecution;
  /** How many hooks have led to this, one inside of the other; not set outside of hooks. */
  readonly hookDepth?: number;
}

export type Members = Readonly<Record<string, JsonValue>>;

/** What a hook did to the members of an object that it was given. */
export interface MemberChanges {
  readonly set: Members;
  readonly removed: readonly string[];
}

/** The members that it may set. The others are the server's. */
export function isOpenMember(name: string): boolean {
  return !name.startsWith("~") && name !== "__proto__";
}

/** Changes members as a hook did. Meta-fields stay as they are, whatever it did to them. */
export function changeMembers(members: Record<string, unknown>, { set, removed }: MemberChanges): void {
  for (const name of removed) if (isOpenMember(name)) delete members[name];
  for (const name of Object.keys(set)) if (isOpenMember(name)) members[name] = set[name];
}

/** What a hook did cannot be gone on with: 710. The reason is for the log. */
export function hookFailure(name: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError(710, { detail: `The hook ${name} ${reason}`, cause });
}

/** Does what a hook has asked for with the caller's rights: what is refused of it is the hook's failure, not the caller's. */
export async function onBehalfOf<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500)
      throw hookFailure(name, `asked for what cannot be done: ${error.detail ?? error.message}`, error);
    throw error;
  }
}

/** Hooks that run because of what another hook does, and so on. */
const deepest = 8;

/** The context of what a hook does: 710 when too many hooks have called one another. */
export function deeper<Context extends HookCaller>(context: Context): Context {
  const hookDepth = (context.hookDepth ?? 0) + 1;
  if (hookDepth > deepest)
    throw new ServiceError(710, { detail: `More than ${deepest} hooks run inside of one another.` });
  return { ...context, hookDepth };
}

/** The names of the classes whose objects a hook concerns: its own, and those below them. */
export function concernedClasses(
  { classes }: { readonly classes: readonly string[] },
  model: Model,
): ReadonlySet<string> {
  return new Set(classes.flatMap((name) => model.find(name)?.subtree ?? []));
}

export function concerning<H extends { readonly classes: readonly string[] }>(
  hooks: readonly H[],
  className: string,
  model: Model,
): readonly H[] {
  return hooks.filter((hook) => concernedClasses(hook, model).has(className));
}

/** Objects as hooks of writes see them: what the caller sees, references as meta-fields. `known`: already read. */
export async function rawMembers(
  { r, database }: HookCaller,
  { model, visibility }: Sight,
  objects: readonly StoredObject[],
  known: readonly StoredObject[] = [],
): Promise<readonly Members[]> {
  if (objects.length === 0) return [];
  // It is no answer: how much there is of it the batches see to.
  const source = {
    objects: r.objects,
    visibility,
    storeTime: database.storeTime,
    answerBytes: Number.MAX_SAFE_INTEGER,
  };
  return (await new ObjectSerializer(source, withUuid(fullPlan(model, 0))).serialize(
    objects,
    known,
  )) as unknown as readonly Members[];
}
