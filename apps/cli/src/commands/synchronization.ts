import type { AdministeredSyncSchemaData, SyncSchemaRequestData } from "@sallyport/client/admin";
import { printable } from "@sallyport/client/terminal";
import { CommandError } from "../failures.ts";
import { findUser } from "../find.ts";
import { type AdminCommand, type CommandInput, jsonIn, type Noun } from "../admin-command.ts";
import { done, listed, type Outcome, shown, wouldDo } from "../outcome.ts";
import { readNamedFile } from "../questions.ts";

const schemaName = ["<schema>", "name of the schema"] as const;
const directions = ["pull", "push", "both"] as const;
const policies = ["client", "server", "reject"] as const;
const macroPrefix = "macro:";
const daySeconds = 86_400;
const maxPageSize = 5_000;

async function switchSync(input: CommandInput, enabled: boolean): Promise<Outcome> {
  const { sync } = input.admin;
  const changed = await sync.setEnabled(enabled, { ifMatch: await sync.get() });
  return done(`Synchronization is ${enabled ? "on" : "off: devices get 717"}.`, changed);
}

function durationOf(seconds: number | null): string {
  if (seconds === null) return "for ever";
  return seconds % daySeconds === 0 ? `${seconds / daySeconds} days` : `${seconds} seconds`;
}

/** A class in the form `Customer`, or `Customer=Name,City` for some fields. */
function classIn(word: string): SyncSchemaRequestData["classes"][number] {
  const [className = "", list, ...others] = word.split("=");
  if (className === "" || list === "" || others.length > 0)
    throw new CommandError(`A class has the form Customer or Customer=Name,City, and not "${word}".`);
  return { className, fields: list === undefined ? null : list.split(",") };
}

function conflictsIn(input: CommandInput, word: string): SyncSchemaRequestData["conflicts"] {
  const macro = word.startsWith(macroPrefix) ? word.slice(macroPrefix.length) : "";
  return macro === "" ? input.choice("--conflicts", word, policies) : { macro };
}

function pageSizeIn(text: string): number {
  const size = Number(text);
  if (!/^\d+$/.test(text) || size < 1 || size > maxPageSize)
    throw new CommandError(`--page-size must be an integer from 1 to ${maxPageSize}.`);
  return size;
}

/** The schema of the file, with the options in place of its members. */
function schemaIn(input: CommandInput): SyncSchemaRequestData {
  const file = input.text("file");
  const members = file === undefined ? {} : jsonIn(readNamedFile(file), `The file ${file}`);
  if (typeof members !== "object" || members === null || Array.isArray(members))
    throw new CommandError('The file must contain an object such as {"classes": [{"className": "Customer"}]}.');
  const { name: _name, broken: _broken, ...rest } = members as Readonly<Record<string, unknown>>;
  const [classes, where, direction] = [input.texts("class"), input.text("where"), input.text("direction")];
  const [conflicts, pageSize] = [input.text("conflicts"), input.text("pageSize")];
  const schema = {
    ...rest,
    ...(classes === undefined ? {} : { classes: classes.map(classIn) }),
    ...(where === undefined ? {} : { where: jsonIn(where, "--where") }),
    ...(direction === undefined ? {} : { direction: input.choice("--direction", direction, directions) }),
    ...(conflicts === undefined ? {} : { conflicts: conflictsIn(input, conflicts) }),
    ...(pageSize === undefined ? {} : { pageSize: pageSizeIn(pageSize) }),
  } as Partial<SyncSchemaRequestData>;
  if (schema.classes === undefined) throw new CommandError("Pass --class or --file.");
  return { ...schema, classes: schema.classes };
}

async function putSchema(input: CommandInput): Promise<Outcome> {
  const name = input.word(0);
  const schema = schemaIn(input);
  const { sync } = input.admin;
  const exists = (await sync.listSchemas()).some((each) => each.name === name);
  const options = exists ? { ifMatch: await sync.getSchema(name) } : {};
  const stored = await sync.putSchema(name, schema, options);
  return done(exists ? `Replaced schema "${name}". Its devices start over.` : `Stored schema "${name}".`, stored);
}

async function explainAbsence(input: CommandInput): Promise<Outcome> {
  const user = (await findUser(input.admin, input.required("user"))).userId;
  const options = { user, uuid: input.word(1), syncVersion: input.text("syncVersion") };
  const items = await input.admin.sync.explainAbsence(input.word(0), options);
  const lines = items.map(({ check, level, finding, fix }) => {
    const line = printable(`${level.padEnd(7)}  ${check}: ${finding}`);
    return fix === null ? line : `${line}\n         Next: ${printable(fix)}`;
  });
  return { data: items, text: lines.join("\n") };
}

function conflictsText({ conflicts }: AdministeredSyncSchemaData): string {
  return typeof conflicts === "string" ? conflicts : `${macroPrefix}${conflicts.macro}`;
}

const commands: readonly AdminCommand[] = [
  {
    name: "sync show",
    description: "show whether synchronization is on, and how long a device can stay away",
    call: async ({ admin }) => {
      const [sync, schemas] = [await admin.sync.get(), await admin.sync.listSchemas()];
      return shown(sync, [
        ["synchronization", sync.enabled ? "on" : "off"],
        ["deletions kept", durationOf(sync.tombstoneSeconds)],
        ["schemas", schemas.map(({ name }) => name).join(", ") || "none"],
      ]);
    },
  },
  {
    name: "sync enable",
    description: "turn synchronization on; takes effect with the next request",
    call: (input) => switchSync(input, true),
  },
  {
    name: "sync disable",
    description: "turn synchronization off; devices get 717 and keep their changes until it is on again",
    call: (input) => switchSync(input, false),
  },
  {
    name: "sync list",
    description: "list schemas: what devices synchronize",
    call: async ({ admin }) =>
      listed("schemas", await admin.sync.listSchemas(), {
        SCHEMA: ({ name }) => name,
        CLASSES: ({ classes }) => classes.map(({ className }) => className).join(", "),
        DIRECTION: ({ direction }) => direction,
        CONFLICTS: conflictsText,
        FILTER: ({ where }) => (where === null ? "no" : "yes"),
        BROKEN: ({ broken = "no" }) => broken,
      }),
  },
  {
    name: "sync get",
    description: "print a schema as JSON, in the form that sync put reads",
    arguments: [schemaName],
    call: async (input) => {
      const { broken: _broken, ...schema } = await input.admin.sync.getSchema(input.word(0));
      return done(JSON.stringify(schema, null, 2), schema);
    },
  },
  {
    name: "sync put",
    description: "store a schema, or replace it: all its devices then download their data again",
    arguments: [schemaName],
    options: [
      ["--class <class...>", "classes, with subclasses; Customer=Name,City limits the fields (default: all fields)"],
      ["--where <json>", 'filter as in lists, such as {"Active": true} (default: all objects)'],
      ["--direction <pull|push|both>", "whether devices only read, only write, or both (default: both)"],
      [
        "--conflicts <client|server|reject|macro:Name>",
        "who wins if device and server have changed the same field (default: client)",
      ],
      ["--page-size <number>", "usual number of changes in a response (default: 500)"],
      ["--file <file>", "JSON file with the schema; other options replace its members"],
    ],
    call: putSchema,
  },
  {
    name: "sync remove",
    description: "remove a schema; its devices get 333 and keep what they have",
    arguments: [schemaName],
    call: async (input) => {
      const name = input.word(0);
      await input.admin.sync.removeSchema(name, { ifMatch: await input.admin.sync.getSchema(name) });
      return done(`Removed schema "${name}".`);
    },
    dryRun: async (input) => {
      const schema = await input.admin.sync.getSchema(input.word(0));
      const classes = schema.classes.map(({ className }) => className).join(", ");
      return wouldDo(`It would remove schema "${schema.name}" (${classes}). Its devices would get 333.`, schema);
    },
  },
  {
    name: "sync why",
    description: "explain why an object is not on a device; changes nothing",
    arguments: [schemaName, ["<uuid>", "UUID of the object"]],
    options: [
      ["--user <name>", "user of the device (required)"],
      ["--sync-version <version>", "version that the device has; tells whether it has received the object"],
    ],
    call: explainAbsence,
  },
];

export const syncNoun: Noun = {
  name: "sync",
  description: "manage synchronization with devices that are offline at times",
  examples: [
    ["Let devices synchronize customers and invoices", "sallyport sync put field --class Customer Invoice"],
    ["Change a schema in an editor", "sallyport sync get field > field.json"],
    ["Store it again", "sallyport sync put field --file field.json"],
    [
      "See why bob's tablet lacks an object",
      "sallyport sync why field 3f0c1a52-6f0e-4f8e-9a52-7d1d1f0c3b7a --user bob",
    ],
  ],
  commands,
};
