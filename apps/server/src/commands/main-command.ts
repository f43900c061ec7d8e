import type { Command } from "commander";
import { version } from "../composition/version.ts";
import { answerMoved, movedGroups } from "./moved-commands.ts";
import { noSuchCommand, ServerCommand } from "../command-line/server-command.ts";

interface ListedCommand {
  readonly name: string;
  readonly description: string;
  /** Loads the function that adds arguments, options, subcommands and action. */
  readonly load: () => Promise<(command: ServerCommand) => void>;
}

/** The commands for help. The code of a command loads when it runs. */
const commands: readonly ListedCommand[] = [
  {
    name: "serve",
    description: "start the server (default)",
    load: async () => (await import("./serve.ts")).defineServe,
  },
  {
    name: "migrate",
    description: "apply pending migrations; safe while servers are running",
    load: async () => (await import("./database.ts")).defineMigrate,
  },
  {
    name: "check-config",
    description: "validate the configuration and print it without secrets",
    load: async () => (await import("./check-config.ts")).defineCheckConfig,
  },
  {
    name: "doctor",
    description: "examine the configuration, this machine and the databases",
    load: async () => (await import("./doctor.ts")).defineDoctor,
  },
  {
    name: "console-link",
    description: "print a link that opens the console in a browser",
    load: async () => (await import("./console-link.ts")).defineConsoleLink,
  },
  {
    name: "app-key",
    description: "import app keys of other systems",
    load: async () => (await import("./app-key.ts")).defineAppKey,
  },
  {
    name: "second-factor",
    description: "list second factors, and remove those of linked accounts",
    load: async () => (await import("./second-factor.ts")).defineSecondFactor,
  },
  {
    name: "class",
    description: "list classes",
    load: async () => (await import("./class.ts")).defineClass,
  },
  {
    name: "macro",
    description: "create, run, test and store macros and hooks",
    load: async () => (await import("./macros/macro.ts")).defineMacro,
  },
  {
    name: "file",
    description: "list and check files, and remove unused ones",
    load: async () => (await import("./file.ts")).defineFile,
  },
  {
    name: "mail",
    description: "send test mail",
    load: async () => (await import("./mail.ts")).defineMail,
  },
  {
    name: "provider",
    description: "test identity providers",
    load: async () => (await import("./provider.ts")).defineProvider,
  },
  {
    name: "key",
    description: "encrypt secrets under a new master key, and replace keys of a lost one",
    load: async () => (await import("./key.ts")).defineKey,
  },
  {
    name: "dump",
    description: "dump a database to an archive; safe while servers are running",
    load: async () => (await import("./archive.ts")).defineDump,
  },
  {
    name: "restore",
    description: "restore an archive into an empty database",
    load: async () => (await import("./archive.ts")).defineRestore,
  },
  {
    name: "verify",
    description: "recompute the invariants of a database; safe while servers are running",
    load: async () => (await import("./verify.ts")).defineVerify,
  },
  {
    name: "recover",
    description: "continue after a failover or a restore that may have lost writes",
    load: async () => (await import("./database.ts")).defineRecover,
  },
  {
    name: "move",
    description: "move a database to another Postgres server while servers use it",
    load: async () => (await import("./move.ts")).defineMove,
  },
  {
    name: "restart-sync",
    description: "make all devices synchronize from the beginning",
    load: async () => (await import("./database.ts")).defineRestartSync,
  },
  {
    name: "seed",
    description: "add the demo data to an empty database",
    load: async () => (await import("./database.ts")).defineSeed,
  },
  {
    name: "reference",
    description: "generate or check the reference documentation",
    load: async () => (await import("./reference.ts")).defineReference,
  },
];

/** The command line of the server. */
export function mainCommand(): ServerCommand {
  const main = new ServerCommand("sallyport-server")
    .description("The controlled gate to a business-object database.")
    .addHelpText("after", '\nTo administer the databases of this machine, use "sallyport --local".')
    .version(version)
    // After a subcommand, `--version` is an option of that subcommand.
    .enablePositionalOptions()
    .helpCommand(false);
  for (const { name, description } of commands)
    main.addCommand(new ServerCommand(name).description(description), { isDefault: name === "serve" });
  for (const name of movedGroups) main.addCommand(answerMoved(new ServerCommand(name)), { hidden: true });
  main.hook("preSubcommand", (_main, command) => define(command as ServerCommand));
  main
    .command("help")
    .description("display help for a command")
    .argument("[command...]")
    .action((words: string[]) => showHelp(main, words));
  pointToHelp(main);
  return main;
}

/** The command line with all subcommands loaded. */
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

/** Commands inherit no settings from their parent. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError("(see --help)");
  for (const each of command.commands) pointToHelp(each);
}
