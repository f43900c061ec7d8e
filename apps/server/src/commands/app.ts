import { allPages, Applications, type SecondFactorRule } from "@sallyport/core";
import { identifiers } from "../composition/identifiers.ts";
import { listCommand } from "./list-command.ts";
import { advising } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import type { ServerCommand, Work } from "./server-command.ts";

/** `app create|second-factor|list`. */
export function defineApp(group: ServerCommand): void {
  group
    .command("create")
    .description("create an app name")
    .argument("<name>", "name that clients send in appNames")
    .option("--seats <number>", "licence seats; recorded, but not enforced (default: unlimited)")
    .option("--second-factor <off|optional|forced>", "second factor policy (default: off)")
    .onDatabase(create);
  group
    .command("second-factor")
    .description("set the second factor policy of an app name; takes effect with the next log-in")
    .argument("<name>", "the app name")
    .argument(
      "<off|optional|forced>",
      "off: no token; optional: a token from users with a second factor; forced: a token from every user",
    )
    .onDatabase(setSecondFactor);
  group.addCommand(
    listCommand({
      plural: "app names",
      read: ({ database }) =>
        allPages(
          ({ after, limit }) => new Applications(database.storage.repositories.records).list(after, limit),
          ({ name }) => name,
        ),
      json: ({ name, seats, secondFactor }) => ({ name, seats, secondFactor }),
      columns: {
        NAME: ({ name }) => name,
        SEATS: ({ seats }) => (seats === null ? "unlimited" : String(seats)),
        "SECOND FACTOR": ({ secondFactor }) => secondFactor,
      },
    }),
  );
}

interface CreateOptions {
  readonly seats?: string;
  readonly secondFactor?: string;
}

function create(name: string, options: CreateOptions): Work {
  if (name.trim() === "") throw new CommandError("The name must not be empty.");
  const seats = options.seats === undefined ? null : seatsOf(options.seats);
  const secondFactor = ruleOf(options.secondFactor ?? "off");
  return async ({ container, administration }) => {
    const applications = await container.getAsync(identifiers.createApplication);
    await advising(705, masterKeyAdvice, () =>
      applications.createApplication(administration, { name, seats, secondFactor }),
    );
    console.log(`Created app name "${name}".`);
  };
}

function seatsOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new CommandError("--seats must be an integer from 1 to 9999999.");
  return Number(text);
}

function setSecondFactor(name: string, word: string): Work {
  const secondFactor = ruleOf(word);
  return async ({ container, administration }) => {
    const applications = await container.getAsync(identifiers.createApplication);
    await advising(705, masterKeyAdvice, () => applications.setSecondFactor(administration, { name, secondFactor }));
    console.log(`Set the second factor policy of "${name}" to ${secondFactor}.`);
  };
}

function ruleOf(word: string): SecondFactorRule {
  if (word === "off" || word === "optional" || word === "forced") return word;
  throw new CommandError(`The second factor policy must be off, optional or forced, not "${word}".`);
}

const masterKeyAdvice = "Set encryption.masterKey (MASTER_KEY) for this command and the server.";

/** Advice for an unknown app name. */
export const appAdvice = 'Create it first with "app create".';
