import { type ProviderType, providerTypes, ServiceError } from "@sallyport/storage";
import { type IdentityProvider, ProviderEntries, providerTypeOf } from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import { demoProvidersPlace } from "../composition/public-address.ts";
import { components } from "../composition/components.ts";
import type { Configuration } from "../configuration/index.ts";
import { readFakeProvidersAddress } from "../demo/index.ts";
import { CommandError } from "../command-line/command-error.ts";
import { defineMoved } from "./moved-commands.ts";
import type { ServerCommand, Work } from "../command-line/server-command.ts";
import type { OpenedDatabase } from "../command-line/with-database.ts";

/** `provider test`: it needs the secrets, and connects from the machine of the server. */
export function defineProvider(group: ServerCommand): void {
  group
    .command("test")
    .description("check the registration of a provider and its connection")
    .argument("<type>", providerTypeList)
    .onDatabase(testProvider);
  defineMoved(group, ["add", "list", "show", "remove", "links", "unlink"]);
}

/** Provider types for help and error messages. */
const providerTypeList = `${providerTypes.slice(0, -1).join(", ")} or ${providerTypes.at(-1)}`;

function typeOf(word: string): ProviderType {
  const type = providerTypeOf(word);
  if (type === null) throw new CommandError(`"${word}" is not a provider. Use ${providerTypeList}.`);
  return type;
}

/** Missing configuration for a log-in with the provider. */
function missingConfiguration(
  { oAuthProviders }: Configuration,
  type: ProviderType,
  callback: string | null,
): string[] {
  const statusLines = oAuthProviders.includes(type)
    ? []
    : [`The provider is not enabled. Add {"name": "${type}"} to oAuthProviders in the configuration.`];
  return callback === null ? [...statusLines, "The callback URL is unknown. Set server.publicUrl."] : statusLines;
}

function testProvider(word: string): Work {
  const type = typeOf(word);
  return async (opened) => {
    const { container, database } = opened;
    const entry = await new ProviderEntries(database.storage.repositories.records).find(type);
    if (entry === null)
      throw new CommandError(
        `The provider ${type} is not registered. Run "sallyport --local provider add ${type}" first.`,
      );
    const provider = (await askedProviders(opened)).get(type);
    if (provider === undefined) throw new CommandError(`The provider ${type} is not available.`);
    const data = await checked("The additional data", async () =>
      provider.accept((await container.getAsync(components.providerSealing)).openData(entry.sealedData)),
    );
    const callback = (await container.getAsync(components.callbackAddresses)).find(database.alias, type, data);
    if (entry.defaultUserId !== null) await requireUser(opened, entry.defaultUserId);
    for (const line of missingConfiguration(container.get(components.configuration), type, callback))
      throw new CommandError(line);
    await checked("The provider", () => provider.check(data));
    console.log(`The provider ${type} works. Its callback URL is ${callback}`);
  };
}

/** The providers as the server uses them. The demo server runs fake providers in its own process. */
async function askedProviders({ container }: OpenedDatabase): Promise<ReadonlyMap<ProviderType, IdentityProvider>> {
  const configuration = container.get(components.configuration);
  const place = demoProvidersPlace(configuration);
  if (place === null) return container.getAsync(components.supportedProviders);
  const fakeProviders = await readFakeProvidersAddress(place.folder);
  if (fakeProviders === null)
    throw new CommandError(
      `The demo server runs the fake providers, and no server uses the data in ${place.folder}. Start it with "sallyport-server serve" first.`,
    );
  return identityProviders({ ...configuration.providers, fakeProviders });
}

async function requireUser({ database }: OpenedDatabase, userId: string): Promise<void> {
  const { account } = await database.storage.repositories.accounts.find({ id: userId }, []);
  if (account === null)
    throw new CommandError("The default user no longer exists. Register the provider again with another one.");
  if (account.disabled) throw new CommandError(`The default user "${account.loginName}" is disabled.`);
}

/** Prefixes a failure with the checked part. */
async function checked<T>(what: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof ServiceError) || ![324, 608, 705, 706].includes(error.code)) throw error;
    throw new CommandError(error.detail ?? `${what}: ${error.message}`, { cause: error });
  }
}
