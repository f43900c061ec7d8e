import { acceptHook } from "../hooks/accept-hook.ts";
import type { JsonValue } from "../objects/stored-object.ts";
import { isHookName } from "./hook-name.ts";
import type { HookModule, Macro, MacroAccess } from "./macro.ts";
import { MacroFault } from "./macro-fault.ts";
import type { MacroDeclaration, MacroLimits, ModuleText } from "./macro-runtime.ts";

const mebibyte = 1_048_576;
const smallestMemory = 1;
const mostNames = 100;

const ofMacros: ReadonlySet<string> = new Set(["access", "check", "input", "timeout", "memory", "transaction", "run"]);

/** What a module says about itself, as a macro or a hook. What it must not say: `MacroFault`, in words for its author. */
export function acceptDeclaration(
  text: ModuleText,
  declaration: MacroDeclaration,
  most: MacroLimits,
): Macro | HookModule {
  const { name } = text;
  const given = new Map(Object.entries(declaration));
  const module = { ...text, checksInput: given.has("input") };
  const fault = (reason: string) => new MacroFault("invalid", name, reason);
  if (given.get("run") !== true) throw fault("There is no function run.");
  const limits = { ...most, ...limitsOf(given, most, fault) };
  const readsCaller = /\bcaller\b/.test(text.code);
  if (given.has("on") || isHookName(name)) {
    const hook = acceptHook(name, declaration);
    if (typeof hook === "string") throw fault(hook);
    return { kind: "hook", name, module, hook, limits, readsCaller };
  }

  for (const member of given.keys()) if (!ofMacros.has(member)) throw fault(`A macro has no member ${member}.`);
  const check = given.get("check");
  if (check !== undefined && check !== true) throw fault("check: a function.");
  const transaction = given.get("transaction") ?? true;
  if (typeof transaction !== "boolean") throw fault("transaction: true or false.");
  const access = accessOf(given.get("access"), "access", fault);
  const skipping = isRecord(given.get("access"))
    ? new Map(Object.entries(given.get("access") as object)).get("skipCheck")
    : undefined;
  const skipCheck = accessOf(skipping as JsonValue | undefined, "access.skipCheck", fault);
  return { kind: "macro", name, module, access, skipCheck, transaction, limits, readsCaller };
}

type Fault = (reason: string) => MacroFault;

function limitsOf(given: ReadonlyMap<string, JsonValue>, most: MacroLimits, fault: Fault): Partial<MacroLimits> {
  const timeout = numberOf(given.get("timeout"), 1, most.timeout);
  if (timeout === null) throw fault(`timeout: a whole number of milliseconds, at most ${most.timeout}.`);
  const mostMemory = Math.floor(most.memory / mebibyte);
  const memory = numberOf(given.get("memory"), smallestMemory, mostMemory);
  if (memory === null) throw fault(`memory: a whole number of MiB, at most ${mostMemory}.`);
  return {
    ...(timeout === undefined ? {} : { timeout, cpu: Math.min(most.cpu, timeout) }),
    ...(memory === undefined ? {} : { memory: memory * mebibyte }),
  };
}

function numberOf(value: JsonValue | undefined, least: number, most: number): number | undefined | null {
  if (value === undefined) return undefined;
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? value : null;
}

function accessOf(value: JsonValue | undefined, at: string, fault: Fault): MacroAccess | null {
  if (value === undefined) return null;
  if (value === "everyone") return { groups: null, apps: null };
  if (!isRecord(value)) throw fault(`${at}: "everyone", or an object with groups and apps.`);
  const given = new Map(Object.entries(value));
  for (const name of given.keys()) {
    if (name === "groups" || name === "apps" || (name === "skipCheck" && at === "access")) continue;
    throw fault(`${at} has no member ${name}.`);
  }
  const groups = namesOf(given.get("groups"), `${at}.groups`, fault);
  const apps = namesOf(given.get("apps"), `${at}.apps`, fault);
  // Whoever names nobody means nobody but administrators, and not everyone.
  return groups === null && apps === null ? null : { groups, apps };
}

function namesOf(value: JsonValue | undefined, at: string, fault: Fault): readonly string[] | null {
  if (value === undefined) return null;
  const isName = (each: unknown): each is string => typeof each === "string" && each.trim() !== "";
  if (Array.isArray(value) && value.length <= mostNames && value.every(isName)) return value;
  throw fault(`${at}: a list of at most ${mostNames} names.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
