import type { JsonValue } from "@sallyport/storage";
import { acceptHook, fallbackHook, type HookDeclaration, hookEvents } from "./accept-hook.ts";
import { MacroFault, type MacroFaultKind } from "./macro-fault.ts";
import type { MacroText } from "./macro-library.ts";
import type { MacroDeclaration, MacroLimits, MacroRuntime, ModuleText } from "./macro-runtime.ts";
import { type HookModule, isMacroName, type LibraryModule, type Macro, type MacroAccess } from "./macro.ts";

/** Faults that may be transient, independent of the text. */
const transientFaults: ReadonlySet<MacroFaultKind> = new Set(["timeout", "ended", "evicted"]);

export interface InspectedText extends MacroText {
  readonly module: LibraryModule;
}

/** Inspects texts. Caches the last result, so only changed texts are inspected again. */
export class ModuleInspector {
  private cache: ReadonlyMap<string, InspectedText> = new Map();

  constructor(
    private readonly runtime: Pick<MacroRuntime, "inspect">,
    private readonly max: MacroLimits,
  ) {}

  /** One module per name. Several texts with the same name make a broken module. */
  async inspect(texts: readonly MacroText[]): Promise<readonly InspectedText[]> {
    const byName = new Map<string, MacroText[]>();
    for (const text of texts) byName.set(text.name, [...(byName.get(text.name) ?? []), text]);
    const inspected: InspectedText[] = [];
    // Sequential, because requests need the same workers.
    for (const text of byName.values()) inspected.push(await this.inspectOne(text));
    this.cache = new Map(inspected.map((each) => [each.name, each]));
    return inspected;
  }

  private async inspectOne([first, ...others]: readonly MacroText[]): Promise<InspectedText> {
    const text = first as MacroText;
    const before = this.cache.get(text.name);
    if (others.length > 0) {
      const origins = [text, ...others].map(({ origin }) => origin);
      return broken(
        text,
        new MacroFault("invalid", text.name, `Several modules have this name: ${origins.join(", ")}.`),
        formerHook(before?.module),
      );
    }
    if (
      before !== undefined &&
      before.text === text.text &&
      before.language === text.language &&
      !isTransientlyBroken(before.module)
    )
      return { ...text, module: before.module };
    try {
      return { ...text, module: await this.read(text) };
    } catch (error) {
      // A missing worker is not the fault of the text.
      if (!(error instanceof MacroFault)) throw error;
      return broken(text, error, formerHook(before?.module));
    }
  }

  private async read({ name, text, language }: MacroText): Promise<LibraryModule> {
    if (!isMacroName(name)) {
      throw new MacroFault(
        "invalid",
        name,
        "The name must be a letter or _, then letters, digits and _, at most 128 in all.",
      );
    }
    const inspect = () => this.runtime.inspect({ name, code: text }, language);
    const { declaration, module } = await inspect().catch((error: unknown) => {
      if (error instanceof MacroFault && transientFaults.has(error.kind)) return inspect();
      throw error;
    });
    return acceptDeclaration(module, declaration, this.max);
  }
}

function broken(text: MacroText, fault: MacroFault, former: HookDeclaration | undefined): InspectedText {
  const hook = former ?? fallbackHook(text.name);
  const module = { kind: "broken", name: text.name, fault, transient: transientFaults.has(fault.kind) } as const;
  return { ...text, module: hook === undefined ? module : { ...module, hook } };
}

function formerHook(module: LibraryModule | undefined): HookDeclaration | undefined {
  return module === undefined || module.kind === "macro" ? undefined : module.hook;
}

export function isTransientlyBroken(module: LibraryModule): boolean {
  return module.kind === "broken" && module.transient;
}

const mebibyte = 1_048_576;
const minMemory = 1;
const maxNames = 100;

const ofMacros: ReadonlySet<string> = new Set(["access", "check", "input", "timeout", "memory", "transaction", "run"]);

/** Validates the declaration of a macro or hook. Throws a `MacroFault` with a text for the author. */
export function acceptDeclaration(
  text: ModuleText,
  declaration: MacroDeclaration,
  max: MacroLimits,
): Macro | HookModule {
  const { name } = text;
  const members = new Map(Object.entries(declaration));
  const module = { ...text, checksInput: members.has("input") };
  const fault = (reason: string) => new MacroFault("invalid", name, reason);
  if (members.get("run") !== true) throw fault("run: A function is expected.");
  const limits = { ...max, ...limitsOf(members, max, fault) };
  const readsCaller = /\bcaller\b/.test(text.code);
  if (members.has("on") || isHookName(name)) {
    const hook = acceptHook(name, declaration);
    if (typeof hook === "string") throw fault(hook);
    return { kind: "hook", name, module, hook, limits, readsCaller };
  }

  for (const member of members.keys()) if (!ofMacros.has(member)) throw fault(`${member}: Unknown member of a macro.`);
  const check = members.get("check");
  if (check !== undefined && check !== true) throw fault("check: A function is expected.");
  const transaction = members.get("transaction") ?? true;
  if (typeof transaction !== "boolean") throw fault("transaction: true or false is expected.");
  const access = accessOf(members.get("access"), "access", fault);
  const skipping = isRecord(members.get("access"))
    ? new Map(Object.entries(members.get("access") as object)).get("skipCheck")
    : undefined;
  const skipCheck = accessOf(skipping as JsonValue | undefined, "access.skipCheck", fault);
  const input = members.get("input");
  const described = input === undefined ? {} : { input };
  return { kind: "macro", name, module, access, skipCheck, transaction, ...described, limits, readsCaller };
}

type Fault = (reason: string) => MacroFault;

function limitsOf(members: ReadonlyMap<string, JsonValue>, max: MacroLimits, fault: Fault): Partial<MacroLimits> {
  const timeout = numberOf(members.get("timeout"), 1, max.timeout);
  if (timeout === null) throw fault(`timeout: An integer from 1 to ${max.timeout} (milliseconds) is expected.`);
  const maxMemory = Math.floor(max.memory / mebibyte);
  const memory = numberOf(members.get("memory"), minMemory, maxMemory);
  if (memory === null) throw fault(`memory: An integer from ${minMemory} to ${maxMemory} (MiB) is expected.`);
  return {
    ...(timeout === undefined ? {} : { timeout, cpu: Math.min(max.cpu, timeout) }),
    ...(memory === undefined ? {} : { memory: memory * mebibyte }),
  };
}

function numberOf(value: JsonValue | undefined, min: number, max: number): number | undefined | null {
  if (value === undefined) return undefined;
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? value : null;
}

function accessOf(value: JsonValue | undefined, at: string, fault: Fault): MacroAccess | null {
  if (value === undefined) return null;
  if (value === "everyone") return { groups: null, apps: null };
  if (!isRecord(value)) throw fault(`${at}: "everyone" or an object with groups and apps is expected.`);
  const members = new Map(Object.entries(value));
  for (const name of members.keys()) {
    if (name === "groups" || name === "apps" || (name === "skipCheck" && at === "access")) continue;
    throw fault(`${at}.${name}: Unknown member.`);
  }
  const groups = namesOf(members.get("groups"), `${at}.groups`, fault);
  const apps = namesOf(members.get("apps"), `${at}.apps`, fault);
  // An empty object means administrators only, not everyone.
  return groups === null && apps === null ? null : { groups, apps };
}

function namesOf(value: JsonValue | undefined, at: string, fault: Fault): readonly string[] | null {
  if (value === undefined) return null;
  const isName = (each: unknown): each is string => typeof each === "string" && each.trim() !== "";
  if (Array.isArray(value) && value.length <= maxNames && value.every(isName)) return value;
  throw fault(`${at}: An array of at most ${maxNames} names is expected.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the name makes a module a hook. The specification lists these names. */
function isHookName(name: string): boolean {
  return name.startsWith("xRestApi_") && hookEvents.some((event) => event === name);
}
