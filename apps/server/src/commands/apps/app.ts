import { operatorEvent } from "@sallyport/core";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { commandGroup } from "../command-group.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { listAppsCommand } from "./list-apps.ts";
import { acceptRule, ruleEvent, ruleOf, setSecondFactorCommand } from "./set-second-factor.ts";

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
      const created = await r.applications.create({ name, seats, secondFactor });
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
