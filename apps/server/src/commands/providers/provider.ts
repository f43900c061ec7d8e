import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { removeProvider, requireAccount, requireApplications } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { appAdvice } from "../app.ts";
import { advising, CommandError, commandGroup } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { listCommand } from "../list-command.ts";
import { withDatabase } from "../with-database.ts";
import { missingOf, providerArgument, typeOf } from "./provider-entry.ts";
import { listLinksCommand, unlinkCommand } from "./provider-links.ts";
import { testProviderCommand } from "./test-provider.ts";

/** `provider add|test|list|show|remove`, and `provider links|unlink` for the accounts that are bound. */
export function providerCommand(): Command {
  return commandGroup(
    "provider",
    "register identity providers in a database, and look after the accounts that are bound",
  )
    .addCommand(addProviderCommand())
    .addCommand(testProviderCommand())
    .addCommand(listProvidersCommand())
    .addCommand(showProviderCommand())
    .addCommand(removeProviderCommand())
    .addCommand(listLinksCommand())
    .addCommand(unlinkCommand());
}

interface AddOptions extends AliasOptions {
  readonly name?: string;
  readonly dataFile?: string;
  readonly defaultUser?: string;
  readonly appName?: readonly string[];
}

/** `provider add`. */
function addProviderCommand(): Command {
  return new Command("add")
    .description(
      "register a provider, in the place of what was registered of it; its additional data are read from standard input",
    )
    .addArgument(providerArgument())
    .option("--name <text>", "what people call it (default: the type)")
    .option("--data-file <file>", "read the additional data, a JSON object, from this file")
    .option(
      "--default-user <name>",
      "new accounts are bound to this user; unless given, everybody binds his account himself",
    )
    .option("--app-name <name...>", "app names of log-ins that name none")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .addHelpText(
      "after",
      '\nAdditional data: {"clientId": "…", "clientSecret": "…"}; of apple clientId, serverAddress, teamId, keyIdentifier, keyPath.',
    )
    .action(add);
}

async function add(word: string, options: AddOptions): Promise<void> {
  const type = typeOf(word);
  const name = (options.name ?? type).trim();
  if (name === "" || name.length > 255) throw new CommandError("The name has 1 to 255 characters.");
  const data = await readProviderData(options.dataFile);
  await withDatabase(options, async ({ container, administration }) => {
    const { database, r } = administration;
    const appNames = [...new Set(options.appName)];
    await advising(208, appAdvice, () => requireApplications(r, appNames));
    const { defaultUser } = options;
    const defaultUserId = defaultUser === undefined ? null : (await requireAccount(r, defaultUser)).userId;
    const provider = (await container.getAsync(identifiers.knownProviders)).get(type);
    if (provider === undefined) throw new CommandError(`This server cannot log in with ${type}.`);
    if ((await container.getAsync(identifiers.keyWrapping)) === null)
      throw new CommandError(
        "There is no master key. Set MASTER_KEY, or MASTER_KEY_FILE, to the one that the servers use.",
      );
    const putProvider = await container.getAsync(identifiers.putProvider);
    const accepted = await putProvider.run(administration, { provider, data, name, defaultUserId, appNames });
    const callback = (await container.getAsync(identifiers.callbackAddresses)).known(database.alias, type, accepted);
    console.log(`The provider ${type} is registered; running servers know it with the next request.`);
    if (callback !== null) console.log(`Enter this callback address at the provider, exactly: ${callback}`);
    for (const line of missingOf(container.get(identifiers.configuration), type, callback)) console.error(line);
  });
}

/** Additional data as JSON, from a file or from standard input; never from the command line, which others can see and shells remember. */
async function readProviderData(file: string | undefined): Promise<unknown> {
  if (file !== undefined) return parsed(fromFile(file), `The file ${file}`);
  if (process.stdin.isTTY) console.error("Paste the additional data as JSON, then press Ctrl+D.");
  return parsed(await text(process.stdin), "What was given on standard input");
}

function fromFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
}

/** The parser's own message would quote what it was given, secrets included. */
function parsed(json: string, what: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch {
    throw new CommandError(`${what} is not valid JSON.`);
  }
}

/** `provider list`. */
function listProvidersCommand(): Command {
  return listCommand({
    plural: "providers",
    read: async ({ container, administration }) =>
      (await container.getAsync(identifiers.listProviders)).listProviders(administration),
    json: ({ type, name, switchedOn, defaultUser, appNames, callback }) => ({
      type,
      name,
      switchedOn,
      defaultUser,
      appNames,
      callback,
    }),
    columns: {
      TYPE: ({ type }) => type,
      NAME: ({ name }) => name,
      STATE: ({ switchedOn, fault }) => (fault !== null ? "unusable" : switchedOn ? "on" : "switched off"),
      "DEFAULT USER": ({ defaultUser }) => defaultUser ?? "none",
      APPS: ({ appNames }) => appNames.join(", ") || "none",
      CALLBACK: ({ callback }) => callback ?? "not known",
    },
  });
}

/** `provider show`. */
function showProviderCommand(): Command {
  return new Command("show")
    .description("print what is registered of a provider as JSON, without its secrets")
    .addArgument(providerArgument())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(show);
}

async function show(word: string, options: AliasOptions): Promise<void> {
  const type = typeOf(word);
  const shown = await withDatabase(options, async ({ container, administration }) =>
    (await container.getAsync(identifiers.listProviders)).findProvider(administration, type),
  );
  console.log(JSON.stringify(shown, null, 2));
}

/** `provider remove`. */
function removeProviderCommand(): Command {
  return new Command("remove")
    .description(
      "take a provider out of a database; accounts stay bound, and are good for nothing until it is registered again",
    )
    .addArgument(providerArgument())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(remove);
}

async function remove(word: string, options: AliasOptions): Promise<void> {
  const type = typeOf(word);
  await withDatabase(options, async ({ administration }) => {
    await removeProvider(administration, type);
    console.log(`The provider ${type} is not registered any more.`);
  });
}
