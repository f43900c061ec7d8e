import { acceptAppKey, acceptKeyText, allParts, anyPort, safeAppKeyLength, setAppKeyEnabled } from "@sallyport/core";
import { identifiers } from "../composition/identifiers.ts";
import { appAdvice } from "./app.ts";
import { listCommand } from "./list-command.ts";
import { advising } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import { readGivenFile, type ServerCommand, type Work } from "./server-command.ts";

/** `app-key create|enable|disable|list`. */
export function defineAppKey(group: ServerCommand): void {
  group
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
    .onDatabase(create);
  for (const verb of ["enable", "disable"]) {
    group
      .command(verb)
      .description(`${verb} an app key; running servers see it with the next request`)
      .argument("<name>", "name of the app key")
      .onDatabase((name: string) => async ({ administration }) => {
        await setAppKeyEnabled(administration, { name, enabled: verb === "enable" });
        console.log(`The app key "${name}" is ${verb}d.`);
      });
  }
  group.addCommand(
    listCommand({
      plural: "app keys",
      read: ({ database }) =>
        allParts(
          ({ after, limit }) => database.storage.repositories.appKeys.list(after, limit),
          ({ name }) => name,
        ),
      json: ({ name, enabled, appNames, origins, returnAddresses }) => {
        return { name, enabled, appNames, origins, returnAddresses };
      },
      columns: {
        NAME: ({ name }) => name,
        STATE: ({ enabled }) => (enabled ? "enabled" : "disabled"),
        "APP NAMES": ({ appNames }) => (appNames === null ? "all" : appNames.join(", ") || "none"),
        ORIGINS: ({ origins }) => origins.join(", ") || "none",
        "RETURNS TO": ({ returnAddresses }) => returnAddresses.join(", ") || "none",
      },
    }),
  );
}

interface CreateOptions {
  readonly appName?: readonly string[];
  readonly origin?: readonly string[];
  readonly returnTo?: readonly string[];
  readonly keyFile?: string;
}

function create(name: string, options: CreateOptions): Work {
  const { appName: appNames = null, origin = [], returnTo: returnAddresses = [], keyFile } = options;
  const origins = origin.map(checkedOrigin);
  acceptAppKey({ name, returnAddresses });
  const given = keyFile === undefined ? null : acceptKeyText(readGivenFile(keyFile).toString().trim());
  return async ({ container, administration }) => {
    const createAppKey = await container.getAsync(identifiers.createAppKey);
    const input = { name, appNames, origins, returnAddresses, key: given };
    const key = await advising(208, appAdvice, () => createAppKey.createAppKey(administration, input));
    if (given === null) console.log(key);
    else if (given.length < safeAppKeyLength) {
      console.error(
        `Warning: a key of fewer than ${safeAppKeyLength} characters can be guessed. Use it only for clients with a fixed key.`,
      );
    }
    console.error(given === null ? "Keep the key: it cannot be shown again." : `The app key "${name}" exists now.`);
  };
}

function checkedOrigin(text: string): string {
  const bare = text.endsWith(anyPort) ? text.slice(0, -anyPort.length) : text;
  const hasPort = bare !== text && /:\d+$/.test(bare);
  if (!hasPort && URL.canParse(bare) && new URL(bare).origin === bare) return text;
  throw new CommandError(
    `"${text}" is no origin: browsers spell it scheme, host and port only, such as https://app.example. With :* for the port it stands for any.`,
  );
}
