import { SallyportError } from "@sallyport/client";
import type { AdministeredSessionData, AppChangeData } from "@sallyport/client/admin";
import { CommandError, keepingAccess } from "../failures.ts";
import { findAppKey, findUser } from "../find.ts";
import type { AdminCommand, Given, Noun } from "../given.ts";
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

function seatKindOf(given: Given): Pick<AppChangeData, "seatKind"> {
  const kind = given.text("seatKind");
  return kind === undefined ? {} : { seatKind: given.choice("--seat-kind", kind, seatKinds) };
}

/** Changes the app name, unless someone else does meanwhile. */
async function changeApp({ admin }: Given, name: string, change: AppChangeData, text: string): Promise<Outcome> {
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
    call: async (given) => {
      const app = await given.admin.apps.create({
        name: given.word(0),
        seats: seatsOf(given.text("seats") ?? unlimited),
        ...seatKindOf(given),
        secondFactor: given.choice("--second-factor", given.text("secondFactor") ?? "off", policies),
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
    call: async (given) => {
      const change = { seats: seatsOf(given.word(1)), ...seatKindOf(given) };
      return changeApp(given, given.word(0), change, `Set the seats of "${given.word(0)}" to ${given.word(1)}.`);
    },
  },
  {
    name: "app second-factor",
    description: "set the second factor policy of an app name; takes effect with the next log-in",
    arguments: [
      ["<name>", "the app name"],
      ["<off|optional|forced>", "whether log-ins need no token, one if the user has a factor, or always one"],
    ],
    call: async (given) => {
      const secondFactor = given.choice("The second factor policy", given.word(1), policies);
      const text = `Set the second factor policy of "${given.word(0)}" to ${secondFactor}.`;
      return changeApp(given, given.word(0), { secondFactor }, text);
    },
  },
];

async function setKeyEnabled(given: Given, enabled: boolean, effect = ""): Promise<Outcome> {
  const { appKeyId } = await findAppKey(given.admin, given.word(0));
  const ifMatch = await given.admin.appKeys.get(appKeyId);
  const call = () => given.admin.appKeys.setEnabled(appKeyId, enabled, { ifMatch });
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
    call: async (given) => {
      const appNames = given.texts("appName");
      const key = await given.admin.appKeys.create({
        name: given.word(0),
        scope: given.choice("--scope", given.text("scope") ?? "app", ["app", "admin"]),
        appNames: appNames === undefined ? null : [...appNames],
        origins: [...(given.texts("origin") ?? [])],
        returnAddresses: [...(given.texts("returnTo") ?? [])],
      });
      return done(key.key, key);
    },
  },
  {
    name: "app-key disable",
    description: "disable an app key; its sessions cannot be used until it is enabled, but keep their seats",
    arguments: [keyName],
    call: (given) => setKeyEnabled(given, false, " To free the seats of its sessions, run session end --app-key."),
    dryRun: async (given) => {
      const sessions = await sessionsOfKey(given, given.word(0));
      const text = `It would disable app key "${given.word(0)}". Its ${sessions.length} sessions could not be used.`;
      return wouldDo(text, { sessions });
    },
  },
  {
    name: "app-key enable",
    description: "enable an app key",
    arguments: [keyName],
    call: (given) => setKeyEnabled(given, true),
  },
];

/** Whether a session fits the options of the list. */
function fits(given: Given): (session: AdministeredSessionData) => boolean {
  const [app, key, device] = [given.text("appName"), given.text("appKey"), given.text("device")];
  return ({ appNames, reservedNames, appKey, deviceId }) =>
    (app === undefined || appNames.includes(app) || reservedNames.includes(app)) &&
    (key === undefined || appKey === key) &&
    (device === undefined || deviceId === device);
}

/** Ends sessions that are listed. Returns the number of those that were still live. */
async function endAll({ admin }: Given, sessions: readonly AdministeredSessionData[]): Promise<number> {
  let ended = 0;
  for (const { id } of sessions) {
    try {
      await admin.sessions.end(id);
      ended += 1;
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof SallyportError) || error.code !== 304) throw error;
    }
  }
  return ended;
}

/** The sessions of an app key. */
async function sessionsOfKey(given: Given, key: string): Promise<AdministeredSessionData[]> {
  const { name } = await findAppKey(given.admin, key);
  return liveSessions(given, (session) => session.appKey === name);
}

/** Exactly one of the ways to name sessions. */
function chosenSessions(given: Given) {
  const [ids, user, key] = [given.rest(0), given.text("user"), given.text("appKey")];
  if ([ids.length > 0, user !== undefined, key !== undefined].filter(Boolean).length !== 1)
    throw new CommandError("Pass ids of sessions, or --user, or --app-key.");
  return { ids, user, key };
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
    call: async (given) => {
      const named = given.text("user");
      const user = named === undefined ? undefined : (await findUser(given.admin, named)).userId;
      return sessionTable(await liveSessions(given, fits(given), user));
    },
  },
  {
    name: "session end",
    description: "end sessions and free their seats",
    arguments: [["[id...]", "ids of sessions, as listed"]],
    options: [
      ["--user <name>", "end all sessions of this user"],
      ["--app-key <name>", "end all sessions of this app key"],
    ],
    call: async (given) => {
      const { ids, user, key } = chosenSessions(given);
      if (user !== undefined) {
        const { userId, name } = await findUser(given.admin, user);
        const ended = await given.admin.sessions.endOfUser(userId);
        return done(`Ended the sessions of "${name}".${endedText(ended)}`, { ended });
      }
      const ended = key === undefined ? ids.length : await endAll(given, await sessionsOfKey(given, key));
      for (const id of ids) await given.admin.sessions.end(id);
      return done(endedText(ended).trim(), { ended });
    },
    dryRun: async (given) => {
      const { ids, user, key } = chosenSessions(given);
      if (key !== undefined)
        return wouldEnd(`It would end the sessions of app key "${key}"`, await sessionsOfKey(given, key));
      if (user === undefined)
        return wouldEnd("It would end these sessions", await liveSessions(given, ({ id }) => ids.includes(id)));
      const { userId, name } = await findUser(given.admin, user);
      return wouldEnd(`It would end the sessions of "${name}"`, await liveSessions(given, () => true, userId));
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
