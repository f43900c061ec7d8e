import type { z } from "zod";
import type { Fault } from "./configuration-error.ts";
import { didYouMean } from "@sallyport/client/terminal";
import { factsOf, membersAt, schemaAt } from "./fields.ts";
import { type ConfigurationDocument, configurationSchema } from "./schema/configuration-schema.ts";

interface CheckedShape {
  readonly faults: readonly Fault[];
  /** The document without invalid fields; `null` if the rest is still invalid. */
  readonly document: ConfigurationDocument | null;
}

/** For one use, compiling the schema takes longer than the check. */
const once = { jitless: true };

/** Checks names, types and ranges. The valid rest is checked for invalid combinations in the same run. */
export function checkShape(raw: unknown): CheckedShape {
  const result = configurationSchema.safeParse(raw, once);
  if (result.success) return { faults: [], document: result.data };
  const { issues } = result.error;
  const rest = structuredClone(raw);
  for (const issue of issues) {
    const paths = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) putOut(rest, fieldOf(path));
  }
  return {
    faults: shapeFaults(configurationSchema, issues),
    document: configurationSchema.safeParse(rest, once).data ?? null,
  };
}

/** The faults of a document with their places. For an unknown name, the closest known one. */
export function shapeFaults(schema: z.ZodType, issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    if (issue.code !== "unrecognized_keys") return [{ path: pathText(issue.path), reason: issue.message }];
    const members = membersAt(schema, issue.path);
    return issue.keys.map((key) => {
      const suggestion = didYouMean(key, members);
      const hint = suggestion === undefined ? `known names are ${members.join(", ")}` : `did you mean "${suggestion}"?`;
      return { path: pathText([...issue.path, key]), reason: `is unknown; ${hint}` };
    });
  });
}

/** Path of the field that contains this path. */
function fieldOf(path: readonly PropertyKey[]): readonly PropertyKey[] {
  const steps = path.findIndex((_, index) => {
    const schema = schemaAt(configurationSchema, path.slice(0, index + 1));
    return schema !== undefined && factsOf(schema) !== undefined;
  });
  return steps === -1 ? path : path.slice(0, steps + 1);
}

function putOut(document: unknown, path: readonly PropertyKey[]): void {
  const last = path.at(-1);
  let holder: unknown = document;
  for (const step of path.slice(0, -1)) holder = (holder as Record<PropertyKey, unknown> | undefined)?.[step];
  if (last === undefined || typeof holder !== "object" || holder === null) return;
  // Removing an element would shift the following ones.
  if (Array.isArray(holder) && typeof last === "number") holder[last] = {};
  else delete (holder as Record<PropertyKey, unknown>)[last];
}

/** Formats a path: `databases[1].alias`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    // The alias of a database can be empty.
    if (typeof step === "number" || step === "") return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? String(step) : `${text}.${String(step)}`;
  }, "");
}
