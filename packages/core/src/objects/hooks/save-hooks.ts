import type { ModelClass } from "../../model/index.ts";
import type { StoredObject } from "@sallyport/storage";
import type { InputAttributes } from "../attributes/accept-attributes.ts";
import type { ResolvedAttributes } from "../attributes/resolve-links.ts";
import type { ReadScope } from "../serialization/serialization-source.ts";
import { prepareAttributes } from "../prepare-attributes.ts";
import type { ActiveHooks, HookCaller, MemberChanges, Members, ObjectContext, SavedItem } from "./active-hooks.ts";
import { concernedClasses, concerning, deeper, isOpenMember, onBehalfOf, rawMembers } from "./hook-caller.ts";

export type AcceptChange = (className: string, set: Members) => void;

/** Save hooks. They run in the transaction of the write. */
export class SaveHooks {
  constructor(
    private readonly active: ActiveHooks,
    private readonly readScope: ReadScope,
  ) {}

  prepared<T>(context: ObjectContext, work: (context: ObjectContext) => Promise<T>): Promise<T> {
    return this.active.prepared(context, work);
  }

  /** The attributes to write after all hooks. 710 if a hook sets an attribute that the caller may not write. */
  async before(
    context: ObjectContext,
    saves: readonly HookedSave[],
    accept: AcceptChange = () => {},
  ): Promise<readonly ResolvedAttributes[]> {
    const prepared = saves.map((save) => save.prepared);
    for (const hook of this.active.beforeSave) {
      const indexes = this.concerned(hook, saves);
      if (indexes.length === 0) continue;
      const inside = deeper(context);
      const concerned = indexes.map(
        (index): HookedSave => ({ ...(saves[index] as HookedSave), prepared: prepared[index] as ResolvedAttributes }),
      );
      const changes = await hook.run(inside, await this.items(inside, concerned, concerned.map(expected)));
      const cache = new Map<string, ResolvedAttributes>();
      for (const [at, index] of indexes.entries()) {
        const [save, change] = [concerned[at] as HookedSave, changes[at] ?? null];
        if (change !== null)
          prepared[index] = await onBehalfOf(hook.name, () => this.changed(context, save, change, { accept, cache }));
      }
    }
    return prepared;
  }

  /** Passes the written objects to hooks, in the order of the saves. */
  async after(context: ObjectContext, saves: readonly HookedSave[], objects: readonly StoredObject[]): Promise<void> {
    for (const hook of this.active.afterSave) {
      const indexes = this.concerned(hook, saves);
      if (indexes.length === 0) continue;
      const inside = deeper(context);
      const [concerned, written] = [
        indexes.map((index) => saves[index] as HookedSave),
        indexes.map((index) => objects[index] as StoredObject),
      ];
      await hook.run(inside, await this.items(inside, concerned, written));
    }
  }

  private concerned(hook: { readonly classes: readonly string[] }, saves: readonly HookedSave[]): readonly number[] {
    const classes = concernedClasses(hook, this.readScope.model);
    return saves.flatMap(({ className }, index) => (classes.has(className) ? [index] : []));
  }

  private async items(
    context: ObjectContext,
    saves: readonly HookedSave[],
    objects: readonly StoredObject[],
  ): Promise<readonly SavedItem[]> {
    const knownObjects = saves.flatMap(({ prepared }) => prepared.targets);
    const former = saves.flatMap(({ base, restoring }) => (base === null || restoring ? [] : [base]));
    const [shown, previous] = [
      await rawMembers(context, this.readScope, objects, knownObjects),
      await rawMembers(context, this.readScope, former, knownObjects),
    ];
    const byBase = new Map(former.map((base, index) => [base, previous[index] as Members]));
    return saves.map(({ base, input }, index) => ({
      object: objects[index]?.id === "" ? withoutIdentity(shown[index] as Members) : (shown[index] as Members),
      previous: (base === null ? undefined : byBase.get(base)) ?? null,
      given: input,
    }));
  }

  private async changed(
    context: ObjectContext,
    { className, restoring, prepared }: HookedSave,
    { set, removed }: MemberChanges,
    { accept, cache }: { accept: AcceptChange; cache: Map<string, ResolvedAttributes> },
  ): Promise<ResolvedAttributes> {
    const members: Members = Object.fromEntries(Object.entries(set).filter(([name]) => isOpenMember(name)));
    const key = JSON.stringify([className, members]);
    const { model, visibility } = this.readScope;
    const modelClass = model.find(className) as ModelClass;
    accept(className, members);
    const more =
      cache.get(key) ??
      (await prepareAttributes(context, members, { model, modelClass, visibility, isComplete: false }));
    cache.set(key, more);
    // A restoration needs all of its prepared attributes, so removals are ignored.
    const dropped = new Set(restoring ? [] : removed);
    return {
      attributes: { ...without(prepared.attributes, dropped), ...more.attributes },
      links: { ...without(prepared.links, dropped), ...more.links },
      targets: [...prepared.targets, ...more.targets],
    };
  }
}

/** The object as it will be stored, as far as known. */
function expected({ className, base, prepared: { attributes } }: HookedSave): StoredObject {
  const { id = "", uuid = "", storedAt = 0, version = 0, readers = null } = base ?? {};
  return { id, uuid, className, storedAt, version, readers, attributes: { ...base?.attributes, ...attributes } };
}

function withoutIdentity({ "~ObjectID": _id, "~UUID": _uuid, "~StoreTime": _time, ...members }: Members): Members {
  return members;
}

function without<T>(members: Readonly<Record<string, T>>, names: ReadonlySet<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}

export interface HookedSave {
  readonly className: string;
  /** The stored object before the change; `null` for a new object. */
  readonly base: StoredObject | null;
  readonly restoring: boolean;
  readonly input: InputAttributes;
  readonly prepared: ResolvedAttributes;
}

/** The save hooks for these classes; `null` if there are none. */
export async function hooksOfSaves(
  caller: HookCaller,
  classNames: Iterable<string>,
  readScope: ReadScope,
): Promise<SaveHooks | null> {
  const active = await caller.services.objectHooks.current(caller);
  if (active === null) return null;
  const hooks = [...active.beforeSave, ...active.afterSave];
  if (hooks.length === 0) return null;
  for (const className of classNames)
    if (concerning(hooks, className, readScope.model).length > 0) return new SaveHooks(active, readScope);
  return null;
}
