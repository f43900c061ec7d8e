import type { AdministeredUserData, UserChangeData } from "@sallyport/client/admin";
import { CommandError, keepingAccess } from "../failures.ts";
import { findGroup, findUser, groupIds } from "../find.ts";
import type { AdminCommand, Given, Noun } from "../given.ts";
import { done, everyItem, listed, type Outcome, shown } from "../outcome.ts";
import { liveSessions, wouldEnd } from "../sessions.ts";

const name = ["<name>", "log-in name or id of the user"] as const;
const groupName = ["<name>", "name or id of the group"] as const;

/** Options of `Given.newPassword`. */
export const passwordOptions = [
  ["--password-file <file>", "read the password from this file"],
  ["--password-digest", "import the MD5 of a password, 32 hexadecimal digits, instead of a password"],
] as const;

export function stateText({ enabled }: { readonly enabled: boolean }): string {
  return enabled ? "enabled" : "disabled";
}

/** The address, or `null` for `--none`. Requires exactly one of them. */
export function emailOf(given: Given): string | null {
  const address = given.optionalWord(1);
  if ((address === undefined) !== given.flag("none")) throw new CommandError("Pass an address or --none.");
  return address ?? null;
}

/** Changes the user, unless someone else does meanwhile. */
async function changeUser(given: Given, change: UserChangeData, text: (name: string) => string): Promise<Outcome> {
  const { userId } = await findUser(given.admin, given.word(0));
  const ifMatch = await given.admin.users.get(userId);
  const call = () => given.admin.users.change(userId, change, { ifMatch });
  const takesAccess = change.enabled === false || change.administrator === false;
  const changed = await (takesAccess ? keepingAccess(call) : call());
  return done(text(changed.name), changed);
}

async function changeOf(given: Given): Promise<UserChangeData> {
  const administrator = given.text("administrator");
  const groups = given.texts("group");
  const description = given.text("description");
  const change = {
    ...(given.text("name") === undefined ? {} : { name: given.text("name") }),
    ...(description === undefined ? {} : { description: description === "" ? null : description }),
    ...(administrator === undefined
      ? {}
      : { administrator: given.choice("--administrator", administrator, ["yes", "no"]) === "yes" }),
    ...(groups === undefined ? {} : { groups: await groupIds(given.admin, groups) }),
  };
  if (Object.keys(change).length === 0) throw new CommandError("Pass what to change. See --help.");
  return change;
}

async function showUser({ admin }: Given, user: AdministeredUserData): Promise<Outcome> {
  const groups = await Promise.all(user.groups.map(async (id) => (await admin.groups.get(id)).name));
  return shown(user, [
    ["name", user.name],
    ["id", user.userId],
    ["state", stateText(user)],
    ["administrator", user.administrator ? "yes" : "no"],
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
        ADMINISTRATOR: ({ administrator }) => (administrator ? "yes" : "no"),
        GROUPS: (user) => user.groups.map((id) => names.get(id) ?? id).join(", ") || "none",
      });
    },
  },
  {
    name: "user show",
    description: "show a user",
    arguments: [name],
    call: async (given) => {
      const { userId } = await findUser(given.admin, given.word(0));
      return showUser(given, await given.admin.users.get(userId));
    },
  },
  {
    name: "user create",
    description: "create a user; asks for the password or reads it from standard input",
    arguments: [["<name>", "log-in name"]],
    options: [
      ["--administrator", "make the user an administrator, with all rights"],
      ["--description <text>", "description of the user"],
      ["--email <address>", "e-mail address for password resets"],
      ["--group <name...>", "groups to add the user to"],
      ["--create-groups", "create the groups of --group that do not exist"],
      ...passwordOptions,
    ],
    call: async (given) => {
      const description = given.text("description");
      // Fails before the question for the password.
      const groups = await groupIds(given.admin, given.texts("group") ?? [], given.flag("createGroups"));
      const user = await given.admin.users.create({
        name: given.word(0),
        ...(await given.newPassword()),
        administrator: given.flag("administrator"),
        email: given.text("email") ?? null,
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
    call: (given) => changeUser(given, { enabled: false }, (of) => `Disabled user "${of}". Their sessions have ended.`),
    dryRun: async (given) => {
      const { userId, name: user } = await findUser(given.admin, given.word(0));
      return wouldEnd(`User "${user}" would be disabled`, await liveSessions(given, () => true, userId));
    },
  },
  {
    name: "user enable",
    description: "enable a user",
    arguments: [name],
    call: (given) => changeUser(given, { enabled: true }, (of) => `Enabled user "${of}".`),
  },
  {
    name: "user change",
    description: "rename or describe a user, set their groups, make or unmake them an administrator",
    arguments: [name],
    options: [
      ["--name <name>", "new log-in name"],
      ["--description <text>", "new description; empty to remove it"],
      ["--administrator <yes|no>", "whether the user has all rights"],
      ["--group <name...>", "all groups of the user from now on"],
    ],
    call: async (given) => changeUser(given, await changeOf(given), (of) => `Changed user "${of}".`),
  },
  {
    name: "user set-email",
    description: "set the e-mail address of a user",
    arguments: [name, ["[address]", "new e-mail address"]],
    options: [["--none", "remove the e-mail address"]],
    call: (given) => changeUser(given, { email: emailOf(given) }, (of) => `Set the e-mail address of "${of}".`),
  },
  {
    name: "user set-password",
    description: "set the password of a user and end their sessions; asks for it or reads it from standard input",
    arguments: [name],
    options: passwordOptions,
    call: async (given) => {
      const user = await findUser(given.admin, given.word(0));
      await given.admin.users.setPassword(user.userId, await given.newPassword());
      return done(`Set the password of "${user.name}" and ended all sessions.`);
    },
  },
];

const groupCommands: readonly AdminCommand[] = [
  {
    name: "group list",
    description: "list groups",
    call: async ({ admin }) =>
      listed("groups", await everyItem("groups", (page) => admin.groups.list(page)), {
        NAME: (group) => group.name,
        ID: ({ groupId }) => groupId,
        DESCRIPTION: ({ description }) => description ?? "none",
      }),
  },
  {
    name: "group create",
    description: "create a group",
    arguments: [["<name>", "name of the group"]],
    options: [["--description <text>", "description of the group"]],
    call: async (given) => {
      const description = given.text("description") ?? null;
      const group = await given.admin.groups.create({ name: given.word(0), description });
      return done(`Created group "${group.name}".`, group);
    },
  },
  {
    name: "group change",
    description: "rename or describe a group",
    arguments: [groupName],
    options: [
      ["--name <name>", "new name"],
      ["--description <text>", "new description; empty to remove it"],
    ],
    call: async (given) => {
      const [next, description] = [given.text("name"), given.text("description")];
      if (next === undefined && description === undefined) throw new CommandError("Pass --name or --description.");
      const { groupId } = await findGroup(given.admin, given.word(0));
      const change = {
        ...(next === undefined ? {} : { name: next }),
        ...(description === undefined ? {} : { description: description === "" ? null : description }),
      };
      const ifMatch = await given.admin.groups.get(groupId);
      const group = await given.admin.groups.change(groupId, change, { ifMatch });
      return done(`Changed group "${group.name}".`, group);
    },
  },
];

export const userNouns: readonly Noun[] = [
  {
    name: "user",
    description: "manage users",
    examples: [
      ["Create a user of the group sales", "sallyport user create bob --group sales"],
      ["Lock out a user at once", "sallyport user disable bob"],
    ],
    commands: userCommands,
  },
  { name: "group", description: "manage groups", examples: [], commands: groupCommands },
];
