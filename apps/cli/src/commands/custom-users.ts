import type { AdministeredFactorData, CustomUserChangeData } from "@sallyport/client/admin";
import { findCustomUser, findUser } from "../find.ts";
import type { AdminCommand, Given, Noun } from "../given.ts";
import { done, endedText, everyItem, listed, type Outcome, shown } from "../outcome.ts";
import { emailOf, passwordOptions, stateText } from "./users.ts";

const name = ["<name>", "log-in name or id of the custom user"] as const;

/** Changes the custom user, unless someone else does meanwhile. */
async function change(given: Given, changed: CustomUserChangeData, text: (name: string) => string): Promise<Outcome> {
  const { customUserId } = await findCustomUser(given.admin, given.word(0));
  const ifMatch = await given.admin.customUsers.get(customUserId);
  const user = await given.admin.customUsers.change(customUserId, changed, { ifMatch });
  return done(text(user.name), user);
}

const customUserCommands: readonly AdminCommand[] = [
  {
    name: "custom-user list",
    description: "list custom users",
    call: async ({ admin }) =>
      listed("custom users", await everyItem("custom users", (page) => admin.customUsers.list(page)), {
        NAME: (user) => user.name,
        STATE: stateText,
        "MAPPED TO": ({ user, userId }) => user || userId,
        EMAIL: ({ email }) => email ?? "none",
      }),
  },
  {
    name: "custom-user show",
    description: "show a custom user",
    arguments: [name],
    call: async (given) => {
      const { customUserId } = await findCustomUser(given.admin, given.word(0));
      const user = await given.admin.customUsers.get(customUserId);
      return shown(user, [
        ["name", user.name],
        ["id", user.customUserId],
        ["state", stateText(user)],
        ["mapped to", `${user.user || "no user (removed)"} (${user.userId})`],
        ["e-mail", user.email ?? "none"],
      ]);
    },
  },
  {
    name: "custom-user create",
    description: "create a custom user; asks for the password or reads it from standard input",
    arguments: [["<name>", "log-in name at /v1/auth/df"]],
    options: [
      ["--user <name>", "database user whose rights the custom user gets (required)"],
      ["--email <address>", "e-mail address for password resets"],
      ...passwordOptions,
    ],
    call: async (given) => {
      const { userId } = await findUser(given.admin, given.required("user"));
      const user = await given.admin.customUsers.create({
        name: given.word(0),
        ...(await given.newPassword()),
        userId,
        email: given.text("email") ?? null,
      });
      return done(`Created custom user "${user.name}", mapped to "${user.user}".`, user);
    },
  },
  {
    name: "custom-user disable",
    description: "disable a custom user and end their sessions",
    arguments: [name],
    call: (given) =>
      change(given, { enabled: false }, (of) => `Disabled custom user "${of}". Their sessions have ended.`),
  },
  {
    name: "custom-user enable",
    description: "enable a custom user",
    arguments: [name],
    call: (given) => change(given, { enabled: true }, (of) => `Enabled custom user "${of}".`),
  },
  {
    name: "custom-user map",
    description: "map a custom user to another database user and end their sessions",
    arguments: [name, ["<user>", "name or id of the database user"]],
    call: async (given) => {
      const { userId, name: user } = await findUser(given.admin, given.word(1));
      return change(given, { userId }, (of) => `Mapped "${of}" to "${user}".`);
    },
  },
  {
    name: "custom-user set-email",
    description: "set the e-mail address of a custom user",
    arguments: [name, ["[address]", "new e-mail address"]],
    options: [["--none", "remove the e-mail address"]],
    call: (given) => change(given, { email: emailOf(given) }, (of) => `Set the e-mail address of "${of}".`),
  },
  {
    name: "custom-user set-password",
    description:
      "set the password of a custom user and end their sessions; asks for it or reads it from standard input",
    arguments: [name],
    options: passwordOptions,
    call: async (given) => {
      const user = await findCustomUser(given.admin, given.word(0));
      await given.admin.customUsers.setPassword(user.customUserId, await given.newPassword());
      return done(`Set the password of "${user.name}" and ended all sessions.`);
    },
  },
  {
    name: "custom-user remove",
    description: "remove a custom user and end their sessions",
    arguments: [name],
    call: async (given) => {
      const user = await findCustomUser(given.admin, given.word(0));
      const ended = await given.admin.customUsers.remove(user.customUserId);
      return done(`Removed custom user "${user.name}".${endedText(ended)}`, { ended });
    },
  },
];

const isCustom = ["--custom-user", "<name> is a custom user"] as const;

/** The group of calls and the id of the account that the command names. */
async function accountOf(given: Given) {
  const { admin } = given;
  if (!given.flag("customUser"))
    return { calls: admin.users, id: (await findUser(admin, given.word(0))).userId } as const;
  return { calls: admin.customUsers, id: (await findCustomUser(admin, given.word(0))).customUserId } as const;
}

const factorCommands: readonly AdminCommand[] = [
  {
    name: "second-factor list",
    description: "list the second factors of a user",
    arguments: [["<name>", "log-in name"]],
    options: [isCustom],
    call: async (given) => {
      const { calls, id } = await accountOf(given);
      return listed<AdministeredFactorData>("second factors", await calls.factors(id), {
        "APP NAME": ({ app }) => app,
        STATE: ({ confirmed }) => (confirmed ? "confirmed" : "pending"),
        "RECOVERY CODES": ({ recoveryCodesLeft }) => String(recoveryCodesLeft),
      });
    },
  },
  {
    name: "second-factor remove",
    description: "remove the second factors of a user, who can then enrol new ones",
    arguments: [["<name>", "log-in name"]],
    options: [["--app-name <name>", "remove only the one of this app name"], isCustom],
    call: async (given) => {
      const { calls, id } = await accountOf(given);
      const app = given.text("appName");
      await calls.removeFactors(id, { app });
      return done(`Removed the second factors of "${given.word(0)}"${app === undefined ? "" : ` for "${app}"`}.`);
    },
  },
];

export const customUserNouns: readonly Noun[] = [
  {
    name: "custom-user",
    description: "manage custom users, which have no database account",
    examples: [["Create a custom user with the rights of reader", "sallyport custom-user create zoe --user reader"]],
    commands: customUserCommands,
  },
  {
    name: "second-factor",
    description: "list and remove second factors",
    examples: [["Help a user whose phone is lost", "sallyport second-factor remove bob"]],
    commands: factorCommands,
  },
];
