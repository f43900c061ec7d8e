import { type AuditEvent, operatorEvent, type SecondFactorRule } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { type Container, withDatabase } from "../databases/with-database.ts";

const rules: ReadonlyMap<string, SecondFactorRule> = new Map([
  ["off", "off"],
  ["optional", "optional"],
  ["forced", "forced"],
]);

/** `app second-factor`. */
export function setSecondFactorCommand(): Command {
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
      const isKnown = await r.applications.setSecondFactor(name, rule);
      if (isKnown) await r.audit.append(ruleEvent(name, rule));
      return isKnown;
    });
    if (!found) throw new CommandError(`There is no app with the name "${name}".`);
    console.log(`Second factors of the app "${name}" are ${rule === "off" ? "switched off" : rule}.`);
  });
}

/** What the audit keeps of a rule that was set. */
export function ruleEvent(name: string, rule: SecondFactorRule): AuditEvent {
  const types = { off: "app.factorOff", optional: "app.factorOptional", forced: "app.factorForced" } as const;
  return operatorEvent({ type: types[rule], appNames: [name] });
}

export function ruleOf(word: string): SecondFactorRule {
  const rule = rules.get(word);
  if (rule === undefined)
    throw new CommandError(`Second factors are off, optional or forced; "${word}" is none of these.`);
  return rule;
}

/** Refuses what the server could not keep: the secrets of second factors are sealed under the master key. */
export async function acceptRule(rule: SecondFactorRule, container: Container): Promise<void> {
  if (rule === "off" || (await container.getAsync(identifiers.factorSecrets)).usable) return;
  throw new CommandError(
    "Second factors need a master key, and there is none. Set encryption.masterKey (MASTER_KEY), for this command and for the server.",
  );
}
