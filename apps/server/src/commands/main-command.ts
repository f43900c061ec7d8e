import type { Command } from "commander";
import { version } from "../composition/version.ts";
import { noSuchCommand, ServerCommand } from "./server-command.ts";

interface ListedCommand {
  readonly name: string;
  readonly description: string;
  /** Loads what adds arguments, options, subcommands and action to the command. */
  readonly load: () => Promise<(command: ServerCommand) => void>;
}

/** What help lists. Nothing of a command is loaded but these lines until it is called. */
const commands: readonly ListedCommand[] = [
  {
    name: "serve",
    description: "run the server (the default)",
    load: async () => (await import("./serve.ts")).defineServe,
  },
  {
    name: "migrate",
    description:
      "bring the databases to the newest version, and tell what their storage can do; safe while servers are running",
    load: async () => (await import("./database.ts")).defineMigrate,
  },
  {
    name: "check-config",
    description: "check the configuration and print what results of it, without secrets",
    load: async () => (await import("./check-config.ts")).defineCheckConfig,
  },
  {
    name: "app-key",
    description: "manage the app keys of a database",
    load: async () => (await import("./app-key.ts")).defineAppKey,
  },
  {
    name: "app",
    description: "manage the app names that log-ins carry",
    load: async () => (await import("./app.ts")).defineApp,
  },
  {
    name: "user",
    description: "manage the users of a database",
    load: async () => (await import("./users/user.ts")).defineUser,
  },
  {
    name: "custom-users",
    description: "manage custom users, who log in without being users of the database",
    load: async () => (await import("./users/custom-users.ts")).defineCustomUsers,
  },
  {
    name: "second-factor",
    description: "see who has a second factor, and take it away from who has lost it",
    load: async () => (await import("./second-factor.ts")).defineSecondFactor,
  },
  {
    name: "class",
    description: "show the classes of business objects",
    load: async () => (await import("./class.ts")).defineClass,
  },
  {
    name: "macro",
    description: "write, try out and keep macros and hooks",
    load: async () => (await import("./macros/macro.ts")).defineMacro,
  },
  {
    name: "mail",
    description: "try out how mail is sent, and see what waits",
    load: async () => (await import("./mail.ts")).defineMail,
  },
  {
    name: "provider",
    description: "register identity providers in a database, and look after the accounts that are bound",
    load: async () => (await import("./providers/provider.ts")).defineProvider,
  },
  {
    name: "key",
    description: "show the keys of the server",
    load: async () => (await import("./key.ts")).defineKey,
  },
  {
    name: "rotate-key",
    description: "put a new key into the place of the current one, which stays accepted for a day; sessions go on",
    load: async () => (await import("./key.ts")).defineRotateKey,
  },
  {
    name: "maintenance",
    description: "take a database out of service, or back into it; running servers see it with the next request",
    load: async () => (await import("./database.ts")).defineMaintenance,
  },
  {
    name: "dump",
    description: "write all that a database keeps into an archive, as of one moment; servers go on",
    load: async () => (await import("./archive.ts")).defineDump,
  },
  {
    name: "restore",
    description: "fill an empty database from an archive: all of it, or nothing",
    load: async () => (await import("./archive.ts")).defineRestore,
  },
  {
    name: "seed",
    description: "put the demo's data, users and app key into an empty database",
    load: async () => (await import("./database.ts")).defineSeed,
  },
  {
    name: "reference",
    description: "write or check the generated reference (errors, configuration, API)",
    load: async () => (await import("./reference.ts")).defineReference,
  },
];

/** The command line of the server. */
export function mainCommand(): ServerCommand {
  const main = new ServerCommand("sallyport-server")
    .description("The controlled gate to a business-object database.")
    .version(version)
    // Behind a command, --version is what that means by it.
    .enablePositionalOptions()
    .helpCommand(false);
  for (const { name, description } of commands)
    main.addCommand(new ServerCommand(name).description(description), { isDefault: name === "serve" });
  main.hook("preSubcommand", (_main, command) => define(command as ServerCommand));
  main
    .command("help")
    .description("display help for a command")
    .argument("[command...]")
    .action((words: string[]) => showHelp(main, words));
  pointToHelp(main);
  return main;
}

/** The command line with everything that its commands take. */
export async function wholeCommand(): Promise<ServerCommand> {
  const main = mainCommand();
  for (const command of main.commands) await define(command as ServerCommand);
  return main;
}

async function showHelp(main: ServerCommand, words: readonly string[]): Promise<void> {
  let command: Command = main;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) throw noSuchCommand(word, command);
    await define(next as ServerCommand);
    command = next;
  }
  command.help();
}

async function define(command: ServerCommand): Promise<void> {
  const load = commands.find(({ name }) => name === command.name())?.load;
  (await load?.())?.(command);
  pointToHelp(command);
}

/** Commands inherit nothing from the one they are added to. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError("(--help tells what there is)");
  for (const each of command.commands) pointToHelp(each);
}
