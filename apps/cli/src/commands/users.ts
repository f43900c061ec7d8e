import type { AdministeredUserData, UserChangeData } from "@sallyport/client/admin";
import { CommandError, keepingAccess } from "../failures.ts";
import { createdGroupIds, findUser, groupIds } from "../find.ts";
import type { AdminCommand, CommandInput, Noun } from "../admin-command.ts";
import { done, everyItem, listed, type Outcome, shown } from "../outcome.ts";
import { liveSessions, wouldEnd } from "../sessions.ts";

const name = ["<name>", "log-in name or id of the user"] as const;

/** Options of `CommandInput.newPassword`. */
export const passwordOptions = [
  ["--password-file <file>", "read the password from this file"],
  ["--password-digest", "import the MD5 of a password, 32 hexadecimal digits, instead of a password"],
] as const;

export function stateText({ enabled }: { readonly enabled: boolean }): string {
  return enabled ? "enabled" : "disabled";
}

/** The address, or `null` for `--none`. Requires exactly one of them. */
export function emailOf(input: CommandInput): string | null {
  const address = input.optionalWord(1);
  if ((address === undefined) !== input.flag("none")) throw new CommandError("Pass an address or --none.");
  return address ?? null;
}

/** Changes the user, unless someone else has done so since. */
async function changeUser(
  input: CommandInput,
  change: UserChangeData,
  text: (name: string) => string,
): Promise<Outcome> {
  const { userId } = await findUser(input.admin, input.word(0));
  const ifMatch = await input.admin.users.get(userId);
  const call = () => input.admin.users.change(userId, change, { ifMatch });
  const { enabled, administrator, rights = "all" } = change;
  const takesAccess = enabled === false || administrator === false || rights !== "all";
  const changed = await (takesAccess ? keepingAccess(call) : call());
  return done(text(changed.name), changed);
}

async function changeOf(input: CommandInput): Promise<UserChangeData> {
  const administrator = input.text("administrator");
  const groups = input.texts("group");
  const description = input.text("description");
  const change = {
    ...(input.text("name") === undefined ? {} : { name: input.text("name") }),
    ...(description === undefined ? {} : { description: description === "" ? null : description }),
    ...(administrator === undefined
      ? {}
      : { administrator: input.choice("--administrator", administrator, ["yes", "no"]) === "yes" }),
    ...rightsOf(input),
    ...(groups === undefined ? {} : { groups: await groupIds(input.admin, groups) }),
  };
  if (Object.keys(change).length === 0) throw new CommandError("Pass what to change. See --help.");
  return change;
}

/** The rights of `--rights`, if it is given. */
function rightsOf(input: CommandInput): Pick<UserChangeData, "rights"> {
  const rights = input.text("rights");
  return rights === undefined ? {} : { rights: input.choice("--rights", rights, ["all", "view", "audit"]) };
}

/** Administrators without all rights have those in place of `yes`. Servers of earlier versions tell none. */
function administratorText({ administrator, rights }: AdministeredUserData): string {
  if (!administrator) return "no";
  return rights === "view" || rights === "audit" ? rights : "yes";
}

async function showUser({ admin }: CommandInput, user: AdministeredUserData): Promise<Outcome> {
  const groups = await Promise.all(user.groups.map(async (id) => (await admin.groups.get(id)).name));
  return shown(user, [
    ["name", user.name],
    ["id", user.userId],
    ["state", stateText(user)],
    ["administrator", administratorText(user)],
    ["groups", groups.join(", ") || "none"],
    ["e-mail", user.email ?? "none"],
    ["description", user.description ?? "none"],
  ]);
}

const userCommands: readonly AdminCommand[] = [
  {
    name: "user list",
    description: "list users",
    call: async ({ admin }) => {
      const groups = await everyItem("groups", (page) => admin.groups.list(page));
      const names = new Map(groups.map((group) => [group.groupId, group.name]));
      return listed("users", await everyItem("users", (page) => admin.users.list(page)), {
        NAME: (user) => user.name,
        ID: ({ userId }) => userId,
        STATE: stateText,
        ADMINISTRATOR: administratorText,
        GROUPS: (user) => user.groups.map((id) => names.get(id) ?? id).join(", ") || "none",
      });
    },
  },
  {
    name: "user show",
    description: "show a user",
    arguments: [name],
    call: async (input) => {
      const { userId } = await findUser(input.admin, input.word(0));
      return showUser(input, await input.admin.users.get(userId));
    },
  },
  {
    name: "user create",
    description: "create a user; asks for the password or reads it from standard input",
    arguments: [["<name>", "log-in name"]],
    options: [
      ["--administrator", "make the user an administrator, with all rights if no --rights say others"],
      ["--rights <all|view|audit>", "make the user an administrator with these rights"],
      ["--description <text>", "description of the user"],
      ["--email <address>", "e-mail address for password resets"],
      ["--group <name...>", "groups to add the user to"],
      ["--create-groups", "create the groups of --group that do not exist"],
      ...passwordOptions,
    ],
    call: async (input) => {
      const description = input.text("description");
      // Fails before the question for the password.
      const groupsOf = input.flag("createGroups") ? createdGroupIds : groupIds;
      const groups = await groupsOf(input.admin, input.texts("group") ?? []);
      const user = await input.admin.users.create({
        name: input.word(0),
        ...(await input.newPassword()),
        ...(input.flag("administrator") ? { administrator: true } : {}),
        ...rightsOf(input),
        email: input.text("email") ?? null,
        groups,
        ...(description === undefined ? {} : { description }),
      });
      return done(`Created user "${user.name}".`, user);
    },
  },
  {
    name: "user disable",
    description: "disable a user and end their sessions",
    arguments: [name],
    call: (input) => changeUser(input, { enabled: false }, (of) => `Disabled user "${of}". Their sessions have ended.`),
    dryRun: async (input) => {
      const { userId, name: user } = await findUser(input.admin, input.word(0));
      return wouldEnd(`User "${user}" would be disabled`, await liveSessions(input, () => true, userId));
    },
  },
  {
    name: "user enable",
    description: "enable a user",
    arguments: [name],
    call: (input) => changeUser(input, { enabled: true }, (of) => `Enabled user "${of}".`),
  },
  {
    name: "user change",
    description: "rename or describe a user, set their groups, make or unmake them an administrator",
    arguments: [name],
    options: [
      ["--name <name>", "new log-in name"],
      ["--description <text>", "new description; empty to remove it"],
      ["--administrator <yes|no>", "whether the user is an administrator, with all rights unless they have others"],
      ["--rights <all|view|audit>", "make the user an administrator with these rights"],
      ["--group <name...>", "all groups of the user from now on"],
    ],
    call: async (input) => changeUser(input, await changeOf(input), (of) => `Changed user "${of}".`),
  },
  {
    name: "user set-email",
    description: "set the e-mail address of a user",
    arguments: [name, ["[address]", "new e-mail address"]],
    options: [["--none", "remove the e-mail address"]],
    call: (input) => changeUser(input, { email: emailOf(input) }, (of) => `Set the e-mail address of "${of}".`),
  },
  {
    name: "user set-password",
    description: "set the password of a user and end their sessions; asks for it or reads it from standard input",
    arguments: [name],
    options: passwordOptions,
    call: async (input) => {
      const user = await findUser(input.admin, input.word(0));
      await input.admin.users.setPassword(user.userId, await input.newPassword());
      return done(`Set the password of "${user.name}" and ended all sessions.`);
    },
  },
];

export const userNouns: readonly Noun[] = [
  {
    name: "user",
    description: "manage users",
    examples: [
      ["Create a user of the group sales", "sallyport user create bob --group sales"],
      ["Create an administrator who changes nothing", "sallyport user create eve --rights view"],
      ["Lock out a user at once", "sallyport user disable bob"],
    ],
    commands: userCommands,
  },
  { name: "group", description: "manage groups", examples: [], commands: [] },
];
