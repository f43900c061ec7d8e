import { allParts, type AuditEvent, operatorEvent, type SecondFactorRule, Applications } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../composition/identifiers.ts";
import { CommandError, commandGroup } from "./command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "./command-options.ts";
import { type Container, withDatabase } from "./with-database.ts";
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
  await withDatabase(options, async ({ container, database }) => {
    await acceptRule(secondFactor, container);
    const outcome = await database.storage.transaction(async (r) => {
      const created = await new Applications(r.records).create({ name, seats, secondFactor });
      if (created === "nameTaken") return created;
      await r.audit.append(operatorEvent({ type: "app.created", appNames: [name] }));
      if (secondFactor !== "off") await r.audit.append(ruleEvent(name, secondFactor));
      return created;
    });
    if (outcome === "nameTaken") throw new CommandError(`There is an app with the name "${name}" already.`);
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
  const rule = ruleOf(word);
  await withDatabase(options, async ({ container, database }) => {
    await acceptRule(rule, container);
    const found = await database.storage.transaction(async (r) => {
      const isKnown = await new Applications(r.records).setSecondFactor(name, rule);
      if (isKnown) await r.audit.append(ruleEvent(name, rule));
      return isKnown;
    });
    if (!found) throw new CommandError(`There is no app with the name "${name}".`);
    console.log(`Second factors of the app "${name}" are ${rule === "off" ? "switched off" : rule}.`);
  });
}

/** What the audit keeps of a rule that was set. */
function ruleEvent(name: string, rule: SecondFactorRule): AuditEvent {
  const types = { off: "app.factorOff", optional: "app.factorOptional", forced: "app.factorForced" } as const;
  return operatorEvent({ type: types[rule], appNames: [name] });
}

function ruleOf(word: string): SecondFactorRule {
  const rule = rules.get(word);
  if (rule === undefined)
    throw new CommandError(`Second factors are off, optional or forced; "${word}" is none of these.`);
  return rule;
}

/** Refuses what the server could not keep: the secrets of second factors are sealed under the master key. */
async function acceptRule(rule: SecondFactorRule, container: Container): Promise<void> {
  if (rule === "off" || (await container.getAsync(identifiers.factorSecrets)).usable) return;
  throw new CommandError(
    "Second factors need a master key, and there is none. Set encryption.masterKey (MASTER_KEY), for this command and for the server.",
  );
}

/** Refuses app names that the database does not know. */
export async function requireApps(applications: Applications, names: readonly string[]): Promise<void> {
  const known = await applications.known(names);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const list = unknown.map((name) => `"${name}"`).join(", ");
  throw new CommandError(`The database does not know the app ${list}. Create it first with "app create".`);
}
