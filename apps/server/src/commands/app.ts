import { allParts, Applications, type SecondFactorRule } from "@sallyport/core";
import { identifiers } from "../composition/identifiers.ts";
import { listCommand } from "./list-command.ts";
import { advising } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import type { ServerCommand, Work } from "./server-command.ts";

/** `app create|second-factor|list`. */
export function defineApp(group: ServerCommand): void {
  group
    .command("create")
    .description("make an app name known to a database")
    .argument("<name>", "the name, as clients send it in appNames")
    .option("--seats <number>", "seats to keep on record; this version does not count them (default: any number)")
    .option("--second-factor <off|optional|forced>", "what log-ins need besides the password (default: off)")
    .onDatabase(create);
  group
    .command("second-factor")
    .description("say what log-ins with an app name need besides the password; the next one already does")
    .argument("<name>", "the app name")
    .argument(
      "<off|optional|forced>",
      "off: no token; optional: a token from users who have set up a second factor; forced: a token from every user",
    )
    .onDatabase(setSecondFactor);
  group.addCommand(
    listCommand({
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
    }),
  );
}

interface CreateOptions {
  readonly seats?: string;
  readonly secondFactor?: string;
}

function create(name: string, options: CreateOptions): Work {
  if (name.trim() === "") throw new CommandError("The app needs a name.");
  const seats = options.seats === undefined ? null : seatsOf(options.seats);
  const secondFactor = ruleOf(options.secondFactor ?? "off");
  return async ({ container, administration }) => {
    const applications = await container.getAsync(identifiers.createApplication);
    await advising(705, masterKeyAdvice, () =>
      applications.createApplication(administration, { name, seats, secondFactor }),
    );
    console.log(`The app "${name}" exists now.`);
  };
}

function seatsOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new CommandError("--seats takes a whole number from 1 to 9999999.");
  return Number(text);
}

function setSecondFactor(name: string, word: string): Work {
  const secondFactor = ruleOf(word);
  return async ({ container, administration }) => {
    const applications = await container.getAsync(identifiers.createApplication);
    await advising(705, masterKeyAdvice, () => applications.setSecondFactor(administration, { name, secondFactor }));
    console.log(`Second factors of the app "${name}" are ${secondFactor === "off" ? "switched off" : secondFactor}.`);
  };
}

function ruleOf(word: string): SecondFactorRule {
  if (word === "off" || word === "optional" || word === "forced") return word;
  throw new CommandError(`Second factors are off, optional or forced; "${word}" is none of these.`);
}

const masterKeyAdvice = "Set encryption.masterKey (MASTER_KEY), for this command and for the server.";

/** What to do where a database does not know an app name. */
export const appAdvice = 'Create it first with "app create".';
