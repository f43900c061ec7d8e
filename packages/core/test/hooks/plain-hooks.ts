import type { ActiveHooks, HookCaller, ObjectHooks } from "../../src/index.ts";

/** Hooks as plain functions, and the context in which they ran. */
export class PlainHooks implements ObjectHooks {
  readonly ignoredErrors: Error[] = [];
  /** How often a slot was prepared, and how many are in use. */
  prepared = 0;
  private active: ActiveHooks | null = null;

  use(hooks: Partial<Omit<ActiveHooks, "prepared">>): void {
    const none: readonly never[] = [];
    const empty = {
      buildSerialization: none,
      findObjects: none,
      beforeSave: none,
      afterSave: none,
      beforeDelete: none,
      afterDelete: none,
      createUserProvider: none,
      authenticate: null,
    };
    this.active = {
      ...empty,
      ...hooks,
      prepared: (context, work) => {
        this.prepared += 1;
        return work(context);
      },
    };
  }

  current(): ActiveHooks | null {
    return this.active;
  }

  ignored(_caller: HookCaller, error: Error): void {
    this.ignoredErrors.push(error);
  }
}
