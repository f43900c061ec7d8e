import { loginNameOf, type ObjectId, type Repositories } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { requireApps } from "../apps/require-apps.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { providerArgument, typeOf } from "./provider-argument.ts";
import { callbackOf, missingOf } from "./provider-words.ts";
import { readProviderData } from "./read-provider-data.ts";

interface AddOptions extends AliasOptions {
  readonly name?: string;
  readonly dataFile?: string;
  readonly defaultUser?: string;
  readonly appName?: readonly string[];
}

/** `provider add`. */
export function addProviderCommand(): Command {
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
  await withDatabase(options, async (opened) => {
    const { container, database } = opened;
    const r = database.storage.repositories;
    const appNames = [...new Set(options.appName)];
    await requireApps(r.applications, appNames);
    const defaultUserId = options.defaultUser === undefined ? null : await userNamed(r, options.defaultUser);
    const provider = (await container.getAsync(identifiers.knownProviders)).get(type);
    if (provider === undefined) throw new CommandError(`This server cannot log in with ${type}.`);
    if ((await container.getAsync(identifiers.keyWrapping)) === null)
      throw new CommandError(
        "There is no master key. Set MASTER_KEY, or MASTER_KEY_FILE, to the one that the servers use.",
      );
    const putProvider = await container.getAsync(identifiers.putProvider);
    const accepted = await putProvider.run(database, { provider, data, name, defaultUserId, appNames });
    const callback = await callbackOf(opened, type, accepted);
    console.log(`The provider ${type} is registered; running servers know it with the next request.`);
    if (callback !== null) console.log(`Enter this callback address at the provider, exactly: ${callback}`);
    for (const line of missingOf(container.get(identifiers.configuration), type, callback)) console.error(line);
  });
}

async function userNamed({ accounts }: Repositories, name: string): Promise<ObjectId> {
  const { account } = await accounts.forProof(loginNameOf(name), []);
  if (account === null) throw new CommandError(`There is no user "${name}".`);
  return account.userId;
}
