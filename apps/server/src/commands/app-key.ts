import { readFileSync } from "node:fs";
import {
  allParts,
  anyPort,
  type AuditEventType,
  isReturnAddress,
  operatorEvent,
  type Repositories,
  Applications,
} from "@sallyport/core";
import type { Command } from "commander";
import { identifiers } from "../composition/identifiers.ts";
import { requireApps } from "./app.ts";
import { CommandError, commandGroup } from "./command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "./command-options.ts";
import { withDatabase } from "./with-database.ts";
import { listCommand } from "./list-command.ts";

interface CreateOptions extends AliasOptions {
  readonly appName?: readonly string[];
  readonly origin?: readonly string[];
  readonly returnTo?: readonly string[];
  readonly keyFile?: string;
}

/** What clients can send in a header. */
const acceptable = /^[\x21-\x7E]{3,512}$/;
/** Minimum length of a key that cannot be guessed. */
const safeLength = 16;

/** `app-key create|enable|disable|list`. */
export function appKeyCommand(): Command {
  const command = commandGroup("app-key", "manage the app keys of a database");
  command
    .command("create")
    .description("create an app key; prints it once, only its digest is kept")
    .argument("<name>", "name of the client application")
    .option("--app-name <name...>", "app names that log-ins with the key may use (default: all)")
    .option(
      "--origin <origin...>",
      "web origins that may use the key from a browser, such as https://app.example or, with any port, http://localhost:*",
    )
    .option(
      "--return-to <address...>",
      "addresses that a browser may return to after a log-in at a provider, such as https://app.example/callback, com.example.app:/callback or, with any port, http://localhost/callback",
    )
    .option("--key-file <file>", "take the key from this file instead of making one")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(create);
  for (const [verb, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    command
      .command(verb)
      .description(`${verb} an app key; running servers see it with the next request`)
      .argument("<name>", "name of the app key")
      .addOption(aliasOption(oneDatabase))
      .addOption(configurationOption())
      .action((name: string, options: AliasOptions) => setEnabled(name, enabled, options));
  }
  return command.addCommand(listAppKeysCommand());
}

async function create(name: string, options: CreateOptions): Promise<void> {
  if (name.trim() === "") throw new CommandError("The app key needs a name.");
  const origins = (options.origin ?? []).map(checkedOrigin);
  const returnAddresses = (options.returnTo ?? []).map(checkedReturnAddress);
  const given = options.keyFile === undefined ? undefined : givenKey(options.keyFile);
  await withDatabase(options, async ({ container, database }) => {
    const { storage } = database;
    const appNames = options.appName ?? null;
    if (appNames !== null) await requireApps(new Applications(storage.repositories.records), appNames);
    const key = given ?? container.get(identifiers.random).secret();
    const digest = container.get(identifiers.digests).sha256(key);
    const outcome = await storage.transaction(async (r) => {
      const created = await r.appKeys.create({ name, appNames, origins, returnAddresses }, digest);
      if (created === "created") await record(r, "appKey.created", name);
      return created;
    });
    if (outcome === "nameTaken")
      throw new CommandError(`There is an app key with the name "${name}", or with this very key, already.`);
    if (given === undefined) console.log(key);
    if (given !== undefined && given.length < safeLength) {
      console.error(
        `Warning: a key of fewer than ${safeLength} characters can be guessed. Use it only for clients with a fixed key.`,
      );
    }
    console.error(
      given === undefined ? "Keep the key: it cannot be shown again." : `The app key "${name}" exists now.`,
    );
  });
}

async function setEnabled(name: string, enabled: boolean, options: AliasOptions): Promise<void> {
  await withDatabase(options, async ({ database }) => {
    const found = await database.storage.transaction(async (r) => {
      const isKnown = await r.appKeys.setEnabled(name, enabled);
      if (isKnown) await record(r, enabled ? "appKey.enabled" : "appKey.disabled", name);
      return isKnown;
    });
    if (!found) throw new CommandError(`There is no app key with the name "${name}".`);
    console.log(`The app key "${name}" is ${enabled ? "enabled" : "disabled"}.`);
  });
}

/** Tells the audit what has become of the app key with this name. */
async function record(r: Repositories, type: Extract<AuditEventType, `appKey.${string}`>, name: string): Promise<void> {
  const appKeys = await allParts(
    ({ after, limit }) => r.appKeys.list(after, limit),
    (each) => each.name,
  );
  await r.audit.append(operatorEvent({ type, appKeyId: appKeys.find((each) => each.name === name)?.id ?? "" }));
}

function checkedOrigin(text: string): string {
  const bare = text.endsWith(anyPort) ? text.slice(0, -anyPort.length) : text;
  const hasPort = bare !== text && /:\d+$/.test(bare);
  if (!hasPort && URL.canParse(bare) && new URL(bare).origin === bare) return text;
  throw new CommandError(
    `"${text}" is no origin: browsers spell it scheme, host and port only, such as https://app.example. With :* for the port it stands for any.`,
  );
}

function checkedReturnAddress(text: string): string {
  if (isReturnAddress(text)) return text;
  const forms =
    "https://…, a scheme of the app's own with a dot in it (com.example.app:/…), or http://localhost, http://127.0.0.1 or http://[::1]";
  const refused =
    "It has no fragment, no user information, no * and no parameter named code or error, and its scheme and host are lower-case.";
  throw new CommandError(`"${text}" is no address to return to: it starts with ${forms}. ${refused}`);
}

function givenKey(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
  if (!acceptable.test(text)) throw new CommandError("An app key has 3 to 512 visible ASCII characters and no blanks.");
  return text;
}

/** `app-key list`. */
function listAppKeysCommand(): Command {
  return listCommand({
    plural: "app keys",
    read: ({ database }) =>
      allParts(
        ({ after, limit }) => database.storage.repositories.appKeys.list(after, limit),
        ({ name }) => name,
      ),
    json: ({ name, enabled, appNames, origins, returnAddresses }) => ({
      name,
      enabled,
      appNames,
      origins,
      returnAddresses,
    }),
    columns: {
      NAME: ({ name }) => name,
      STATE: ({ enabled }) => (enabled ? "enabled" : "disabled"),
      "APP NAMES": ({ appNames }) => (appNames === null ? "all" : appNames.join(", ") || "none"),
      ORIGINS: ({ origins }) => origins.join(", ") || "none",
      "RETURNS TO": ({ returnAddresses }) => returnAddresses.join(", ") || "none",
    },
  });
}
