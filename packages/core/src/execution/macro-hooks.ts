import { type JsonValue, passwordSession, ServiceError } from "@sallyport/storage";
import {
  type CalledHook,
  type HookEvent,
  macroFailure,
  MacroFault,
  MacroRefusal,
  type MacroReports,
  type MacroSet,
  type RanHook,
} from "../macros/index.ts";
import {
  type ActiveHooks,
  type CustomLogIn,
  type FindHookResult,
  type Hook,
  type HookCaller,
  hookFailure,
  type MemberChanges,
  type Members,
  type ObjectHooks,
  type ObjectContext,
} from "../objects/index.ts";
import { requestMacros } from "../request/index.ts";
import type { RequestForms } from "./host-arguments.ts";
import type { MacroRunner } from "./macro-runner.ts";

interface Calling<Input, Answer> {
  readonly on: HookEvent;
  readonly driver: string;
  /** Whether the hooks may only read. */
  readonly isReadOnly: boolean;
  readonly argument: (input: Input) => object;
  /** A secret to remove from logs. */
  readonly secretOf?: (input: Input) => string;
  readonly answer: (name: string, result: JsonValue | undefined, input: Input) => Answer;
}

const ofItems = (items: readonly unknown[]) => ({ items });
const changes = (name: string, result: JsonValue | undefined, items: readonly unknown[]) =>
  changesFrom(name, result, items.length);
const nothing = (): void => {};

/** Invalid body content set by a hook is a failure of the hook. */
function acceptBody(name: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw hookFailure(name, "set a value that a request body cannot contain.", error);
  }
}

/** Hooks in the macro library of a database. */
export class MacroHooks implements ObjectHooks {
  private readonly cache = new WeakMap<MacroSet, { readonly active: ActiveHooks | null }>();

  constructor(
    private readonly runner: MacroRunner,
    private readonly reports: Pick<MacroReports, "ignored" | "ranHook">,
    private readonly forms: Pick<RequestForms, "checkJson">,
  ) {}

  current(caller: HookCaller): ActiveHooks | null | Promise<ActiveHooks | null> {
    const set = requestMacros(caller);
    return set instanceof Promise ? set.then((each) => this.of(each)) : this.of(set);
  }

  ignored({ requestId, database }: HookCaller, error: Error): void {
    this.reports.ignored({ requestId, alias: database.alias, error });
  }

  private of(set: MacroSet): ActiveHooks | null {
    const entry = this.cache.get(set) ?? { active: set.hooks.length === 0 ? null : this.activate(set.hooks) };
    this.cache.set(set, entry);
    return entry.active;
  }

  private activate(modules: readonly CalledHook[]): ActiveHooks {
    const toBeSaved: typeof changes = (name, result, items) => {
      const changed = changes(name, result, items);
      for (const { set } of changed.flatMap((each) => each ?? [])) acceptBody(name, () => this.forms.checkJson(set));
      return changed;
    };
    const reading = { isReadOnly: true, argument: <Input extends object>(input: Input) => input };
    const notifying = { isReadOnly: false, argument: ofItems, answer: nothing };
    const unvalidated = (_name: string, result: JsonValue | undefined) => result;
    const of = <Input, Answer>(on: HookEvent, driver: string, calling: Omit<Calling<Input, Answer>, "on" | "driver">) =>
      this.hooks(modules, { ...calling, on, driver });
    return {
      buildSerialization: of("xRestApi_BuildSerialization", "buildSerialization", {
        isReadOnly: true,
        argument: ofItems,
        answer: changes,
      }),
      findObjects: of("xRestApi_FindObjects", "findObjects", { ...reading, answer: findResultFrom }),
      beforeSave: of("beforeSave", "beforeSave", { ...notifying, answer: toBeSaved }),
      afterSave: of("afterSave", "afterSave", notifying),
      beforeDelete: of("beforeDelete", "beforeDelete", notifying),
      afterDelete: of("afterDelete", "afterDelete", notifying),
      authenticate:
        of("xRestApi_Authenticate", "authenticate", {
          ...reading,
          secretOf: ({ pass }: CustomLogIn) => pass,
          answer: unvalidated,
        })[0] ?? null,
      createUserProvider: of("xRestApi_DBCreateInit_xRestApiUserProvider", "createUserProvider", {
        ...reading,
        isReadOnly: false,
        answer: unvalidated,
      }),
      prepared: (context, work, options) => this.runner.withLease(context, work, options),
    };
  }

  private hooks<Input, Answer>(
    modules: readonly CalledHook[],
    calling: Calling<Input, Answer>,
  ): (Hook<Input, Answer> & { readonly byDefault: boolean })[] {
    return modules
      .filter((module) => module.hook.on === calling.on)
      .map((module) => ({
        name: module.name,
        classes: module.hook.classes,
        byDefault: module.hook.byDefault,
        run: (caller, input) => this.run(module, calling, caller, input),
      }));
  }

  private async run<Input, Answer>(
    module: CalledHook,
    { on, driver, isReadOnly, argument, secretOf, answer }: Calling<Input, Answer>,
    caller: HookCaller,
    request: Input,
  ): Promise<Answer> {
    const mask = secretOf === undefined ? undefined : maskOf(secretOf(request));
    const began = Date.now();
    const labels = { alias: caller.database.alias, hook: module.name, on };
    const report = (code: RanHook["code"]): void =>
      this.reports.ranHook({ ...labels, code, milliseconds: Date.now() - began });
    try {
      if (module.kind === "broken") throw module.fault;
      const input = argument(request) as Record<string, JsonValue>;
      const { result } = await this.runner.runHook(asSession(caller), module, driver, input, {
        isReadOnly,
        mask,
      });
      const answered = answer(module.name, result, request);
      report(0);
      return answered;
    } catch (error) {
      const failure = macroFailure(mask === undefined ? error : withoutSecret(error, mask));
      report(failure instanceof ServiceError ? failure.code : 799);
      throw failure;
    }
  }
}

/** The caller with a session. A log-in has none yet and gets a placeholder with an empty digest, which cannot own locks. */
function asSession(caller: HookCaller): ObjectContext {
  const { session, appKey, principal } = caller;
  if (session !== undefined && session !== null) return caller as HookCaller & ObjectContext;
  const opening = passwordSession(appKey.id, principal.userId, []);
  return { ...caller, session: opening, sessionDigest: "", appKeyDigest: "", sessionEndedCode: 201 };
}

/** Masks a secret in texts, also in its JSON-escaped form. */
function maskOf(secret: string): (text: string) => string {
  const spellings = [secret, JSON.stringify(secret).slice(1, -1)].filter((spelling) => spelling !== "");
  return (text) => spellings.reduce((masked, spelling) => masked.replaceAll(spelling, "***"), text);
}

/** The error of a module with the secret masked, for the log. */
function withoutSecret(error: unknown, mask: (text: string) => string): unknown {
  if (error instanceof MacroRefusal)
    return new MacroRefusal(error.code, error.detail === undefined ? undefined : mask(error.detail));
  if (!(error instanceof MacroFault)) return error;
  const { kind, macro, message, trace, line, column, cpu } = error;
  return new MacroFault(kind, macro, mask(message), {
    trace: trace === undefined ? undefined : mask(trace),
    line,
    column,
    cpu,
  });
}

/** Maximum number of filters, and of id lists, that one hook adds to a query. */
const maxAdditions = 100;

/** Validates the result of a batch hook. The sandbox is untrusted: an invalid result is a failure of the hook. */
export function changesFrom(
  name: string,
  result: JsonValue | undefined,
  count: number,
): readonly (MemberChanges | null)[] {
  if (!Array.isArray(result) || result.length !== count) throw malformed(name);
  return result.map((each: JsonValue) => {
    if (each === null) return null;
    const { set, removed } = membersOf(each) ?? {};
    const members = membersOf(set);
    if (members === null || !isTexts(removed)) throw malformed(name);
    return { set: members, removed };
  });
}

/** Validates the result of a find hook. */
export function findResultFrom(name: string, result: JsonValue | undefined): FindHookResult {
  const { accepted, where, sort, oids } = membersOf(result) ?? {};
  if (typeof accepted !== "boolean" || !isAdditions(where) || !isAdditions(oids)) throw malformed(name);
  return { accepted, where, oids, ...(sort === undefined ? {} : { sort }) };
}

function membersOf(value: JsonValue | undefined): Members | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each: JsonValue) => typeof each === "string");
}

function isAdditions(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value) && value.length <= maxAdditions;
}

function malformed(name: string) {
  return hookFailure(name, "returned an invalid result.");
}
