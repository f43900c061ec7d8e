import { ServiceError, type StoredObject } from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import { fullPlan, withUuid } from "../serialization/object-plan.ts";
import { ObjectSerializer } from "../serialization/object-serializer.ts";
import type { ReadScope } from "../serialization/serialization-source.ts";
import type { HookCaller, MemberChanges, Members } from "./active-hooks.ts";

/** Whether a hook may set the member. Only the server sets the others. */
export function isOpenMember(name: string): boolean {
  return !name.startsWith("~") && name !== "__proto__";
}

/** Applies the changes of a hook. Meta-fields stay unchanged. */
export function changeMembers(members: Record<string, unknown>, { set, removed }: MemberChanges): void {
  for (const name of removed) if (isOpenMember(name)) delete members[name];
  for (const name of Object.keys(set)) if (isOpenMember(name)) members[name] = set[name];
}

/** 710 for an unusable result of a hook. The reason goes to the log. */
export function hookFailure(name: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError(710, { detail: `The hook ${name} ${reason}`, cause });
}

/** Runs a request of a hook with the caller's rights. A refusal becomes a failure of the hook (710), not of the caller. */
export async function onBehalfOf<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500)
      throw hookFailure(name, `made an invalid request: ${error.detail ?? error.message}`, error);
    throw error;
  }
}

/** Maximum nesting depth of hooks. */
const maxDepth = 8;

/** The context one level deeper; 710 beyond the maximum depth. */
export function deeper<Context extends HookCaller>(context: Context): Context {
  const hookDepth = (context.hookDepth ?? 0) + 1;
  if (hookDepth > maxDepth)
    throw new ServiceError(710, { detail: `Hooks are nested more than ${maxDepth} levels deep.` });
  return { ...context, hookDepth };
}

/** Names of the hook's classes and their subclasses. */
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

/** Objects in the form for write hooks: visible data, references as meta-fields. `knownObjects`: objects already read. */
export async function rawMembers(
  { r, database }: HookCaller,
  { model, visibility }: ReadScope,
  objects: readonly StoredObject[],
  knownObjects: readonly StoredObject[] = [],
): Promise<readonly Members[]> {
  if (objects.length === 0) return [];
  // Not an answer, so no size limit: callers limit their batches.
  const source = {
    objects: r.objects,
    visibility,
    storeTime: database.storeTime,
    answerBytes: Number.MAX_SAFE_INTEGER,
  };
  return (await new ObjectSerializer(source, withUuid(fullPlan(model, 0))).serialize(
    objects,
    knownObjects,
  )) as unknown as readonly Members[];
}
