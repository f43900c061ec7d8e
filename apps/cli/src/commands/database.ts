import type { AdministeredProviderData, ClassRightsData, MaintenanceRequestData } from "@sallyport/client/admin";
import { CommandError } from "../failures.ts";
import { findGroup, findUser } from "../find.ts";
import type { AdminCommand, CommandInput, Noun } from "../admin-command.ts";
import { done, everyItem, firstItem, listed, type Outcome, shown, timeText, wouldDo } from "../outcome.ts";
import { readNamedFile } from "../questions.ts";

const permissions = ["read", "create", "write", "delete"] as const;
const everyone = "*";

/** Rights in the form `sales=read,write`; `*` stands for all users. */
async function rightsIn(input: CommandInput, words: readonly string[]): Promise<ClassRightsData["rights"]> {
  const rights: ClassRightsData["rights"] = [];
  for (const word of words) {
    const [group = "", list = "", ...others] = word.split("=");
    if (group === "" || list === "" || others.length > 0)
      throw new CommandError(`Rights have the form sales=read,write, and not "${word}".`);
    rights.push({
      group: group === everyone ? everyone : (await findGroup(input.admin, group)).groupId,
      permissions: list.split(",").map((each) => input.choice("A permission", each, permissions)),
    });
  }
  return rights;
}

async function setRights(input: CommandInput): Promise<Outcome> {
  const [words, none] = [input.rest(1), input.flag("none")];
  if ((words.length === 0) !== none) throw new CommandError("Pass rights such as sales=read,write, or --none.");
  const rights = await rightsIn(input, words);
  const ifMatch = await input.admin.classes.list();
  const changed = await input.admin.classes.setRights(input.word(0), rights, { ifMatch });
  return done(`Set the rights of class "${changed.name}".`, changed);
}

const classCommands: readonly AdminCommand[] = [
  {
    name: "class list",
    description: "list classes with their rights",
    call: async ({ admin }) => {
      const [{ items }, groups] = [
        await admin.classes.list(),
        await everyItem("groups", (page) => admin.groups.list(page)),
      ];
      const names = new Map(groups.map(({ groupId, name }) => [groupId, name]));
      return listed("classes", items, {
        NAME: ({ name }) => name,
        BASE: ({ base }) => base ?? "none",
        RIGHTS: ({ rights }) =>
          rights.map((of) => `${names.get(of.group) ?? of.group}=${of.permissions.join(",")}`).join(" ") || "none",
      });
    },
  },
  {
    name: "class rights",
    description: "replace the rights of a class; takes effect with the next request",
    arguments: [
      ["<class>", "name of the class"],
      ["[rights...]", 'all rights from now on, such as sales=read,write; "*" stands for all users'],
    ],
    options: [["--none", "leave the class to administrators"]],
    call: setRights,
  },
];

const keyCommands: readonly AdminCommand[] = [
  {
    name: "key list",
    description: "list the accepted keys of the database",
    call: async ({ admin }) =>
      listed("keys", await admin.keys.list(), {
        KEY: ({ keyId }) => keyId,
        KIND: ({ kind }) => kind,
        "ACCEPTED UNTIL": {
          whole: ({ acceptedUntil }) => (acceptedUntil === null ? "current" : timeText(acceptedUntil)),
        },
        SESSIONS: ({ sessions }) => (sessions === null ? "" : String(sessions)),
        CREATED: { whole: ({ createdAt }) => timeText(createdAt) },
      }),
  },
  {
    name: "key rotate",
    description: "replace the current key; the previous one is accepted for 24 hours and sessions continue",
    arguments: [["<rsa|jwt>", "kind of the key"]],
    call: async (input) => {
      const kind = input.choice("The kind", input.word(0), ["rsa", "jwt"]);
      const rotated = await input.admin.keys.rotate(kind);
      return done(`The current ${kind} key is ${rotated.keyId}.`, rotated);
    },
  },
];

const mailCommands: readonly AdminCommand[] = [
  {
    name: "mail queue",
    description: "show the number of messages in the outbox, the age of the oldest, and the duration of an outage",
    call: async ({ admin }) => {
      const mail = await admin.mail.waiting();
      return shown(mail, [
        ["messages", String(mail.count)],
        ["oldest", `${mail.oldestSeconds} s`],
        ["outage", `${mail.stuckSeconds} s`],
      ]);
    },
  },
];

const macroCommands: readonly AdminCommand[] = [
  {
    name: "macro list",
    description: "list macros and hooks with their state",
    call: async ({ admin }) =>
      listed("macros", await admin.macros.list(), {
        NAME: ({ name }) => name,
        STATE: ({ state }) => state,
        FROM: ({ stored }) => (stored ? "database" : "folder"),
        VERSION: ({ version }) => (version === null ? "" : String(version)),
        FAULT: ({ fault }) => fault ?? "",
      }),
  },
  {
    name: "macro history",
    description: "list the versions of a stored macro, the latest first",
    arguments: [["<name>", "name of the macro"]],
    call: async (input) =>
      listed("versions", await everyItem("versions", (page) => input.admin.macros.history(input.word(0), page)), {
        VERSION: ({ version }) => String(version),
        LANGUAGE: ({ language }) => language ?? "removed",
        BYTES: ({ bytes }) => (bytes === null ? "" : String(bytes)),
        "CHANGED AT": { whole: ({ changedAt }) => timeText(changedAt) },
        BY: ({ changedBy }) => changedBy,
      }),
  },
];

async function switchMaintenance(input: CommandInput, active: boolean): Promise<Outcome> {
  const next: MaintenanceRequestData = active
    ? { active, message: input.text("message") ?? null, endsAt: input.time("for", "future")?.toISOString() ?? null }
    : { active };
  const ifMatch = await input.admin.maintenance.get();
  const changed = await input.admin.maintenance.set(next, { ifMatch });
  return done(`Maintenance mode is ${active ? "on" : "off"}.`, changed);
}

const maintenanceCommands: readonly AdminCommand[] = [
  {
    name: "maintenance show",
    description: "show whether maintenance mode is on",
    call: async ({ admin }) => {
      const state = await admin.maintenance.get();
      return shown(state, [
        ["maintenance", state.active ? "on" : "off"],
        ["message", state.message ?? "none"],
        ["ends at", timeText(state.endsAt)],
      ]);
    },
  },
  {
    name: "maintenance on",
    description: "refuse requests with 706; administration continues",
    options: [
      ["-m, --message <text>", "message for users, in the responses as status.notice"],
      ["-f, --for <time|duration>", "expected time, such as 30m; clients retry after it"],
    ],
    call: (input) => switchMaintenance(input, true),
  },
  {
    name: "maintenance off",
    description: "serve requests again",
    call: (input) => switchMaintenance(input, false),
  },
];

/** The registration; `undefined` if the type has none. */
async function findProvider({ admin }: CommandInput, type: string): Promise<AdministeredProviderData | undefined> {
  const found = (await admin.providers.list()).find((each) => each.type === type);
  // Only a single read has a version.
  return found === undefined ? undefined : admin.providers.get(type);
}

async function requireProvider(input: CommandInput): Promise<AdministeredProviderData> {
  const provider = await findProvider(input, input.word(0));
  if (provider === undefined) throw new CommandError(`The provider "${input.word(0)}" is not registered.`, "refused");
  return provider;
}

/** Additional data as JSON: an object whose values are texts. */
function dataIn(text: string): Record<string, string> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    data = undefined;
  }
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  if (!isObject || !Object.values(data as object).every((value) => typeof value === "string"))
    throw new CommandError('The additional data must be JSON such as {"clientId": "…", "clientSecret": "…"}.');
  return data as Record<string, string>;
}

const providerType = ["<type>", "google, facebook, microsoft or apple"] as const;

const providerCommands: readonly AdminCommand[] = [
  {
    name: "provider list",
    description: "list identity providers",
    call: async ({ admin }) =>
      listed("providers", await admin.providers.list(), {
        TYPE: ({ type }) => type,
        NAME: ({ name }) => name,
        STATE: ({ enabled, fault }) => fault ?? (enabled ? "enabled" : "disabled"),
        "DEFAULT USER": ({ defaultUser }) => defaultUser ?? "none",
        "APP NAMES": ({ appNames }) => appNames.join(", ") || "none",
        CALLBACK: ({ callback }) => callback ?? "unknown",
      }),
  },
  {
    name: "provider show",
    description: "show the registration of a provider as JSON, without secrets",
    arguments: [providerType],
    call: async (input) => {
      const provider = await requireProvider(input);
      return done(JSON.stringify(provider, null, 2), provider);
    },
  },
  {
    name: "provider add",
    description: "register a provider, or replace its registration; reads the additional data from standard input",
    arguments: [providerType],
    options: [
      ["--name <text>", "display name (default: the type)"],
      ["--data-file <file>", "file with the additional data"],
      ["--default-user <name>", "user for new accounts (default: each user links an account)"],
      ["--app-name <name...>", "default app names of log-ins"],
    ],
    call: async (input) => {
      const [type, file, user] = [input.word(0), input.text("dataFile"), input.text("defaultUser")];
      const ifMatch = await findProvider(input, type);
      const request = {
        name: input.text("name") ?? type,
        data: dataIn(file === undefined ? await input.standardInput() : readNamedFile(file)),
        appNames: [...(input.texts("appName") ?? [])],
        defaultUserId: user === undefined ? null : (await findUser(input.admin, user)).userId,
      };
      const provider = await input.admin.providers.put(type, request, { ifMatch });
      const { callback, enabled } = provider;
      const lines = [
        `Registered provider "${type}". It takes effect with the next request.`,
        ...(callback === null ? [] : [`Register this callback URL at the provider:\n  ${callback}`]),
        ...(enabled
          ? []
          : [`The configuration of the server does not enable it. Add {"name": "${type}"} to oAuthProviders.`]),
      ];
      return done(lines.join("\n"), provider);
    },
  },
  {
    name: "provider remove",
    description: "remove a provider; its linked accounts stay, but cannot log in",
    arguments: [providerType],
    call: async (input) => {
      await input.admin.providers.remove(input.word(0), { ifMatch: await requireProvider(input) });
      return done(`Removed provider "${input.word(0)}".`);
    },
    dryRun: async (input) => {
      const { type } = await requireProvider(input);
      const links = await everyItem(
        "links",
        (page) => input.admin.links.list(page),
        ({ provider }) => provider === type,
      );
      const text = `It would remove provider "${type}". The ${links.length} accounts that are linked with it could not log in.`;
      return wouldDo(text, { links });
    },
  },
  {
    name: "provider links",
    description: "list linked accounts",
    options: [["--user <name>", "only those of this user"]],
    call: async (input) => {
      const named = input.text("user");
      const user = named === undefined ? undefined : (await findUser(input.admin, named)).userId;
      return listed("linked accounts", await everyItem("links", (page) => input.admin.links.list({ ...page, user })), {
        ID: ({ linkId }) => linkId,
        PROVIDER: ({ provider }) => provider,
        USER: (link) => link.user || link.userId,
        ACCOUNT: ({ email, displayName }) => email ?? displayName ?? "unknown",
        LINKED: { whole: ({ linkedAt }) => timeText(linkedAt) },
      });
    },
  },
  {
    name: "provider unlink",
    description: "remove a linked account and end its sessions",
    arguments: [["<id>", "id of the linked account"]],
    call: async (input) => {
      await input.admin.links.remove(input.word(0));
      return done("Removed the linked account.");
    },
    dryRun: async (input) => {
      const id = input.word(0);
      const link = await firstItem(
        (page) => input.admin.links.list(page),
        ({ linkId }) => linkId === id,
      );
      if (link === undefined) throw new CommandError(`There is no linked account "${id}".`, "refused");
      const account = link.email ?? link.displayName ?? "unknown";
      return wouldDo(
        `It would remove the link of "${link.user || link.userId}" with ${link.provider} (${account}).`,
        link,
      );
    },
  },
];

export const databaseNouns: readonly Noun[] = [
  {
    name: "provider",
    description: "manage identity providers and linked accounts",
    examples: [["Register Google", "sallyport provider add google --data-file google.json"]],
    commands: providerCommands,
  },
  {
    name: "class",
    description: "list and set the rights of classes",
    examples: [
      ["Let sales write and all users read invoices", 'sallyport class rights Invoice "*=read" sales=read,write'],
    ],
    commands: classCommands,
  },
  {
    name: "key",
    description: "list and rotate keys of the database",
    examples: [["Replace the key of tokens", "sallyport key rotate jwt"]],
    commands: keyCommands,
  },
  { name: "mail", description: "show the outbox", examples: [], commands: mailCommands },
  { name: "macro", description: "list macros and hooks", examples: [], commands: macroCommands },
  {
    name: "maintenance",
    description: "turn maintenance mode on or off",
    examples: [["Keep users out for two hours", 'sallyport maintenance on --message "Back at 6 pm." --for 2h']],
    commands: maintenanceCommands,
  },
];
