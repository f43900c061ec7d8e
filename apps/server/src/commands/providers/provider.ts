import { text } from "node:stream/consumers";
import {
  allParts,
  isUuid,
  listLinks,
  removeLink,
  removeProvider,
  requireAccount,
  requireApplications,
} from "@sallyport/core";
import { identifiers } from "../../composition/identifiers.ts";
import { appAdvice } from "../app.ts";
import { listCommand, printJson } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import { CommandError } from "../command-error.ts";
import { readGivenFile, type ServerCommand, type Work } from "../server-command.ts";
import { missingOf, providerWords, testProvider, typeOf } from "./test-provider.ts";

/** `provider add|test|list|show|remove`, and `provider links|unlink` for the accounts that are bound. */
export function defineProvider(group: ServerCommand): void {
  const ofOne = (verb: string, description: string) =>
    group.command(verb).description(description).argument("<type>", providerWords);
  ofOne(
    "add",
    "register a provider, in the place of what was registered of it; its additional data are read from standard input",
  )
    .option("--name <text>", "what people call it (default: the type)")
    .option("--data-file <file>", "read the additional data, a JSON object, from this file")
    .option(
      "--default-user <name>",
      "new accounts are bound to this user; unless given, everybody binds his account himself",
    )
    .option("--app-name <name...>", "app names of log-ins that name none")
    .addHelpText(
      "after",
      '\nAdditional data: {"clientId": "…", "clientSecret": "…"}; of apple clientId, serverAddress, teamId, keyIdentifier, keyPath.',
    )
    .onDatabase(add);
  ofOne("test", "check the registration of a provider and whether it can be reached; opens no session").onDatabase(
    testProvider,
  );
  group.addCommand(listProviders());
  ofOne("show", "print what is registered of a provider as JSON, without its secrets").onDatabase((word: string) => {
    const type = typeOf(word);
    return async ({ container, administration }) =>
      printJson(await (await container.getAsync(identifiers.listProviders)).findProvider(administration, type));
  });
  ofOne(
    "remove",
    "take a provider out of a database; accounts stay bound, and are good for nothing until it is registered again",
  ).onDatabase((word: string) => {
    const type = typeOf(word);
    return async ({ administration }) => {
      await removeProvider(administration, type);
      console.log(`The provider ${type} is not registered any more.`);
    };
  });
  group.addCommand(listBoundAccounts());
  group
    .command("unlink")
    .description("unbind an account of a provider; the sessions that it opened end at once")
    .argument("<id>", 'id of the link, as "provider links" tells it')
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
  if (name === "" || name.length > 255) throw new CommandError("The name has 1 to 255 characters.");
  const data = await readProviderData(options.dataFile);
  return async ({ container, administration }) => {
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
  };
}

/** Additional data as JSON, from a file or from standard input; never from the command line, which others can see and shells remember. */
async function readProviderData(file: string | undefined): Promise<unknown> {
  if (file !== undefined) return parsed(readGivenFile(file).toString(), `The file ${file}`);
  if (process.stdin.isTTY) console.error("Paste the additional data as JSON, then press Ctrl+D.");
  return parsed(await text(process.stdin), "What was given on standard input");
}

/** The parser's own message would quote what it was given, secrets included. */
function parsed(json: string, what: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch {
    throw new CommandError(`${what} is not valid JSON.`);
  }
}

function listProviders(): ServerCommand {
  return listCommand({
    plural: "providers",
    read: async ({ container, administration }) =>
      (await container.getAsync(identifiers.listProviders)).listProviders(administration),
    json: ({ type, name, switchedOn, defaultUser, appNames, callback }) => {
      return { type, name, switchedOn, defaultUser, appNames, callback };
    },
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

function listBoundAccounts(): ServerCommand {
  return listCommand({
    plural: "accounts that are bound",
    read: ({ administration }) =>
      allParts(
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
      BOUND: ({ link }) => (link.value.shared ? "by the server" : "by the user"),
      NAME: ({ link }) => link.value.displayName ?? "",
      EMAIL: ({ link }) => link.value.email ?? "",
      SINCE: ({ link }) => new Date(link.createdAt).toISOString(),
    },
  })
    .name("links")
    .description("list the accounts of providers that are bound to users");
}

function unlink(id: string): Work {
  if (!isUuid(id)) throw new CommandError(`"${id}" is no id of a link.`);
  return async ({ administration }) => {
    const { provider } = await removeLink(administration, id.toLowerCase());
    console.log(`The account at ${provider} is not bound any more.`);
  };
}
