import { allPages } from "@sallyport/storage";
import {
  acceptMailAddress,
  findCustomUser,
  isUserName,
  type ListedCustomUser,
  listCustomUsers,
  mapCustomUser,
  removeCustomUser,
  requireCustomUser,
  requireMappedUser,
  setCustomUserDisabled,
  setCustomUserEmail,
  addCustomUser,
  setCustomPassword,
} from "@sallyport/core";
import { tableLines } from "@sallyport/client/terminal";
import { type JsonOptions, listCommand, printJson } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand, Work } from "../server-command.ts";
import { emailOf, type EmailOptions, endedSessions, type PasswordOptions, readPassword } from "./user-arguments.ts";

/** `custom-user create|list|show|set-password|set-email|map|disable|enable|remove`. */
export function defineCustomUsers(group: ServerCommand): void {
  group
    .command("create")
    .description("create a custom user; prompts for the password or reads it from standard input")
    .argument("<name>", "log-in name at /v1/auth/df")
    .requiredOption("--user <name>", "database user whose rights the custom user gets")
    .option("--email <address>", "e-mail address for confirmation codes and password resets")
    .withPassword()
    .onDatabase(add);
  group.addCommand(
    listCommand({
      plural: "custom users",
      read: ({ administration }) =>
        allPages(
          (part) => listCustomUsers(administration, part),
          ({ loginName }) => loginName,
        ),
      json: customUserJson,
      columns: {
        NAME: ({ loginName }) => loginName,
        STATE: ({ disabled }) => (disabled ? "disabled" : "enabled"),
        "MAPPED TO": ({ mappedUserName, userId }) => mappedUserName || userId,
        EMAIL: ({ email }) => email ?? "none",
      },
    }),
  );
  const ofOne = (verb: string, description: string) =>
    group.command(verb).description(description).argument("<name>", "name of the custom user");
  ofOne("show", "show a custom user").option("--json", "print JSON").onDatabase(show);
  ofOne(
    "set-password",
    "set the password of a custom user and end their sessions; prompts for the password or reads it from standard input",
  )
    .withAlias()
    .withPassword()
    .onDatabase(setPassword);
  ofOne("set-email", "set the e-mail address of a custom user")
    .argument("[address]", "new e-mail address")
    .withAlias()
    .option("--none", "remove the e-mail address")
    .onDatabase(setEmail);
  ofOne("map", "map a custom user to another database user and end their sessions")
    .argument("<user>", "name of the database user")
    .onDatabase(map);
  ofOne("disable", "disable a custom user and end their sessions").onDatabase((name: string) =>
    setDisabled(name, true),
  );
  ofOne("enable", "enable a custom user").onDatabase((name: string) => setDisabled(name, false));
  ofOne("remove", "remove a custom user and end their sessions").onDatabase(
    (name: string) =>
      async ({ administration }) => {
        const ended = await removeCustomUser(administration, name);
        console.log(`Removed custom user "${name}".${endedSessions(ended)}`);
      },
  );
}

/** Advice for an unknown database user. */
const userListAdvice = 'See "sallyport-server user list".';

interface AddOptions extends PasswordOptions {
  readonly user: string;
  readonly email?: string;
}

function add(name: string, options: AddOptions): Work {
  if (!isUserName(name)) throw new CommandError("The name must have 1 to 1024 characters.");
  const { user } = options;
  const email = options.email === undefined ? null : acceptMailAddress(options.email);
  return async ({ administration, serving }) => {
    // Fail before the password prompt.
    await advising(304, userListAdvice, () => requireMappedUser(administration.r, user));
    const password = await readPassword(options);
    await addCustomUser(await serving("hasher", "passwordPolicy", "random", "settings"), {
      name,
      ...password,
      user,
      email,
    });
    console.log(`Created custom user "${name}", mapped to "${user}".`);
  };
}

/** JSON form of a custom user. */
function customUserJson({ id, loginName, userId, mappedUserName, email, disabled }: ListedCustomUser): object {
  return { name: loginName, id, enabled: !disabled, user: mappedUserName, objectId: userId, email };
}

/** The output must contain no secrets. */
function show(name: string, options: JsonOptions): Work {
  return async ({ administration }) => {
    const shown = await findCustomUser(administration, name);
    if (options.json) {
      printJson(customUserJson(shown));
      return;
    }
    const { id, loginName, userId, mappedUserName, email, disabled } = shown;
    const rows = [
      ["id", id],
      ["state", disabled ? "disabled" : "enabled"],
      ["mapped to", `${mappedUserName || "no user (removed)"} (${userId})`],
      ["e-mail", email ?? "none"],
    ];
    console.log(tableLines(["name", loginName], rows).join("\n"));
  };
}

function setPassword(name: string, options: PasswordOptions): Work {
  return async ({ administration, serving }) => {
    // Fail before the password prompt.
    await requireCustomUser(administration.r, name);
    const password = await readPassword(options);
    const ended = await setCustomPassword(await serving("hasher", "passwordPolicy", "random", "settings"), {
      name,
      ...password,
    });
    console.log(`Set the password of "${name}".${endedSessions(ended)}`);
  };
}

function setEmail(name: string, address: string | undefined, options: EmailOptions): Work {
  const email = emailOf(address, options, "Pass an address or --none.");
  return async ({ administration }) => {
    await setCustomUserEmail(administration, { name, email });
    console.log(`${email === null ? "Removed" : "Set"} the e-mail address of "${name}".`);
  };
}

function map(name: string, user: string): Work {
  return async ({ administration }) => {
    await requireCustomUser(administration.r, name);
    const ended = await advising(304, userListAdvice, () => mapCustomUser(administration, { name, user }));
    console.log(`Mapped "${name}" to "${user}".${endedSessions(ended)}`);
  };
}

function setDisabled(name: string, disabled: boolean): Work {
  return async ({ administration }) => {
    const ended = await setCustomUserDisabled(administration, { name, disabled });
    console.log(`${disabled ? "Disabled" : "Enabled"} custom user "${name}".${endedSessions(ended)}`);
  };
}
