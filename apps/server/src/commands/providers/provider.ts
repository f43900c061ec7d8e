import { text } from "node:stream/consumers";
import { allPages, isUuid } from "@sallyport/storage";
import {
  listLinks,
  removeLink,
  removeProvider,
  requireAccount,
  requireApplications,
  findProvider,
  putProvider,
  listProviders,
} from "@sallyport/core";
import { components } from "../../composition/components.ts";
import { appAdvice } from "../app.ts";
import { listCommand, printJson } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import { CommandError } from "../command-error.ts";
import { readGivenFile, type ServerCommand, type Work } from "../server-command.ts";
import { missingConfiguration, providerTypeList, testProvider, typeOf } from "./test-provider.ts";

/** `provider add|test|list|show|remove`, and `provider links|unlink` for linked accounts. */
export function defineProvider(group: ServerCommand): void {
  const ofOne = (verb: string, description: string) =>
    group.command(verb).description(description).argument("<type>", providerTypeList);
  ofOne("add", "register a provider, or replace its registration; reads the additional data from standard input")
    .option("--name <text>", "display name (default: the type)")
    .option("--data-file <file>", "file with the additional data")
    .option(
      "--default-user <name>",
      "user for new accounts (default: each user links an account with database credentials)",
    )
    .option("--app-name <name...>", "default app names of log-ins")
    .addHelpText(
      "after",
      '\nAdditional data: {"clientId": "…", "clientSecret": "…"}; for apple clientId, serverAddress, teamId, keyIdentifier, keyPath.',
    )
    .onDatabase(add);
  ofOne("test", "check the registration of a provider and its connection").onDatabase(testProvider);
  group.addCommand(listRegistered());
  ofOne("show", "print the registration of a provider as JSON, without secrets").onDatabase((word: string) => {
    const type = typeOf(word);
    return async ({ container, administration }) => {
      const { enabled, ...rest } = await findProvider(
        { ...administration, services: await container.getAsync(components.registration) },
        type,
      );
      printJson({ ...rest, enabled });
    };
  });
  ofOne("remove", "remove a provider; its linked accounts stay, but cannot log in").onDatabase((word: string) => {
    const type = typeOf(word);
    return async ({ administration }) => {
      await removeProvider(administration, type);
      console.log(`Removed provider ${type}.`);
    };
  });
  group.addCommand(listBoundAccounts());
  group
    .command("unlink")
    .description("remove a linked account and end its sessions")
    .argument("<id>", 'id of the link; see "provider links"')
    .onDatabase(unlink);
}

interface AddOptions {
  readonly name?: string;
  readonly dataFile?: string;
  readonly defaultUser?: string;
  readonly appName?: readonly string[];
}

async function add(word: string, options: AddOptions): Promise<Work> {
  const type = typeOf(word);
  const name = (options.name ?? type).trim();
  if (name === "" || name.length > 255) throw new CommandError("The name must have 1 to 255 characters.");
  const data = await readProviderData(options.dataFile);
  return async ({ container, administration, serving }) => {
    const { database, r } = administration;
    const appNames = [...new Set(options.appName)];
    await advising(208, appAdvice, () => requireApplications(r, appNames));
    const { defaultUser } = options;
    const defaultUserId = defaultUser === undefined ? null : (await requireAccount(r, defaultUser)).userId;
    const provider = (await container.getAsync(components.supportedProviders)).get(type);
    if (provider === undefined) throw new CommandError(`The provider ${type} is not available.`);
    if ((await container.getAsync(components.keyWrapping)) === null)
      throw new CommandError("The master key is not set. Set MASTER_KEY or MASTER_KEY_FILE to the one of the servers.");
    const accepted = await putProvider(await serving("providerSealing"), {
      provider,
      data,
      name,
      defaultUserId,
      appNames,
    });
    const callback = (await container.getAsync(components.callbackAddresses)).known(database.alias, type, accepted);
    console.log(`Registered provider ${type}. It takes effect with the next request.`);
    if (callback !== null) console.log(`Register this callback URL at the provider: ${callback}`);
    for (const line of missingConfiguration(container.get(components.configuration), type, callback))
      console.error(line);
  };
}

/** Reads additional data as JSON. Command-line arguments are visible to other users and in shell history. */
async function readProviderData(file: string | undefined): Promise<unknown> {
  if (file !== undefined) return parsed(readGivenFile(file).toString(), `The file ${file}`);
  if (process.stdin.isTTY) console.error("Paste the additional data as JSON, then press Ctrl+D.");
  return parsed(await text(process.stdin), "Standard input");
}

/** The error message of the parser would quote the input, including secrets. */
function parsed(json: string, what: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch {
    throw new CommandError(`${what} is not valid JSON.`);
  }
}

function listRegistered(): ServerCommand {
  return listCommand({
    plural: "providers",
    read: async ({ container, administration }) =>
      listProviders({ ...administration, services: await container.getAsync(components.registration) }),
    json: ({ type, name, enabled, defaultUser, appNames, callback }) => {
      return { type, name, enabled, defaultUser, appNames, callback };
    },
    columns: {
      TYPE: ({ type }) => type,
      NAME: ({ name }) => name,
      STATE: ({ enabled, fault }) => (fault !== null ? "invalid" : enabled ? "enabled" : "disabled"),
      "DEFAULT USER": ({ defaultUser }) => defaultUser ?? "none",
      APPS: ({ appNames }) => appNames.join(", ") || "none",
      CALLBACK: ({ callback }) => callback ?? "unknown",
    },
  });
}

function listBoundAccounts(): ServerCommand {
  return listCommand({
    plural: "linked accounts",
    read: ({ administration }) =>
      allPages(
        (part) => listLinks(administration, part),
        ({ link }) => link.id,
      ),
    json: ({ user, link: { createdAt, value } }) => {
      const { id, provider, shared, displayName, email, issuer, subject } = value;
      const linkedAt = new Date(createdAt).toISOString();
      return { id, provider, user, shared, displayName, email, issuer, subject, linkedAt };
    },
    columns: {
      ID: ({ link }) => link.value.id,
      PROVIDER: ({ link }) => link.value.provider,
      USER: ({ user }) => user,
      LINKED: ({ link }) => (link.value.shared ? "by the server" : "by the user"),
      NAME: ({ link }) => link.value.displayName ?? "",
      EMAIL: ({ link }) => link.value.email ?? "",
      SINCE: ({ link }) => new Date(link.createdAt).toISOString(),
    },
  })
    .name("links")
    .description("list linked accounts");
}

function unlink(id: string): Work {
  if (!isUuid(id)) throw new CommandError(`"${id}" is not the id of a link.`);
  return async ({ administration }) => {
    const { provider } = await removeLink(administration, id.toLowerCase());
    console.log(`Removed the linked account at ${provider}.`);
  };
}
