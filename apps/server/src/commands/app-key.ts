import { allPages } from "@sallyport/storage";
import {
  acceptAppKey,
  acceptKeyText,
  type AppKeyScope,
  safeAppKeyLength,
  setAppKeyEnabled,
  withScopes,
  createAppKey,
} from "@sallyport/core";
import { appAdvice } from "./app.ts";
import { listCommand } from "./list-command.ts";
import { advising } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import { readGivenFile, type ServerCommand, type Work } from "./server-command.ts";

/** `app-key create|enable|disable|list`. */
export function defineAppKey(group: ServerCommand): void {
  group
    .command("create")
    .description("create an app key and print it once")
    .argument("<name>", "name of the app key")
    .option("--app-name <name...>", "app names that log-ins with the key can use (default: all)")
    .option(
      "--origin <origin...>",
      "allowed CORS origins, such as https://app.example, or http://localhost:* for any port",
    )
    .option(
      "--return-to <address...>",
      "allowed redirect URLs after a provider log-in, such as https://app.example/callback, com.example.app:/callback, or http://localhost/callback for any port",
    )
    .option("--scope <app|admin>", "routes that the key opens: those of applications, or of administration", "app")
    .option("--key-file <file>", "file with the key (default: generate one)")
    .onDatabase(create);
  for (const verb of ["enable", "disable"]) {
    group
      .command(verb)
      .description(`${verb} an app key; takes effect with the next request`)
      .argument("<name>", "name of the app key")
      .onDatabase((name: string) => async ({ administration }) => {
        await setAppKeyEnabled(administration, { name, enabled: verb === "enable" });
        console.log(`${verb === "enable" ? "Enabled" : "Disabled"} app key "${name}".`);
      });
  }
  group.addCommand(
    listCommand({
      plural: "app keys",
      read: async ({ administration: { r } }) => {
        const keys = await allPages(
          ({ after, limit }) => r.appKeys.list(after, limit),
          ({ name }) => name,
        );
        return withScopes(r, keys);
      },
      json: ({ name, scope, enabled, appNames, origins, returnAddresses }) => {
        return { name, scope, enabled, appNames, origins, returnAddresses };
      },
      columns: {
        NAME: ({ name }) => name,
        SCOPE: ({ scope }) => scope,
        STATE: ({ enabled }) => (enabled ? "enabled" : "disabled"),
        "APP NAMES": ({ appNames }) => (appNames === null ? "all" : appNames.join(", ") || "none"),
        ORIGINS: ({ origins }) => origins.join(", ") || "none",
        "REDIRECT URLS": ({ returnAddresses }) => returnAddresses.join(", ") || "none",
      },
    }),
  );
}

interface CreateOptions {
  readonly appName?: readonly string[];
  readonly origin?: readonly string[];
  readonly returnTo?: readonly string[];
  readonly keyFile?: string;
  readonly scope: string;
}

function create(name: string, options: CreateOptions): Work {
  const { appName: appNames = null, origin: origins = [], returnTo: returnAddresses = [], keyFile } = options;
  const scope = scopeOf(options.scope);
  if (scope === "admin" && keyFile !== undefined)
    throw new CommandError("A key with scope admin is always generated. Omit --key-file.");
  acceptAppKey({ name, origins, returnAddresses });
  const given = keyFile === undefined ? null : acceptKeyText(readGivenFile(keyFile).toString().trim());
  return async ({ serving }) => {
    const input = { name, appNames, origins, returnAddresses, key: given, scope };
    const key = await advising(208, appAdvice, async () => createAppKey(await serving("random"), input));
    if (given === null) console.log(key);
    else if (given.length < safeAppKeyLength) {
      console.error(`Warning: the key has fewer than ${safeAppKeyLength} characters and can be guessed.`);
    }
    console.error(given === null ? "Store the key now. It cannot be shown again." : `Created app key "${name}".`);
  };
}

function scopeOf(text: string): AppKeyScope {
  if (text === "app" || text === "admin") return text;
  throw new CommandError(`--scope must be app or admin, not "${text}".`);
}
