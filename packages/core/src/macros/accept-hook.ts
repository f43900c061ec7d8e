import { isClassName, type JsonValue } from "@sallyport/storage";

/** Events that hooks can declare. The first four names are part of the specification. */
export const hookEvents = [
  "xRestApi_Authenticate",
  "xRestApi_BuildSerialization",
  "xRestApi_FindObjects",
  "xRestApi_DBCreateInit_xRestApiUserProvider",
  "beforeSave",
  "afterSave",
  "beforeDelete",
  "afterDelete",
] as const;

export type HookEvent = (typeof hookEvents)[number];

export interface HookDeclaration {
  readonly on: HookEvent;
  /** Class names; empty for log-in hooks and provider user hooks. */
  readonly classes: readonly string[];
  /** For list hooks only. */
  readonly byDefault: boolean;
}

const maxClasses = 200;
const withoutClasses: ReadonlySet<HookEvent> = new Set([
  "xRestApi_Authenticate",
  "xRestApi_DBCreateInit_xRestApiUserProvider",
]);
const memberNames: ReadonlySet<string> = new Set(["on", "classes", "byDefault", "timeout", "memory", "run"]);

/** Validates the declaration of a hook, by `on` or by its name. Returns an error text for the author if invalid. */
export function acceptHook(name: string, declaration: Readonly<Record<string, JsonValue>>): HookDeclaration | string {
  const members = new Map(Object.entries(declaration));
  for (const member of members.keys()) if (!memberNames.has(member)) return `${member}: Unknown member of a hook.`;
  const on = hookEvents.find((event) => event === (members.get("on") ?? name));
  if (on === undefined) return `on: One of ${hookEvents.join(", ")} is expected.`;
  const byDefault = members.get("byDefault") ?? false;
  if (typeof byDefault !== "boolean") return "byDefault: true or false is expected.";
  if (byDefault && on !== "xRestApi_FindObjects") return "byDefault: Only a hook for lists can have it.";
  const classes = members.get("classes");
  // Only one module authenticates. A fixed name identifies it even if its text is broken.
  if (on === "xRestApi_Authenticate" && name !== on) return `on: Only the module ${on} can be this hook.`;
  if (withoutClasses.has(on))
    return classes === undefined ? { on, classes: [], byDefault } : "classes: This hook cannot have classes.";
  if (!isClassNames(classes)) return `classes: An array of 1 to ${maxClasses} class names is expected.`;
  return { on, classes, byDefault };
}

/** The log-in hook that a module is by its name, regardless of its text. */
export function fallbackHook(name: string): HookDeclaration | undefined {
  const on = [...withoutClasses].find((event) => event === name);
  return on === undefined ? undefined : { on, classes: [], byDefault: false };
}

function isClassNames(value: JsonValue | undefined): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxClasses &&
    value.every((each: JsonValue) => typeof each === "string" && isClassName(each))
  );
}
