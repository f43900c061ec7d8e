import { SallyportError } from "@sallyport/client";
import { SallyportAdmin } from "@sallyport/client/admin";
import type { Command } from "commander";
import { CommandError } from "./failures.ts";
import { type Administered, refuseLocal } from "./operator.ts";
import { done, printOutcome, shown } from "./outcome.ts";
import { findProfile, type Profile, removeProfile, requireProfile, saveProfile } from "./profiles.ts";
import { Questions } from "./questions.ts";

interface ProfileOptions {
  readonly profile: string;
  readonly json?: true;
}

interface LogInOptions extends ProfileOptions {
  readonly alias?: string;
  readonly user?: string;
  readonly appKeyFile?: string;
  readonly passwordFile?: string;
  readonly plainPassword?: true;
  readonly insecure?: true;
}

const secretsHelp = `
The session is kept in the folder of your settings, for you alone, and ends after 15 minutes without a command.
Without a terminal, standard input has a line for each secret that no option gives: the app key, the password,
and the token of the second factor if the server asks for it.

Examples:
  sallyport log-in https://server.example --user ann --app-key-file key
  sallyport log-in https://server.example --alias archive --user ann --profile archive
  sallyport log-in`;

/** Adds `--profile`. */
export function withProfile(command: Command): Command {
  return command.option("--profile <name>", "log-in to use, if you have several", "default");
}

/** `log-in`, `log-out` and `status`. */
export function defineLogIn(main: Command): void {
  withProfile(
    main
      .command("log-in")
      .description("log in to a database as an administrator; asks for the app key and the password")
      .argument("[url]", "address of the server (default: that of the last log-in)")
      .option("-a, --alias <alias>", "alias of the database (default: that of the last log-in, or the empty alias)")
      .option("-u, --user <name>", "your log-in name (default: that of the last log-in)")
      .option("--app-key-file <file>", "read the app key, of scope admin, from this file (default: the last one)")
      .option("--password-file <file>", "read the password from this file")
      .option("--plain-password", "send the password itself, for servers with passwords.clientHash none")
      .option("--insecure", "allow http to another machine, where others can read the password"),
  )
    .addHelpText("after", secretsHelp)
    .hook("preAction", () => refuseLocal(main))
    .action(logIn);
  withProfile(main.command("log-out").description("end the session, and forget it and the app key"))
    .hook("preAction", () => refuseLocal(main))
    .action(logOut);
  withProfile(main.command("status").description("show the log-in, and whether its session is live"))
    .option("--json", "print JSON")
    .hook("preAction", () => refuseLocal(main))
    .action(status);
}

/** A client that continues the session of the profile. */
function adminOf({ url, alias, appKey, sessionId }: Profile): SallyportAdmin {
  const admin = clientOf(url, alias, appKey);
  if (sessionId !== undefined) admin.resume(sessionId);
  return admin;
}

/** The database of a profile. */
export function loggedInDatabase(name: string, questions: Questions): Administered {
  const profile = requireProfile(name);
  const { alias, user, passwordHash } = profile;
  return {
    alias,
    use: (work) => {
      const admin = adminOf(profile);
      const prove = async () => admin.prove({ password: await questions.secret(`Password of ${user}`), passwordHash });
      return work({ admin, prove });
    },
  };
}

function clientOf(baseUrl: string, alias: string, appKey: string): SallyportAdmin {
  try {
    return new SallyportAdmin({ baseUrl, alias, appKey });
  } catch (cause) {
    throw new CommandError(`"${baseUrl}" or the alias "${alias}" is invalid.`, "usage", { cause });
  }
}

async function logIn(address: string | undefined, options: LogInOptions): Promise<void> {
  const { profile: name, appKeyFile, passwordFile } = options;
  const last = findProfile(name);
  const url = address ?? last?.url;
  const user = options.user ?? last?.user;
  if (url === undefined) throw new CommandError("Pass the address of the server, such as https://server.example.");
  if (user === undefined) throw new CommandError("Pass your log-in name with --user.");
  if (!options.insecure && !isProtected(url))
    throw new CommandError("Others can read a password sent over http. Use https, or pass --insecure.");
  const isSame = last !== undefined && last.url === url;
  const alias = options.alias ?? (isSame ? last.alias : "");
  const questions = new Questions();
  const keepsKey = isSame && last.alias === alias && appKeyFile === undefined;
  const appKey = keepsKey ? last.appKey : await questions.secret("App key", appKeyFile);
  const admin = clientOf(url, alias, appKey);
  const password = await questions.secret("Password", passwordFile);
  const passwordHash = (options.plainPassword ?? (isSame && last.passwordHash === "none")) ? "none" : "md5";
  const credentials = { user, password, passwordHash } as const;
  const { databaseName } = await withToken(questions, (twoFactorToken) =>
    admin.logIn({ ...credentials, twoFactorToken }),
  );
  saveProfile(name, { url, alias, appKey, user, passwordHash, sessionId: admin.sessionId });
  process.stdout.write(`Logged in to the database "${databaseName}" at ${url} as "${user}".\n`);
}

/** Calls again with a token of the second factor if the server asks for one. */
async function withToken<Result>(
  questions: Questions,
  call: (token: string | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(undefined);
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 341) throw error;
    return call(await questions.secret("Token of the second factor"));
  }
}

/** Whether no one between here and the server can read along: TLS, or the same machine. */
function isProtected(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { protocol, hostname } = new URL(url);
  return protocol !== "http:" || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

async function logOut({ profile: name }: ProfileOptions): Promise<void> {
  const profile = requireProfile(name);
  try {
    await adminOf(profile).logOut();
  } finally {
    removeProfile(name);
  }
  process.stdout.write(`Logged out of ${profile.url}.\n`);
}

async function status({ profile: name, json }: ProfileOptions): Promise<void> {
  const { url, alias, user, sessionId, ...profile } = requireProfile(name);
  const admin = adminOf({ url, alias, user, sessionId, ...profile });
  const { active } = await admin.maintenance.get();
  const data = { profile: name, url, alias, user, maintenance: active };
  const rows = [
    ["profile", name],
    ["server", url],
    ["alias", alias === "" ? "none" : alias],
    ["user", user],
    ["session", "live"],
    ["maintenance", active ? "on" : "off"],
  ] as const;
  printOutcome(json ? done("", data) : shown(data, rows), json === true);
}
