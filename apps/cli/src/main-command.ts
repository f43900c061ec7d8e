import { readFileSync } from "node:fs";
import { SallyportError } from "@sallyport/client";
import { Command } from "commander";
import { applicationNouns } from "./commands/applications.ts";
import { auditNoun } from "./commands/audit.ts";
import { customUserNouns } from "./commands/custom-users.ts";
import { doctorCommand, limitNoun, whyCommand } from "./commands/explanations.ts";
import { databaseNouns } from "./commands/database.ts";
import { ruleNouns } from "./commands/rules.ts";
import { syncNoun } from "./commands/synchronization.ts";
import { userNouns } from "./commands/users.ts";
import { defineCompletion } from "./completion.ts";
import { withDeclared } from "./declared-commands.ts";
import { exitCodes, report } from "./failures.ts";
import { type AdminCommand, CommandInput, type Noun } from "./admin-command.ts";
import { defineLogIn, loggedInDatabase, withProfile } from "./log-in.ts";
import { type Administered, type Connection, localOptions, operatedDatabases, withLocal } from "./operator.ts";
import { type Outcome, printOutcome } from "./outcome.ts";
import { Questions } from "./questions.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

const nouns = withDeclared([
  ...userNouns,
  ...customUserNouns,
  ...applicationNouns,
  ...ruleNouns,
  auditNoun,
  ...databaseNouns,
  limitNoun,
  syncNoun,
]);

const tasks: Noun["examples"] = [
  ["Log in", "sallyport log-in https://server.example --user ann --app-key-file key"],
  ["Create the first administrator, on the machine of the server", "sallyport --local user create ann --administrator"],
  ["See whose sessions take the seats of an app name", "sallyport session list --app-name office"],
  ["Free the seats of a user", "sallyport session end --user bob"],
  ["Raise the number of seats", "sallyport app seats office 20"],
  ["See the device ids of a user", "sallyport device list --user bob"],
  ["Lock out a stolen phone", "sallyport ban add --device phone-1 --reason stolen"],
  [
    "See addresses that guess passwords (the server slows them down by itself)",
    "sallyport audit list --type login.refused --since 2h --by-address",
  ],
  ["See whose password an address knows", "sallyport audit list --address 203.0.113.7 --type login.accepted"],
  ["Keep an address out, and end its sessions", "sallyport ban add --address 203.0.113.7 --reason guessing"],
  ["Slow down every address", "sallyport limits set rates.address.perMinute=120"],
  ["Stop a leaked app key", "sallyport app-key disable tablet"],
  ["Free the seats of its sessions", "sallyport session end --app-key tablet"],
  ["Explain a refused request", "sallyport why 2f1c7c1e-6a0b-4c8e-9a52-7d1d1f0c3b7a"],
  ["See why a device lacks an object", "sallyport sync why field 3f0c1a52-6f0e-4f8e-9a52-7d1d1f0c3b7a --user bob"],
  ["Keep users out for a while", 'sallyport maintenance on --message "Back at 6 pm." --for 2h'],
];

/** The command line of administrators, and of the operator. */
export function mainCommand(): Command {
  const main = withLocal(new Command("sallyport"))
    .description(
      "Administer a database of a Sallyport server: over HTTP after a log-in, or with --local as its operator.",
    )
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError("(see --help)")
    .addHelpText("after", `\n${examplesText("Tasks:", tasks)}\n\n${exitText()}`);
  defineLogIn(main);
  for (const noun of nouns) defineNoun(main, noun);
  defineCommand(main, whyCommand);
  defineCommand(main, doctorCommand);
  defineCompletion(main);
  return main;
}

function exitText(): string {
  const { refused, usage, notLoggedIn, unreachable, local } = exitCodes;
  return `Exit codes: 0 success, ${refused} refused by the server, ${usage} wrong usage, ${notLoggedIn} not logged in,\n${unreachable} server unreachable, ${local} failure on this machine.`;
}

function examplesText(heading: string, examples: Noun["examples"]): string {
  return [heading, ...examples.map(([task, line]) => `  ${task}:\n      ${line}`)].join("\n");
}

function defineNoun(main: Command, { name, description, examples, commands }: Noun): void {
  const group = main.command(name).description(description);
  if (examples.length > 0) group.addHelpText("after", `\n${examplesText("Examples:", examples)}`);
  for (const command of commands) defineCommand(group, command);
}

function defineCommand(group: Command, command: AdminCommand): void {
  const defined = group.command(command.name.split(" ").at(-1) ?? "").description(command.description);
  for (const [name, description] of command.arguments ?? []) defined.argument(name, description);
  for (const [flags, description] of command.options ?? []) defined.option(flags, description);
  if (command.details !== undefined) defined.addHelpText("after", `\n${command.details}`);
  if (command.dryRun !== undefined) defined.option("--dry-run", "only show what would change");
  withProfile(defined.option("--json", "print the content of the response"));
  defined.action(async () => {
    const values = new Map(Object.entries(defined.opts<Record<string, unknown>>()));
    const call = values.get("dryRun") === true && command.dryRun !== undefined ? command.dryRun : command.call;
    const { local, ...selection } = localOptions(mainOf(defined));
    const questions = new Questions();
    const run = ({ admin, prove }: Connection) =>
      withProof(() => call(new CommandInput(admin, questions, defined.processedArgs, values)), prove, questions);
    const databases = local
      ? await operatedDatabases(selection)
      : [loggedInDatabase(String(values.get("profile")), questions)];
    const asJson = values.get("json") === true;
    if (selection.all) await runInAll(databases, run, asJson);
    else for (const { use } of databases) printOutcome(await use(run), asJson);
  });
}

function mainOf(command: Command): Command {
  return command.parent === null ? command : mainOf(command.parent);
}

/** Runs a command in several databases. A failure in one does not stop the others. */
async function runInAll(
  databases: readonly Administered[],
  run: (connection: Connection) => Promise<Outcome>,
  asJson: boolean,
): Promise<void> {
  const outcomes: { readonly alias: string; readonly data: unknown }[] = [];
  for (const { alias, use } of databases) {
    if (!asJson) process.stdout.write(`database ${alias === "" ? "(empty)" : `"${alias}"`}:\n`);
    try {
      const outcome = await use(run);
      outcomes.push({ alias, data: outcome.data });
      if (!asJson) printOutcome(outcome, false);
    } catch (error) {
      report(error);
    }
  }
  if (asJson) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
}

/** Repeats a call that needs a recent proof, after the proof. A refused call has changed nothing. */
async function withProof(
  call: () => Promise<Outcome>,
  prove: Connection["prove"],
  questions: Questions,
): Promise<Outcome> {
  try {
    return await call();
  } catch (error) {
    const asksForProof = error instanceof SallyportError && error.code === 802;
    if (!asksForProof || prove === null || !questions.isInteractive) throw error;
    process.stderr.write("This change needs your password again.\n");
    await prove();
    return call();
  }
}
