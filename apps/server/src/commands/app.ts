import { allPages, type SeatKind } from "@sallyport/storage";
import {
  type Application,
  Applications,
  type SeatChange,
  type SecondFactorRule,
  createApplication,
  setApplicationSeats,
  setApplicationSecondFactor,
} from "@sallyport/core";
import { listCommand } from "./list-command.ts";
import { advising } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import { defineAppRules } from "./rules/app-rules.ts";
import type { ServerCommand, Work } from "./server-command.ts";

/** `app create|seats|second-factor|allow|forbid|clear-rule|rules|list`. */
export function defineApp(group: ServerCommand): void {
  group
    .command("create")
    .description("create an app name")
    .argument("<name>", "name that clients send in appNames")
    .option("--seats <number|unlimited>", "licence seats (default: unlimited)")
    .option("--seat-kind <concurrent|user|device>", seatKinds)
    .option("--second-factor <off|optional|forced>", "second factor policy (default: off)")
    .onDatabase(create);
  group
    .command("seats")
    .description("set the licence seats of an app name; takes effect with the next log-in")
    .argument("<name>", "the app name")
    .argument("<number|unlimited>", "licence seats")
    .option("--seat-kind <concurrent|user|device>", `${seatKinds} (default: unchanged)`)
    .onDatabase(setSeats);
  group
    .command("second-factor")
    .description("set the second factor policy of an app name; takes effect with the next log-in")
    .argument("<name>", "the app name")
    .argument(
      "<off|optional|forced>",
      "off: no token; optional: a token from users with a second factor; forced: a token from every user",
    )
    .onDatabase(setSecondFactor);
  defineAppRules(group, appAdvice);
  group.addCommand(
    listCommand({
      plural: "app names",
      read: async ({ database }) => {
        const { records, sessions } = database.storage.repositories;
        const applications = await allPages(
          ({ after, limit }) => new Applications(records).list(after, limit),
          ({ name }) => name,
        );
        return Promise.all(
          applications.map(async (application) => ({
            ...application,
            taken: await sessions.count(seatsOf(application)),
          })),
        );
      },
      json: ({ name, seats, seatKind, taken, secondFactor }) => ({ name, seats, seatKind, taken, secondFactor }),
      columns: {
        NAME: ({ name }) => name,
        SEATS: ({ seats }) => (seats === null ? unlimited : String(seats)),
        KIND: ({ seatKind }) => seatKind,
        TAKEN: ({ taken }) => String(taken),
        "SECOND FACTOR": ({ secondFactor }) => secondFactor,
      },
    }),
  );
}

const unlimited = "unlimited";

const seatKinds = "what takes a seat: concurrent (a user on a device, or a session without a device), user, or device";

function seatsOf({ name, seatKind: kind }: Application) {
  return { name, kind };
}

interface SeatOptions {
  readonly seatKind?: string;
}

interface CreateOptions extends SeatOptions {
  readonly seats?: string;
  readonly secondFactor?: string;
}

function create(name: string, options: CreateOptions): Work {
  if (name.trim() === "") throw new CommandError("The name must not be empty.");
  const seats = seatsIn(options.seats ?? unlimited, options);
  const secondFactor = ruleOf(options.secondFactor ?? "off");
  return async ({ serving }) => {
    await advising(705, masterKeyAdvice, async () =>
      createApplication(await serving("factorSecrets"), { name, ...seats, secondFactor }),
    );
    console.log(`Created app name "${name}".`);
  };
}

function setSeats(name: string, text: string, options: SeatOptions): Work {
  const seats = seatsIn(text, options);
  return async ({ administration }) => {
    await setApplicationSeats(administration, { name, ...seats });
    console.log(`Set the seats of "${name}" to ${text}.`);
  };
}

function seatsIn(text: string, { seatKind }: SeatOptions): SeatChange {
  if (text !== unlimited && !/^[1-9]\d{0,6}$/.test(text))
    throw new CommandError("The number of seats must be an integer from 1 to 9999999, or unlimited.");
  const seats = text === unlimited ? null : Number(text);
  return seatKind === undefined ? { seats } : { seats, seatKind: kindOf(seatKind) };
}

function kindOf(word: string): SeatKind {
  if (word === "concurrent" || word === "user" || word === "device") return word;
  throw new CommandError(`The kind of seats must be concurrent, user or device, not "${word}".`);
}

function setSecondFactor(name: string, word: string): Work {
  const secondFactor = ruleOf(word);
  return async ({ serving }) => {
    await advising(705, masterKeyAdvice, async () =>
      setApplicationSecondFactor(await serving("factorSecrets"), { name, secondFactor }),
    );
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
