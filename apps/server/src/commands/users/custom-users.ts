import {
  acceptMailAddress,
  allParts,
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
} from "@sallyport/core";
import { identifiers } from "../../composition/identifiers.ts";
import { type JsonOptions, listCommand, printJson } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand, Work } from "../server-command.ts";
import { tableLines } from "../table-lines.ts";
import { emailOf, type EmailOptions, endedSessions, type PasswordOptions, readPassword } from "./user-arguments.ts";

/** `custom-users add|list|show|set-password|set-email|map|disable|enable|remove`. */
export function defineCustomUsers(group: ServerCommand): void {
  group
    .command("add")
    .description("add a custom user; the password is read from standard input, or typed")
    .argument("<name>", "name to log in with at /v1/auth/df")
    .requiredOption("--user <name>", "the database user as whom he works")
    .option("--email <address>", "where the codes go that confirm a new password")
    .option("--password-file <file>", "read the password from this file")
    .onDatabase(add);
  group.addCommand(
    listCommand({
      plural: "custom users",
      read: ({ administration }) =>
        allParts(
          (part) => listCustomUsers(administration, part),
          ({ loginName }) => loginName,
        ),
      json: customUserJson,
      columns: {
        NAME: ({ loginName }) => loginName,
        STATE: ({ disabled }) => (disabled ? "disabled" : "enabled"),
        "WORKS AS": ({ worksAs, userId }) => worksAs || userId,
        EMAIL: ({ email }) => email ?? "none",
      },
    }),
  );
  const ofOne = (verb: string, description: string) =>
    group.command(verb).description(description).argument("<name>", "name of the custom user");
  ofOne("show", "show a custom user").option("--json", "print JSON, for scripts").onDatabase(show);
  ofOne("set-password", "set another password, read from standard input, or typed; all sessions end")
    .withAlias()
    .option("--password-file <file>", "read the password from this file")
    .onDatabase(setPassword);
  ofOne("set-email", "set the address to which codes are mailed")
    .argument("[address]", "e-mail address")
    .withAlias()
    .option("--none", "take the address away")
    .onDatabase(setEmail);
  ofOne("map", "have him work as another user of the database; all sessions end")
    .argument("<user>", "name of the database user")
    .onDatabase(map);
  ofOne("disable", "keep a custom user out; all sessions end").onDatabase((name: string) => setDisabled(name, true));
  ofOne("enable", "let a custom user in again").onDatabase((name: string) => setDisabled(name, false));
  ofOne("remove", "remove a custom user; all sessions end").onDatabase((name: string) => async ({ administration }) => {
    const ended = await removeCustomUser(administration, name);
    console.log(`The custom user "${name}" is removed.${endedSessions(ended)}`);
  });
}

/** What to do where a custom user is mapped to a database user that does not exist. */
const userListAdvice = '"sallyport-server user list" tells who there is.';

interface AddOptions extends PasswordOptions {
  readonly user: string;
  readonly email?: string;
}

function add(name: string, options: AddOptions): Work {
  if (!isUserName(name)) throw new CommandError("The custom user needs a name of at most 1024 characters.");
  const { user } = options;
  const email = options.email === undefined ? null : acceptMailAddress(options.email);
  return async ({ container, administration }) => {
    // Before anybody types a password.
    await advising(304, userListAdvice, () => requireMappedUser(administration.r, user));
    const password = await readPassword(options);
    const addCustomUser = await container.getAsync(identifiers.addCustomUser);
    await addCustomUser.addCustomUser(administration, { name, password, user, email });
    console.log(`The custom user "${name}" exists now, and works as "${user}".`);
  };
}

/** What a script gets of a custom user. */
function customUserJson({ id, loginName, userId, worksAs, email, disabled }: ListedCustomUser): object {
  return { name: loginName, id, enabled: !disabled, user: worksAs, objectId: userId, email };
}

/** Shows nothing that opens anything. */
function show(name: string, options: JsonOptions): Work {
  return async ({ administration }) => {
    const shown = await findCustomUser(administration, name);
    if (options.json) {
      printJson(customUserJson(shown));
      return;
    }
    const { id, loginName, userId, worksAs, email, disabled } = shown;
    const rows = [
      ["id", id],
      ["state", disabled ? "disabled" : "enabled"],
      ["works as", `${worksAs || "no user (removed)"} (${userId})`],
      ["e-mail", email ?? "none"],
    ];
    console.log(tableLines(["name", loginName], rows).join("\n"));
  };
}

function setPassword(name: string, options: PasswordOptions): Work {
  return async ({ container, administration }) => {
    // Before anybody types a password.
    await requireCustomUser(administration.r, name);
    const password = await readPassword(options);
    const change = await container.getAsync(identifiers.setCustomPassword);
    const ended = await change.setCustomPassword(administration, { name, password });
    console.log(`The custom user "${name}" has another password.${endedSessions(ended)}`);
  };
}

function setEmail(name: string, address: string | undefined, options: EmailOptions): Work {
  const email = emailOf(address, options, "Give an address, or --none.");
  return async ({ administration }) => {
    await setCustomUserEmail(administration, { name, email });
    console.log(
      `The custom user "${name}" has ${email === null ? "no e-mail address" : `the e-mail address ${email}`}.`,
    );
  };
}

function map(name: string, user: string): Work {
  return async ({ administration }) => {
    await requireCustomUser(administration.r, name);
    const ended = await advising(304, userListAdvice, () => mapCustomUser(administration, { name, user }));
    console.log(`The custom user "${name}" works as "${user}" from now on.${endedSessions(ended)}`);
  };
}

function setDisabled(name: string, disabled: boolean): Work {
  return async ({ administration }) => {
    const ended = await setCustomUserDisabled(administration, { name, disabled });
    console.log(`The custom user "${name}" is ${disabled ? "disabled" : "enabled"}.${endedSessions(ended)}`);
  };
}
