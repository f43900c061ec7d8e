import type { AdministeredBanData, AdministeredDeviceData, AppliedRuleData } from "@sallyport/client/admin";
import { CommandError, keepingAccess } from "../failures.ts";
import { findGroup, findUser } from "../find.ts";
import type { AdminCommand, CommandInput, Noun } from "../admin-command.ts";
import { done, endedText, everyItem, firstItem, listed, type Outcome, timeText, wouldDo } from "../outcome.ts";
import { liveSessions } from "../sessions.ts";

const userOption = ["--user <name>", "log-in name or id of the user"] as const;
const deviceOption = [
  "--device <id>",
  "device id, as the client sends it; with --user, only this user on the device",
] as const;
const addressOption = ["--address <address>", "IPv4 address, or IPv6 address for its /64, of the log-ins"] as const;
const reasonOption = ["--reason <text>", "reason, for administrators"] as const;

interface Subject {
  readonly userId: string | null;
  readonly deviceId: string | null;
}

async function userIdOf(input: CommandInput): Promise<string | null> {
  const name = input.text("user");
  return name === undefined ? null : (await findUser(input.admin, name)).userId;
}

async function subjectOf(input: CommandInput): Promise<Subject> {
  return { userId: await userIdOf(input), deviceId: input.text("device") ?? null };
}

/** The subject for users, such as `user "bob" on device "phone-1"`. */
function subjectText(input: CommandInput): string {
  const named = (["user", "device", "group", "address"] as const).flatMap((kind) => {
    const name = input.text(kind);
    return name === undefined ? [] : [`${kind} "${name}"`];
  });
  return named.length === 0 ? "everyone" : named.join(" on ");
}

/** The effect that a change would have, as its rehearsal on the server tells. */
function rehearsed(change: string, rule: AppliedRuleData): Outcome {
  const number = rule.ended === 1 ? "1 session" : `${rule.ended} sessions`;
  const table = listed("sessions", rule.sessions, {
    USER: ({ user, userId }) => user || userId,
    DEVICE: ({ deviceId }) => deviceId ?? "none",
    "APP NAMES": ({ appNames }) => appNames.join(", ") || "none",
    SINCE: { whole: ({ since }) => timeText(since) },
  });
  const text = `${change} ${number} would end. Nothing was changed.`;
  return { data: rule, text: table.isEmpty ? text : `${text}\n${table.text}` };
}

/** The ban that the options describe. */
async function banIn(input: CommandInput) {
  const [subject, from, until] = [await bannedOf(input), input.time("from", "future"), input.time("until", "future")];
  if (until !== undefined && until.getTime() <= (from?.getTime() ?? Date.now()))
    throw new CommandError(`The ban would end before it begins: --until is ${timeText(until.toISOString())}.`);
  const times = { from: from?.toISOString() ?? null, until: until?.toISOString() ?? null };
  return { ...subject, reason: input.text("reason") ?? "", ...times };
}

/** The stored ban that the options describe. Refused if there is none. */
async function storedBan(input: CommandInput): Promise<AdministeredBanData> {
  const { userId, deviceId, address } = await bannedOf(input);
  const find = (fits: (ban: AdministeredBanData) => boolean) => firstItem((page) => input.admin.bans.list(page), fits);
  const isListed = (each: AdministeredBanData) =>
    each.userId === userId && each.deviceId === deviceId && each.address === address;
  // The server knows the network of an address that is not written as in the list.
  const ofNetwork = async (text: string) => {
    const { id } = await input.admin.bans.rehearse({ address: text });
    return find((each) => each.id === id);
  };
  const ban = (await find(isListed)) ?? (address === null ? undefined : await ofNetwork(address));
  if (ban === undefined) throw new CommandError(`There is no ban of ${subjectText(input)}.`, "refused");
  return ban;
}

function untilText({ until }: { readonly until: string | null }): string {
  return until === null ? "" : ` until ${timeText(until)}`;
}

const banCommands: readonly AdminCommand[] = [
  {
    name: "ban add",
    description: "ban a user, a device, a user on a device, or an address, and end their sessions",
    options: [
      userOption,
      deviceOption,
      addressOption,
      ["--from <time|duration>", "beginning: a time, or a duration from now (default: now)"],
      ["--until <time|duration>", "end: a time, or a duration from now (default: none)"],
      reasonOption,
    ],
    call: async (input) => {
      const ban = await banIn(input);
      const rule = await keepingAccess(() => input.admin.bans.add(ban));
      return done(`Banned ${subjectText(input)}${untilText(ban)}.${endedText(rule.ended)}`, rule);
    },
    dryRun: async (input) => {
      const ban = await banIn(input);
      const rule = await keepingAccess(() => input.admin.bans.rehearse(ban));
      return rehearsed(`It would ban ${subjectText(input)}${untilText(ban)}.`, rule);
    },
  },
  {
    name: "ban remove",
    description: "remove a ban; takes effect with the next log-in",
    options: [userOption, deviceOption, addressOption],
    call: async (input) => {
      await input.admin.bans.remove((await storedBan(input)).id);
      return done(`Removed the ban of ${subjectText(input)}.`);
    },
    dryRun: async (input) => {
      const ban = await storedBan(input);
      return wouldDo(`It would remove the ban of ${subjectText(input)}${untilText(ban)}.`, ban);
    },
  },
  {
    name: "ban list",
    description: "list bans",
    call: async ({ admin }) =>
      listed("bans", await everyItem("bans", (page) => admin.bans.list(page)), {
        USER: ({ user, userId }) => user ?? userId ?? "all",
        DEVICE: ({ deviceId }) => deviceId ?? "all",
        ADDRESS: { whole: ({ address }) => address ?? "all" },
        STATE: ({ state }) => (state === "inForce" ? "in force" : state),
        UNTIL: { whole: ({ until }) => timeText(until) },
        REASON: ({ reason }) => reason || "none",
        FROM: { whole: ({ from }) => timeText(from) },
      }),
  },
];

interface Banned extends Subject {
  readonly address: string | null;
}

async function bannedOf(input: CommandInput): Promise<Banned> {
  const [subject, address] = [await subjectOf(input), input.text("address") ?? null];
  if ((subject.userId === null && subject.deviceId === null) === (address === null))
    throw new CommandError("Pass --user, --device or both, or --address.");
  return { ...subject, address };
}

const deviceId = ["<id>", "device id, as the client sends it"] as const;

/** The device that the command names. Refused if there is none. */
async function requireDevice(input: CommandInput): Promise<AdministeredDeviceData> {
  const [id, userId] = [input.word(0), await userIdOf(input)];
  const device = await firstItem(
    (page) => input.admin.devices.list({ ...page, user: userId ?? undefined }),
    (each) => each.deviceId === id && each.userId === userId,
  );
  if (device === undefined) throw new CommandError(`There is no such device "${id}".`, "refused");
  return device;
}

const deviceCommands: readonly AdminCommand[] = [
  {
    name: "device list",
    description: "list known and registered devices",
    options: [["--user <name>", "only those of this user"]],
    call: async (input) => {
      const user = (await userIdOf(input)) ?? undefined;
      return listed("devices", await everyItem("devices", (page) => input.admin.devices.list({ ...page, user })), {
        DEVICE: (device) => device.deviceId,
        USER: (device) => device.user ?? device.userId ?? "all",
        REGISTERED: ({ registered }) => (registered ? "yes" : "no"),
        "LAST SEEN": { whole: ({ lastSeen }) => timeText(lastSeen) },
        SAYS: ({ says }) =>
          Object.entries(says)
            .map(([name, text]) => `${name}: ${text}`)
            .join(", ") || "nothing",
      });
    },
  },
  {
    name: "device register",
    description: "register a device, for databases that admit registered devices only",
    arguments: [deviceId],
    options: [["--user <name>", "log-in name of the user (default: all users)"]],
    call: async (input) => {
      const device = await input.admin.devices.register({ deviceId: input.word(0), userId: await userIdOf(input) });
      return done(`Registered device "${device.deviceId}".`, device);
    },
  },
  {
    name: "device forget",
    description: "remove a device; where only registered devices are admitted, end its sessions",
    arguments: [deviceId],
    options: [["--user <name>", "log-in name of the user (default: the registration for all users)"]],
    call: async (input) => {
      const ended = await input.admin.devices.forget((await requireDevice(input)).id);
      return done(`Removed device "${input.word(0)}".${endedText(ended)}`, { ended });
    },
    dryRun: async (input) => {
      const { userId, deviceId: id, ...device } = await requireDevice(input);
      const sessions = await liveSessions(input, (each) => each.deviceId === id, userId ?? undefined);
      return wouldDo(
        `It would remove device "${id}". Its ${sessions.length} sessions would end where only registered devices are admitted.`,
        { ...device, userId, deviceId: id, sessions },
      );
    },
  },
];

/** The rule about an app name that the options describe. */
async function ruleIn(input: CommandInput, access: "allow" | "forbid" | null) {
  const group = input.text("group");
  return {
    app: input.word(0),
    access,
    ...(await subjectOf(input)),
    groupId: group === undefined ? null : (await findGroup(input.admin, group)).groupId,
    reason: input.text("reason") ?? "",
  };
}

function ruleCommand(
  verb: string,
  access: "allow" | "forbid" | null,
  description: string,
  [past, future]: readonly [past: string, future: string],
): AdminCommand {
  return {
    name: `app ${verb}`,
    description,
    arguments: [["<name>", "the app name"]],
    options: [userOption, deviceOption, ["--group <name>", "name or id of the user group"], reasonOption],
    call: async (input) => {
      const rule = await ruleIn(input, access);
      const effect = await keepingAccess(() => input.admin.appRules.set(rule));
      return done(`${past} "${rule.app}" for ${subjectText(input)}.${endedText(effect.ended)}`, effect);
    },
    dryRun: async (input) => {
      const rule = await ruleIn(input, access);
      const effect = await keepingAccess(() => input.admin.appRules.rehearse(rule));
      return rehearsed(`It would ${future} "${rule.app}" for ${subjectText(input)}.`, effect);
    },
  };
}

/** Commands about app names for some. */
export const appRuleCommands: readonly AdminCommand[] = [
  ruleCommand("allow", "allow", "allow an app name for a user, a device, a group, or everyone", ["Allowed", "allow"]),
  ruleCommand(
    "forbid",
    "forbid",
    "forbid an app name for a user, a device, a group, or everyone, and end the sessions concerned",
    ["Forbade", "forbid"],
  ),
  ruleCommand("clear-rule", null, "remove the rule of a user, a device, a group, or everyone", [
    "Removed the rule about",
    "remove the rule about",
  ]),
  {
    name: "app rules",
    description: "list the rules about app names",
    call: async ({ admin }) => {
      const subjects = await everyItem("rules", (page) => admin.appRules.list(page));
      const rules = subjects.flatMap((subject) => subject.rules.map((rule) => ({ ...subject, ...rule })));
      const table = listed("rules", rules, {
        "APP NAME": ({ app }) => app,
        RULE: ({ access }) => access,
        USER: ({ user, userId }) => user ?? userId ?? "all",
        DEVICE: (rule) => rule.deviceId ?? "all",
        GROUP: ({ group, groupId }) => group ?? groupId ?? "all",
        REASON: ({ reason }) => reason || "none",
      });
      return { ...table, data: subjects };
    },
  },
];

export const ruleNouns: readonly Noun[] = [
  {
    name: "ban",
    description: "ban users, devices and addresses",
    examples: [
      ["Lock out a stolen phone at once", "sallyport ban add --device phone-1 --reason stolen"],
      ["Lock its user out too, since clients choose their device ids", "sallyport user set-password bob"],
      ["Keep out an address that guesses passwords", "sallyport ban add --address 203.0.113.7 --reason guessing"],
      ["See which sessions a ban would end", "sallyport ban add --user bob --dry-run"],
    ],
    commands: banCommands,
  },
  {
    name: "device",
    description: "list, register and remove devices",
    examples: [["See the devices of a user", "sallyport device list --user bob"]],
    commands: deviceCommands,
  },
];
