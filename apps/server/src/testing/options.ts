import { classDefinition } from "@sallyport/contract";
import { didYouMean } from "@sallyport/client/terminal";
import * as z from "zod";
import { shapeFaults } from "../configuration/check-shape.ts";

const text = z.string();
const name = text.min(1);
const texts = z.array(text).optional();
const yesOrNo = z.boolean().optional();
const password = { password: text.optional(), passwordDigest: text.optional() };

const content = z.strictObject({
  classes: z.array(classDefinition.extend({ name })).optional(),
  groups: texts,
  users: z
    .array(z.strictObject({ name, ...password, groups: texts, administrator: yesOrNo, email: text.optional() }))
    .optional(),
  objects: z
    .array(
      z.strictObject({
        name: name.optional(),
        className: name,
        attributes: z.record(text, z.unknown()).optional(),
      }),
    )
    .optional(),
  macros: z.union([z.record(text, text), text], { error: "must be sources by name, or a folder" }).optional(),
  customUsers: z.array(z.strictObject({ name, ...password, user: text, email: text.optional() })).optional(),
  apps: z
    .array(
      z.strictObject({
        name,
        seats: z.int().nullable().optional(),
        seatKind: z.enum(["concurrent", "user", "device"]).optional(),
        secondFactor: z.enum(["off", "optional", "forced"]).optional(),
      }),
    )
    .optional(),
  appKeys: z
    .array(
      z.strictObject({
        name,
        key: name,
        appNames: z.array(text).nullable().optional(),
        origins: texts,
        returnAddresses: texts,
      }),
    )
    .optional(),
});

const moduleStorage = z.strictObject({ module: name, options: z.record(text, z.unknown()).optional() });
const postgresStorage = z.strictObject({
  postgres: text.regex(/^postgres(?:ql)?:\/\//, { error: "must be an address such as postgres://user@host/database" }),
});
const storageName = z.enum(["memory", "embedded"], {
  error: 'must be "memory", "embedded", { postgres: url } or { module: path }',
});

/** The schema that fits the given options. A union would not tell the place of a fault. */
function schemaFor({ databases, storage, listen }: Readonly<Record<string, unknown>>) {
  const aliases = Object.entries(typeof databases === "object" && databases !== null ? databases : {});
  const contents = aliases.map(([alias, value]) => [alias, typeof value === "string" ? demoContent : content] as const);
  return z.strictObject({
    databases: z.strictObject(Object.fromEntries(contents), { error: "must be contents by alias" }).optional(),
    storage: storageOf(storage).optional(),
    listen: (typeof listen === "number" ? z.int().min(0).max(65_535) : z.boolean()).optional(),
    providers: yesOrNo,
    licences: yesOrNo,
    configuration: z
      .looseObject({ databases: z.undefined({ error: "belongs to the option `databases`" }).optional() })
      .optional(),
  });
}

const demoContent = z.literal("demo", { error: 'must be a content, or "demo"' });

function storageOf(value: unknown): z.ZodType {
  if (typeof value !== "object" || value === null) return storageName;
  return "module" in value ? moduleStorage : postgresStorage;
}

/** Throws a `TypeError` that names each unknown or invalid option of a service for tests, and its place. */
export function checkOptions(options: unknown): void {
  check("options of the service", schemaFor((options ?? {}) as Readonly<Record<string, unknown>>), options);
}

/** Throws a `TypeError` that names each unknown or invalid member of added content, which has no classes, and its place. */
export function checkContent(value: unknown): void {
  check("content", content.omit({ classes: true }), value);
}

function check(what: string, schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return;
  const lines = shapeFaults(schema, result.error.issues).map(({ path, reason }) =>
    path === "" ? reason : `${path}: ${reason}`,
  );
  throw new TypeError(
    lines.length === 1
      ? `Invalid ${what}: ${lines[0]}`
      : [`Invalid ${what}:`, ...lines.map((line) => `  - ${line}`)].join("\n"),
  );
}

/** Throws a `TypeError` for a name that is not known, with the closest known one. `kind`: such as `option`. */
export function refuseUnknown(kind: string, names: readonly string[], knownNames: readonly string[]): void {
  for (const each of names) {
    if (knownNames.includes(each)) continue;
    const suggestion = didYouMean(each, knownNames);
    const hint = suggestion === undefined ? `Known: ${knownNames.join(", ")}.` : `Did you mean "${suggestion}"?`;
    throw new TypeError(`There is no ${kind} "${each}". ${hint}`);
  }
}
