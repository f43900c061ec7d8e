import type { ObjectId, ObjectOutline } from "@sallyport/storage";
import { batches } from "../batches.ts";
import type { ReadScope } from "../serialization/serialization-source.ts";
import type { ActiveHooks, DeletedItem, HookCaller, Members, ObjectContext } from "./active-hooks.ts";
import { concernedClasses, deeper, rawMembers } from "./hook-caller.ts";

/** Batch size of a hook call. */
const batchSize = { items: 200, bytes: 1024 * 1024 };

/** Deletion hooks for one object and its deletion set. One instance per attempt of a transaction. */
export class DeletionHooks {
  /** Objects already passed to hooks, in their state at that time. */
  private readonly items = new Map<ObjectId, DeletedItem>();

  constructor(
    private readonly active: ActiveHooks,
    private readonly readScope: ReadScope,
  ) {}

  /** Passes objects that hooks have not yet seen to the `beforeDelete` hooks. Returns whether there were any. */
  async before(context: ObjectContext, objects: readonly ObjectOutline[]): Promise<boolean> {
    const all = [...this.active.beforeDelete, ...this.active.afterDelete];
    const concerned = new Set(all.flatMap((hook) => [...concernedClasses(hook, this.readScope.model)]));
    const unknown = objects.filter(({ id, className }) => concerned.has(className) && !this.items.has(id));
    for (const batch of batches(unknown, ({ bytes }) => bytes, batchSize)) await this.readItems(context, batch);
    await this.runHooks(this.active.beforeDelete, context, unknown);
    return unknown.length > 0;
  }

  after(context: ObjectContext, deleted: readonly ObjectOutline[]): Promise<void> {
    return this.runHooks(this.active.afterDelete, context, deleted);
  }

  private async runHooks(
    hooks: ActiveHooks["beforeDelete"],
    context: ObjectContext,
    objects: readonly ObjectOutline[],
  ): Promise<void> {
    for (const hook of hooks) {
      const classes = concernedClasses(hook, this.readScope.model);
      const concerned = objects.filter(({ id, className }) => classes.has(className) && this.items.has(id));
      for (const batch of batches(concerned, ({ bytes }) => bytes, batchSize)) {
        await hook.run(
          deeper(context),
          batch.map(({ id }) => this.items.get(id) as DeletedItem),
        );
      }
    }
  }

  private async readItems(context: ObjectContext, outlines: readonly ObjectOutline[]): Promise<void> {
    const { r, database } = context;
    const objects = await r.objects.get(
      outlines.map(({ id }) => id),
      this.readScope.visibility,
      Number.MAX_SAFE_INTEGER,
    );
    const members = await rawMembers(context, this.readScope, objects);
    const seen = new Map(objects.map(({ id }, index) => [id, members[index] as Members]));
    for (const { id, uuid, className, storedAt } of outlines) {
      const object = seen.get(id) ?? {
        "~ClassName": className,
        "~ObjectID": id,
        "~UUID": uuid,
        "~StoreTime": database.storeTime.format(storedAt),
      };
      this.items.set(id, { object });
    }
  }
}

/** The current hooks if there are deletion hooks; else `null`. */
export async function hooksOfDeletions(caller: HookCaller): Promise<ActiveHooks | null> {
  const active = await caller.services.objectHooks.current(caller);
  return active === null || active.beforeDelete.length + active.afterDelete.length === 0 ? null : active;
}
