import type { AdministeredFactorData, CustomUserChangeData, Users } from "@sallyport/client/admin";
import { findCustomUser, findUser } from "../find.ts";
import type { AdminCommand, CommandInput, Noun } from "../admin-command.ts";
import { CommandError } from "../failures.ts";
import { done, endedText, everyItem, listed, type Outcome, shown } from "../outcome.ts";
import { liveSessions, wouldEnd } from "../sessions.ts";
import { emailOf, passwordOptions, stateText } from "./users.ts";

const nameArgument = ["<name>", "log-in name or id of the custom user"] as const;

/** Changes the custom user, unless someone else has done so since. */
async function change(
  input: CommandInput,
  changes: CustomUserChangeData,
  message: (name: string) => string,
): Promise<Outcome> {
  const { customUserId } = await findCustomUser(input.admin, input.word(0));
  const ifMatch = await input.admin.customUsers.get(customUserId);
  const user = await input.admin.customUsers.change(customUserId, changes, { ifMatch });
  return done(message(user.name), user);
}

/** The sessions that end with a custom user. */
async function wouldEndOf(input: CommandInput, effect: string): Promise<Outcome> {
  const { name: customUser, userId } = await findCustomUser(input.admin, input.word(0));
  const isTheirs = (session: { readonly method: string; readonly user: string }) =>
    session.method === "custom" && session.user === customUser;
  return wouldEnd(`Custom user "${customUser}" would be ${effect}`, await liveSessions(input, isTheirs, userId));
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
    arguments: [nameArgument],
    call: async (input) => {
      const { customUserId } = await findCustomUser(input.admin, input.word(0));
      const user = await input.admin.customUsers.get(customUserId);
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
    call: async (input) => {
      const { userId } = await findUser(input.admin, input.required("user"));
      const user = await input.admin.customUsers.create({
        name: input.word(0),
        ...(await input.newPassword()),
        userId,
        email: input.text("email") ?? null,
      });
      return done(`Created custom user "${user.name}", mapped to "${user.user}".`, user);
    },
  },
  {
    name: "custom-user disable",
    description: "disable a custom user and end their sessions",
    arguments: [nameArgument],
    call: (input) =>
      change(
        input,
        { enabled: false },
        (customUser) => `Disabled custom user "${customUser}". Their sessions have ended.`,
      ),
    dryRun: (input) => wouldEndOf(input, "disabled"),
  },
  {
    name: "custom-user enable",
    description: "enable a custom user",
    arguments: [nameArgument],
    call: (input) => change(input, { enabled: true }, (customUser) => `Enabled custom user "${customUser}".`),
  },
  {
    name: "custom-user map",
    description: "map a custom user to another database user and end their sessions",
    arguments: [nameArgument, ["<user>", "name or id of the database user"]],
    call: async (input) => {
      const { userId, name: user } = await findUser(input.admin, input.word(1));
      return change(input, { userId }, (customUser) => `Mapped "${customUser}" to "${user}".`);
    },
  },
  {
    name: "custom-user set-email",
    description: "set the e-mail address of a custom user",
    arguments: [nameArgument, ["[address]", "new e-mail address"]],
    options: [["--none", "remove the e-mail address"]],
    call: (input) =>
      change(input, { email: emailOf(input) }, (customUser) => `Set the e-mail address of "${customUser}".`),
  },
  {
    name: "custom-user set-password",
    description:
      "set the password of a custom user and end their sessions; asks for it or reads it from standard input",
    arguments: [nameArgument],
    options: passwordOptions,
    call: async (input) => {
      const user = await findCustomUser(input.admin, input.word(0));
      await input.admin.customUsers.setPassword(user.customUserId, await input.newPassword());
      return done(`Set the password of "${user.name}" and ended all sessions.`);
    },
  },
  {
    name: "custom-user remove",
    description: "remove a custom user and end their sessions",
    arguments: [nameArgument],
    call: async (input) => {
      const user = await findCustomUser(input.admin, input.word(0));
      const ended = await input.admin.customUsers.remove(user.customUserId);
      return done(`Removed custom user "${user.name}".${endedText(ended)}`, { ended });
    },
    dryRun: (input) => wouldEndOf(input, "removed"),
  },
];

const customUserOption = ["--custom-user", "<name> is a custom user"] as const;

/** The group of calls and the id of the account that the command names. */
async function accountOf(input: CommandInput) {
  const { admin } = input;
  if (!input.flag("customUser"))
    return { calls: admin.users, id: (await findUser(admin, input.word(0))).userId } as const;
  return { calls: admin.customUsers, id: (await findCustomUser(admin, input.word(0))).customUserId } as const;
}

/** The second factors that the command removes. Refused if there is none. */
async function factorsToRemove(input: CommandInput, calls: Pick<Users, "factors">, id: string) {
  const app = input.text("appName");
  const factors = (await calls.factors(id)).filter((factor) => app === undefined || factor.app === app);
  const place = app === undefined ? "" : ` for "${app}"`;
  if (factors.length === 0) throw new CommandError(`"${input.word(0)}" has no second factor${place}.`, "refused");
  return {
    app,
    factors,
    words: `${factors.length === 1 ? "the second factor" : "the second factors"} of "${input.word(0)}"${place}`,
  };
}

function factorTable(factors: readonly AdministeredFactorData[]): Outcome {
  return listed("second factors", factors, {
    "APP NAME": ({ app }) => app,
    STATE: ({ confirmed }) => (confirmed ? "confirmed" : "pending"),
    "RECOVERY CODES": ({ recoveryCodesLeft }) => String(recoveryCodesLeft),
  });
}

const factorCommands: readonly AdminCommand[] = [
  {
    name: "second-factor list",
    description: "list the second factors of a user",
    arguments: [["<name>", "log-in name"]],
    options: [customUserOption],
    call: async (input) => {
      const { calls, id } = await accountOf(input);
      return factorTable(await calls.factors(id));
    },
  },
  {
    name: "second-factor remove",
    description: "remove the second factors of a user, who can then enrol new ones",
    arguments: [["<name>", "log-in name"]],
    options: [["--app-name <name>", "remove only the one of this app name"], customUserOption],
    call: async (input) => {
      const { calls, id } = await accountOf(input);
      const { app, words } = await factorsToRemove(input, calls, id);
      await calls.removeFactors(id, { app });
      return done(`Removed ${words}.`);
    },
    dryRun: async (input) => {
      const { calls, id } = await accountOf(input);
      const { factors, words } = await factorsToRemove(input, calls, id);
      return { data: factors, text: `It would remove ${words}. Nothing was changed.\n${factorTable(factors).text}` };
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
