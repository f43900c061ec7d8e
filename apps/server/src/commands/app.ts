import { allParts, Applications, type SecondFactorRule } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../composition/identifiers.ts";
import { advising, CommandError, commandGroup } from "./command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "./command-options.ts";
import { withDatabase } from "./with-database.ts";
import { listCommand } from "./list-command.ts";

interface CreateOptions extends AliasOptions {
  readonly seats?: string;
  readonly secondFactor?: string;
}

/** `app create|second-factor|list`. */
export function appCommand(): Command {
  const command = commandGroup("app", "manage the app names that log-ins carry");
  command
    .command("create")
    .description("make an app name known to a database")
    .argument("<name>", "the name, as clients send it in appNames")
    .option("--seats <number>", "seats to keep on record; this version does not count them (default: any number)")
    .option("--second-factor <off|optional|forced>", "what log-ins need besides the password (default: off)")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(create);
  return command.addCommand(setSecondFactorCommand()).addCommand(listAppsCommand());
}

async function create(name: string, options: CreateOptions): Promise<void> {
  if (name.trim() === "") throw new CommandError("The app needs a name.");
  const seats = options.seats === undefined ? null : seatsOf(options.seats);
  const secondFactor = ruleOf(options.secondFactor ?? "off");
  await withDatabase(options, async ({ container, administration }) => {
    const applications = await container.getAsync(identifiers.createApplication);
    await advising(705, masterKeyAdvice, () =>
      applications.createApplication(administration, { name, seats, secondFactor }),
    );
    console.log(`The app "${name}" exists now.`);
  });
}

function seatsOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new CommandError("--seats takes a whole number from 1 to 9999999.");
  return Number(text);
}

/** `app list`. */
function listAppsCommand(): Command {
  return listCommand({
    plural: "apps",
    read: ({ database }) =>
      allParts(
        ({ after, limit }) => new Applications(database.storage.repositories.records).list(after, limit),
        ({ name }) => name,
      ),
    json: ({ name, seats, secondFactor }) => ({ name, seats, secondFactor }),
    columns: {
      NAME: ({ name }) => name,
      SEATS: ({ seats }) => (seats === null ? "any number" : String(seats)),
      "SECOND FACTOR": ({ secondFactor }) => secondFactor,
    },
  });
}

const rules: ReadonlyMap<string, SecondFactorRule> = new Map([
  ["off", "off"],
  ["optional", "optional"],
  ["forced", "forced"],
]);

/** `app second-factor`. */
function setSecondFactorCommand(): Command {
  return new Command("second-factor")
    .description("say what log-ins with an app name need besides the password; the next one already does")
    .argument("<name>", "the app name")
    .argument(
      "<off|optional|forced>",
      "off: nothing; optional: a token of those who have set up a second factor; forced: everybody has to",
    )
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(set);
}

async function set(name: string, word: string, options: AliasOptions): Promise<void> {
  const secondFactor = ruleOf(word);
  await withDatabase(options, async ({ container, administration }) => {
    const applications = await container.getAsync(identifiers.createApplication);
    await advising(705, masterKeyAdvice, () => applications.setSecondFactor(administration, { name, secondFactor }));
    console.log(`Second factors of the app "${name}" are ${secondFactor === "off" ? "switched off" : secondFactor}.`);
  });
}

function ruleOf(word: string): SecondFactorRule {
  const rule = rules.get(word);
  if (rule === undefined)
    throw new CommandError(`Second factors are off, optional or forced; "${word}" is none of these.`);
  return rule;
}

const masterKeyAdvice = "Set encryption.masterKey (MASTER_KEY), for this command and for the server.";

/** What to do where a database does not know an app name. */
export const appAdvice = 'Create it first with "app create".';
