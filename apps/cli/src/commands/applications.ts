import { SallyportError } from "@sallyport/client";
import type { AdministeredSessionData, AppChangeData } from "@sallyport/client/admin";
import { CommandError, keepingAccess } from "../failures.ts";
import { findAppKey, findUser } from "../find.ts";
import type { AdminCommand, CommandInput, Noun } from "../admin-command.ts";
import { done, endedText, everyItem, listed, type Outcome, wouldDo } from "../outcome.ts";
import { liveSessions, sessionTable, wouldEnd } from "../sessions.ts";
import { appRuleCommands } from "./rules.ts";

const unlimited = "unlimited";
const seatKinds = ["concurrent", "user", "device"] as const;
const policies = ["off", "optional", "forced"] as const;
const seatKindHelp =
  "what takes a seat: concurrent (a user on a device, or a session without a device), user, or device";

function seatsOf(text: string): number | null {
  if (text === unlimited) return null;
  if (!/^\d{1,7}$/.test(text)) throw new CommandError("The number of seats must be an integer, or unlimited.");
  return Number(text);
}

function seatKindOf(input: CommandInput): Pick<AppChangeData, "seatKind"> {
  const kind = input.text("seatKind");
  return kind === undefined ? {} : { seatKind: input.choice("--seat-kind", kind, seatKinds) };
}

/** Changes the app name, unless someone else has done so since. */
async function changeApp({ admin }: CommandInput, name: string, change: AppChangeData, text: string): Promise<Outcome> {
  const ifMatch = await admin.apps.get(name);
  return done(text, await admin.apps.change(name, change, { ifMatch }));
}

const appCommands: readonly AdminCommand[] = [
  {
    name: "app list",
    description: "list app names, with their seats",
    call: async ({ admin }) =>
      listed("app names", await everyItem("app names", (page) => admin.apps.list(page)), {
        NAME: ({ name }) => name,
        SEATS: ({ seats }) => (seats === null ? unlimited : String(seats)),
        KIND: ({ seatKind }) => seatKind,
        TAKEN: ({ taken }) => String(taken),
        "SECOND FACTOR": ({ secondFactor }) => secondFactor,
      }),
  },
  {
    name: "app create",
    description: "create an app name",
    arguments: [["<name>", "name that clients send in appNames"]],
    options: [
      ["--seats <number|unlimited>", "licence seats (default: unlimited)"],
      ["--seat-kind <concurrent|user|device>", seatKindHelp],
      ["--second-factor <off|optional|forced>", "second factor policy (default: off)"],
    ],
    call: async (input) => {
      const app = await input.admin.apps.create({
        name: input.word(0),
        seats: seatsOf(input.text("seats") ?? unlimited),
        ...seatKindOf(input),
        secondFactor: input.choice("--second-factor", input.text("secondFactor") ?? "off", policies),
      });
      return done(`Created app name "${app.name}".`, app);
    },
  },
  {
    name: "app seats",
    description: "set the licence seats of an app name; takes effect with the next log-in",
    arguments: [
      ["<name>", "the app name"],
      ["<number|unlimited>", "licence seats"],
    ],
    options: [["--seat-kind <concurrent|user|device>", `${seatKindHelp} (default: unchanged)`]],
    call: async (input) => {
      const change = { seats: seatsOf(input.word(1)), ...seatKindOf(input) };
      return changeApp(input, input.word(0), change, `Set the seats of "${input.word(0)}" to ${input.word(1)}.`);
    },
  },
  {
    name: "app second-factor",
    description: "set the second factor policy of an app name; takes effect with the next log-in",
    arguments: [
      ["<name>", "the app name"],
      ["<off|optional|forced>", "whether log-ins need no token, one if the user has a factor, or always one"],
    ],
    call: async (input) => {
      const secondFactor = input.choice("The second factor policy", input.word(1), policies);
      const text = `Set the second factor policy of "${input.word(0)}" to ${secondFactor}.`;
      return changeApp(input, input.word(0), { secondFactor }, text);
    },
  },
];

async function setKeyEnabled(input: CommandInput, enabled: boolean, effect = ""): Promise<Outcome> {
  const { appKeyId } = await findAppKey(input.admin, input.word(0));
  const ifMatch = await input.admin.appKeys.get(appKeyId);
  const call = () => input.admin.appKeys.setEnabled(appKeyId, enabled, { ifMatch });
  const key = await (enabled ? call() : keepingAccess(call));
  return done(`${enabled ? "Enabled" : "Disabled"} app key "${key.name}".${effect}`, key);
}

const keyName = ["<name>", "name or id of the app key"] as const;

const appKeyCommands: readonly AdminCommand[] = [
  {
    name: "app-key list",
    description: "list app keys",
    call: async ({ admin }) =>
      listed("app keys", await everyItem("app keys", (page) => admin.appKeys.list(page)), {
        NAME: ({ name }) => name,
        ID: ({ appKeyId }) => appKeyId,
        STATE: ({ enabled }) => (enabled ? "enabled" : "disabled"),
        SCOPE: ({ scope }) => scope,
        "APP NAMES": ({ appNames }) => appNames?.join(", ") ?? "all",
        ORIGINS: ({ origins }) => origins.join(", ") || "none",
        "REDIRECT URLS": ({ returnAddresses }) => returnAddresses.join(", ") || "none",
      }),
  },
  {
    name: "app-key create",
    description: "create an app key and print it once",
    arguments: [["<name>", "name of the app key"]],
    options: [
      ["--app-name <name...>", "app names that log-ins with the key can use (default: all)"],
      ["--origin <origin...>", "allowed CORS origins, such as https://app.example"],
      ["--return-to <address...>", "allowed redirect URLs after a provider log-in"],
      ["--scope <app|admin>", "routes that the key opens: those of applications (default), or of administration"],
    ],
    call: async (input) => {
      const appNames = input.texts("appName");
      const key = await input.admin.appKeys.create({
        name: input.word(0),
        scope: input.choice("--scope", input.text("scope") ?? "app", ["app", "admin"]),
        appNames: appNames === undefined ? null : [...appNames],
        origins: [...(input.texts("origin") ?? [])],
        returnAddresses: [...(input.texts("returnTo") ?? [])],
      });
      return done(key.key, key);
    },
  },
  {
    name: "app-key disable",
    description: "disable an app key; its sessions cannot be used until it is enabled, but keep their seats",
    arguments: [keyName],
    call: (input) => setKeyEnabled(input, false, " To free the seats of its sessions, run session end --app-key."),
    dryRun: async (input) => {
      const sessions = await sessionsOfKey(input, input.word(0));
      const text = `It would disable app key "${input.word(0)}". Its ${sessions.length} sessions could not be used.`;
      return wouldDo(text, { sessions });
    },
  },
  {
    name: "app-key enable",
    description: "enable an app key",
    arguments: [keyName],
    call: (input) => setKeyEnabled(input, true),
  },
];

/** Whether a session fits the options of the list. */
function fits(input: CommandInput): (session: AdministeredSessionData) => boolean {
  const [app, key, device] = [input.text("appName"), input.text("appKey"), input.text("device")];
  return ({ appNames, reservedNames, appKey, deviceId }) =>
    (app === undefined || appNames.includes(app) || reservedNames.includes(app)) &&
    (key === undefined || appKey === key) &&
    (device === undefined || deviceId === device);
}

/** Ends sessions that are listed. Returns the number of those that were still live. */
async function endAll({ admin }: CommandInput, sessions: readonly AdministeredSessionData[]): Promise<number> {
  let ended = 0;
  for (const { id } of sessions) {
    try {
      await admin.sessions.end(id);
      ended += 1;
    } catch (error) {
      // It has ended since.
      if (!(error instanceof SallyportError) || error.code !== 304) throw error;
    }
  }
  return ended;
}

/** The sessions of an app key. */
async function sessionsOfKey(input: CommandInput, key: string): Promise<AdministeredSessionData[]> {
  const { name } = await findAppKey(input.admin, key);
  return liveSessions(input, (session) => session.appKey === name);
}

/** Exactly one of the ways to name sessions. */
function chosenSessions(input: CommandInput) {
  const [ids, user, key, device] = [input.rest(0), input.text("user"), input.text("appKey"), input.text("device")];
  if ([ids.length > 0, user !== undefined, key !== undefined, device !== undefined].filter(Boolean).length !== 1)
    throw new CommandError("Pass ids of sessions, or --user, or --app-key, or --device.");
  return { ids, user, key, device };
}

const sessionCommands: readonly AdminCommand[] = [
  {
    name: "session list",
    description: "list live sessions",
    options: [
      ["--user <name>", "only those of this user"],
      ["--app-name <name>", "only those with this app name"],
      ["--app-key <name>", "only those of this app key"],
      ["--device <id>", "only those of this device"],
    ],
    call: async (input) => {
      const named = input.text("user");
      const user = named === undefined ? undefined : (await findUser(input.admin, named)).userId;
      return sessionTable(await liveSessions(input, fits(input), user));
    },
  },
  {
    name: "session end",
    description: "end sessions and free their seats",
    arguments: [["[id...]", "ids of sessions, as listed"]],
    options: [
      ["--user <name>", "end all sessions of this user"],
      ["--app-key <name>", "end all sessions of this app key"],
      ["--device <id>", "end all sessions of this device"],
    ],
    call: async (input) => {
      const { ids, user, key, device } = chosenSessions(input);
      if (device !== undefined) {
        const ended = await input.admin.sessions.endOfDevice(device);
        return done(`Ended the sessions of device "${device}".${endedText(ended)}`, { ended });
      }
      if (user !== undefined) {
        const { userId, name } = await findUser(input.admin, user);
        const ended = await input.admin.sessions.endOfUser(userId);
        return done(`Ended the sessions of "${name}".${endedText(ended)}`, { ended });
      }
      const ended = key === undefined ? ids.length : await endAll(input, await sessionsOfKey(input, key));
      for (const id of ids) await input.admin.sessions.end(id);
      return done(endedText(ended).trim(), { ended });
    },
    dryRun: async (input) => {
      const { ids, user, key, device } = chosenSessions(input);
      if (device !== undefined)
        return wouldEnd(
          `It would end the sessions of device "${device}"`,
          await liveSessions(input, ({ deviceId }) => deviceId === device),
        );
      if (key !== undefined)
        return wouldEnd(`It would end the sessions of app key "${key}"`, await sessionsOfKey(input, key));
      if (user === undefined)
        return wouldEnd("It would end these sessions", await liveSessions(input, ({ id }) => ids.includes(id)));
      const { userId, name } = await findUser(input.admin, user);
      return wouldEnd(`It would end the sessions of "${name}"`, await liveSessions(input, () => true, userId));
    },
  },
];

export const applicationNouns: readonly Noun[] = [
  {
    name: "session",
    description: "list and end live sessions",
    examples: [
      ["See whose sessions take the seats of an app name", "sallyport session list --app-name office"],
      ["Free the seats of a user", "sallyport session end --user bob"],
      ["See what a leaked app key is used for", "sallyport session list --app-key tablet"],
    ],
    commands: sessionCommands,
  },
  {
    name: "app",
    description: "manage app names and their seats",
    examples: [
      ["See the taken seats", "sallyport app list"],
      ["Raise the number of seats", "sallyport app seats office 20"],
    ],
    commands: [...appCommands, ...appRuleCommands],
  },
  {
    name: "app-key",
    description: "manage app keys",
    examples: [
      ["Stop a leaked app key", "sallyport app-key disable tablet"],
      ["Free the seats of its sessions", "sallyport session end --app-key tablet"],
      ["Create its successor", "sallyport app-key create tablet-2 --app-name office"],
    ],
    commands: appKeyCommands,
  },
];
