import {
  type IdentityProvider,
  type ProviderData,
  type ProviderType,
  ServiceError,
  ProviderEntries,
} from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import { Command } from "commander";
import { demoProvidersPlace } from "../../composition/public-address.ts";
import { identifiers } from "../../composition/identifiers.ts";
import { readImitationAddress } from "../../demo/index.ts";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { type OpenedDatabase, withDatabase } from "../with-database.ts";
import { missingOf, providerArgument, typeOf } from "./provider-entry.ts";

/** `provider test`. */
export function testProviderCommand(): Command {
  return new Command("test")
    .description("check what is registered of a provider, and whether it can be reached; nobody is logged in")
    .addArgument(providerArgument())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(test);
}

async function test(word: string, options: AliasOptions): Promise<void> {
  const type = typeOf(word);
  await withDatabase(options, async (opened) => {
    const { container, database } = opened;
    const entry = await new ProviderEntries(database.storage.repositories.records).find(type);
    if (entry === null)
      throw new CommandError(`The provider ${type} is not registered. "provider add ${type}" does that.`);
    const provider = (await askedProviders(opened)).get(type);
    if (provider === undefined) throw new CommandError(`This server cannot log in with ${type}.`);
    const data = await checked("The additional data", async () =>
      provider.accept(await openedData(opened, entry.sealedData)),
    );
    const callback = (await container.getAsync(identifiers.callbackAddresses)).known(database.alias, type, data);
    if (entry.defaultUserId !== null) await requireUser(opened, entry.defaultUserId);
    for (const line of missingOf(container.get(identifiers.configuration), type, callback))
      throw new CommandError(line);
    await checked("The provider", () => provider.check(data));
    console.log(`The provider ${type} can be used. Its callback address here is ${callback}`);
  });
}

/** The providers as the server asks them: those of a demo are imitated by its own process. */
async function askedProviders({ container }: OpenedDatabase): Promise<ReadonlyMap<ProviderType, IdentityProvider>> {
  const configuration = container.get(identifiers.configuration);
  const place = demoProvidersPlace(configuration);
  if (place === null) return container.getAsync(identifiers.knownProviders);
  const imitation = await readImitationAddress(place.folder);
  if (imitation === null)
    throw new CommandError(
      `The demo imitates its providers in the process of its server, and none runs with the data in ${place.folder}. Start it with "sallyport-server serve", and then try again beside it.`,
    );
  return identityProviders({ ...configuration.providers, imitation });
}

async function openedData({ container }: OpenedDatabase, sealed: string): Promise<unknown> {
  return (await container.getAsync(identifiers.providerSealing)).openData(sealed);
}

async function requireUser({ database }: OpenedDatabase, userId: string): Promise<void> {
  const { account } = await database.storage.repositories.accounts.find({ id: userId }, []);
  if (account === null)
    throw new CommandError("The default user is gone. Register the provider again with another one.");
  if (account.disabled) throw new CommandError(`The default user "${account.loginName}" is disabled.`);
}

/** Says what was looked at when something is wrong with it. */
async function checked(what: string, look: () => Promise<ProviderData>): Promise<ProviderData>;
async function checked(what: string, look: () => Promise<void>): Promise<void>;
async function checked(what: string, look: () => Promise<ProviderData | void>): Promise<ProviderData | void> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof ServiceError) || ![324, 608, 705, 706].includes(error.code)) throw error;
    throw new CommandError(`${what}: ${error.detail ?? error.message}`, { cause: error });
  }
}
