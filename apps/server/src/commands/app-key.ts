import { acceptAppKey, acceptKeyText, createAppKey, safeAppKeyLength } from "@sallyport/core";
import { defineMoved } from "./moved-commands.ts";
import { advising } from "../command-line/report-failure.ts";
import { readNamedFile, type ServerCommand, type Work } from "../command-line/server-command.ts";

/** `app-key import`. Routes generate keys and take none. */
export function defineAppKey(group: ServerCommand): void {
  group
    .command("import")
    .description("import the app key of another system")
    .argument("<name>", "name of the app key")
    .requiredOption("--key-file <file>", "file with the key")
    .option("--app-name <name...>", "app names that log-ins with the key can use (default: all)")
    .option(
      "--origin <origin...>",
      "allowed CORS origins, such as https://app.example, or http://localhost:* for any port",
    )
    .option(
      "--return-to <address...>",
      "allowed redirect URLs after a provider log-in, such as https://app.example/callback, com.example.app:/callback, or http://localhost/callback for any port",
    )
    .onDatabase(importKey);
  defineMoved(group, ["create", "enable", "disable", "list"]);
}

interface ImportOptions {
  readonly keyFile: string;
  readonly appName?: readonly string[];
  readonly origin?: readonly string[];
  readonly returnTo?: readonly string[];
}

function importKey(name: string, options: ImportOptions): Work {
  const { appName: appNames = null, origin: origins = [], returnTo: returnAddresses = [], keyFile } = options;
  acceptAppKey({ name, origins, returnAddresses });
  const key = acceptKeyText(readNamedFile(keyFile).toString().trim());
  return async ({ serving }) => {
    const input = { name, appNames, origins, returnAddresses, key };
    await advising(208, 'Create it first with "sallyport --local app create".', async () =>
      createAppKey(await serving("random"), input),
    );
    if (key.length < safeAppKeyLength)
      console.error(`Warning: the key has fewer than ${safeAppKeyLength} characters and can be guessed.`);
    console.log(`Imported app key "${name}".`);
  };
}
