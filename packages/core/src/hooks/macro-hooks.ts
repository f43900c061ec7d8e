import { ServiceError } from "../errors/service-error.ts";
import { macroFailure } from "../macros/macro-failure.ts";
import type { CalledHook } from "../macros/macro.ts";
import type { RequestForms } from "../macros/host/request-forms.ts";
import type { MacroReports, RanHook } from "../macros/macro-reports.ts";
import type { MacroRunner } from "../macros/macro-runner.ts";
import type { MacroSet } from "../macros/macro-set.ts";
import type { JsonValue } from "../objects/stored-object.ts";
import type { HookEvent } from "./accept-hook.ts";
import type { ActiveHooks, AskedLogIn, Hook } from "./active-hooks.ts";
import { asSession } from "./as-session.ts";
import type { HookCaller } from "./hook-caller.ts";
import { concealed, withoutSecret } from "./concealed.ts";
import { hookFailure } from "./hook-failure.ts";
import type { ObjectHooks } from "./object-hooks.ts";
import { changesFrom, chosenFrom } from "./sandbox-answers.ts";

/** How hooks of one kind are called in the sandbox. */
interface Calling<Given, Answer> {
  readonly on: HookEvent;
  readonly driver: string;
  /** Whether they may do nothing but read. */
  readonly reads: boolean;
  readonly argument: (given: Given) => object;
  /** What may stand in no log. */
  readonly conceal?: (given: Given) => string;
  /** Judges what comes back. */
  readonly answer: (name: string, result: JsonValue | undefined, given: Given) => Answer;
}

const ofItems = (items: readonly unknown[]) => ({ items });
const changes = (name: string, result: JsonValue | undefined, items: readonly unknown[]) =>
  changesFrom(name, result, items.length);
const nothing = (): void => {};

/** What could not stand in the body of a write is the hook's failure. */
function acceptBody(name: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw hookFailure(name, "sets what no body may hold.", error);
  }
}

/** Hooks that are modules of the macro library of a database. */
export class MacroHooks implements ObjectHooks {
  private runner: Promise<MacroRunner> | undefined;
  private readonly known = new WeakMap<MacroSet, { readonly active: ActiveHooks | null }>();

  constructor(
    /** It and the use cases that call hooks need each other: asked for when the first hook runs. */
    private readonly makeRunner: () => Promise<MacroRunner>,
    private readonly reports: Pick<MacroReports, "ignored" | "ranHook">,
    private readonly forms: Pick<RequestForms, "checkJson">,
  ) {}

  current(caller: HookCaller): ActiveHooks | null | Promise<ActiveHooks | null> {
    const set = caller.database.macros.current(caller);
    return set instanceof Promise ? set.then((each) => this.of(each)) : this.of(set);
  }

  ignored({ requestId, database }: HookCaller, error: Error): void {
    this.reports.ignored({ requestId, alias: database.alias, error });
  }

  private ready(): Promise<MacroRunner> {
    return (this.runner ??= this.makeRunner());
  }

  private of(set: MacroSet): ActiveHooks | null {
    const known = this.known.get(set) ?? { active: set.hooks.length === 0 ? null : this.activate(set.hooks) };
    this.known.set(set, known);
    return known.active;
  }

  private activate(modules: readonly CalledHook[]): ActiveHooks {
    const toBeSaved: typeof changes = (name, result, items) => {
      const changed = changes(name, result, items);
      for (const { set } of changed.flatMap((each) => each ?? [])) acceptBody(name, () => this.forms.checkJson(set));
      return changed;
    };
    const telling = { reads: false, argument: ofItems, answer: nothing };
    return {
      buildSerialization: this.hooks(modules, {
        on: "xRestApi_BuildSerialization",
        driver: "buildSerialization",
        reads: true,
        argument: ofItems,
        answer: changes,
      }),
      findObjects: this.hooks(modules, {
        on: "xRestApi_FindObjects",
        driver: "findObjects",
        reads: true,
        argument: (set) => set,
        answer: chosenFrom,
      }),
      beforeSave: this.hooks(modules, {
        on: "beforeSave",
        driver: "beforeSave",
        reads: false,
        argument: ofItems,
        answer: toBeSaved,
      }),
      afterSave: this.hooks(modules, { ...telling, on: "afterSave", driver: "afterSave" }),
      beforeDelete: this.hooks(modules, { ...telling, on: "beforeDelete", driver: "beforeDelete" }),
      afterDelete: this.hooks(modules, { ...telling, on: "afterDelete", driver: "afterDelete" }),
      authenticate:
        this.hooks(modules, {
          on: "xRestApi_Authenticate",
          driver: "authenticate",
          reads: true,
          conceal: ({ pass }: AskedLogIn) => pass,
          argument: (asked) => asked,
          answer: (_name, result) => result,
        })[0] ?? null,
      createUserProvider: this.hooks(modules, {
        on: "xRestApi_DBCreateInit_xRestApiUserProvider",
        driver: "createUserProvider",
        reads: false,
        argument: (user) => user,
        answer: (_name, result) => result,
      }),
      prepared: async (context, work, options) => (await this.ready()).withPlace(context, work, options),
    };
  }

  private hooks<Given, Answer>(
    modules: readonly CalledHook[],
    calling: Calling<Given, Answer>,
  ): (Hook<Given, Answer> & { readonly byDefault: boolean })[] {
    return modules
      .filter((module) => module.hook.on === calling.on)
      .map((module) => ({
        name: module.name,
        classes: module.hook.classes,
        byDefault: module.hook.byDefault,
        run: (caller, given) => this.run(module, calling, caller, given),
      }));
  }

  private async run<Given, Answer>(
    module: CalledHook,
    { on, driver, reads, argument, conceal, answer }: Calling<Given, Answer>,
    caller: HookCaller,
    given: Given,
  ): Promise<Answer> {
    const runner = await this.ready();
    const concealing = conceal === undefined ? undefined : concealed(conceal(given));
    const began = Date.now();
    const tell = (code: RanHook["code"]): void =>
      this.reports.ranHook({
        alias: caller.database.alias,
        hook: module.name,
        on,
        code,
        milliseconds: Date.now() - began,
      });
    try {
      if (module.kind === "broken") throw module.fault;
      const { result } = await runner.runHook(
        asSession(caller),
        module,
        driver,
        argument(given) as Record<string, JsonValue>,
        { reads, concealing },
      );
      const answered = answer(module.name, result, given);
      tell(0);
      return answered;
    } catch (error) {
      const failure = macroFailure(concealing === undefined ? error : withoutSecret(error, concealing));
      tell(failure instanceof ServiceError ? failure.code : 799);
      throw failure;
    }
  }
}
