import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { demoCredentials } from "../demo/demo-records.ts";
import type { Configuration } from "./configuration.ts";
import { isOnServer } from "./database-storage.ts";
import { isLoopbackHost } from "./schema/network-texts.ts";

interface DemoConditions {
  /** Whether a configuration exists besides the environment. */
  readonly isConfigured: boolean;
  readonly production: boolean;
  readonly host: string;
}

/** Whether to run the demo: no configuration, not production, and reachable from this machine only. */
export function isDemo({ isConfigured, production, host }: DemoConditions): boolean {
  return !isConfigured && !production && isLoopbackHost(host);
}

/** The databases of the demo, as in a configuration file. `onServer`: on the configured server; otherwise embedded. */
export function demoDatabases(onServer: boolean): { alias: string; name: string; storage: { schema: string } }[] {
  const storage = { ...(onServer ? {} : { engine: "embedded" }), migrateOnStart: true };
  return [
    { alias: "", name: "demo", storage: { ...storage, schema: "sallyport_demo" } },
    { alias: "second", name: "second", storage: { ...storage, schema: "sallyport_demo_second" } },
  ];
}

/** The credentials with which users of the demo log in to the console. */
export const demoConsole = { appKey: demoCredentials.appKey, appName: demoCredentials.apps[0].name };

/** Directory of the sample macros in this package; `null` if it was removed. */
export function demoMacros(): string | null {
  const directory = fileURLToPath(new URL("../../macros/demo", import.meta.url));
  return existsSync(directory) ? directory : null;
}

/** Note for operators who may not expect the demo; `null` if this is not the demo. */
export function demoNote({ demo, databases }: Pick<Configuration, "demo" | "databases">): string | null {
  if (!demo) return null;
  const storages = databases.flatMap(({ storage }) => (isOnServer(storage) ? [storage] : []));
  const accounts = "users with public passwords";
  if (storages.length === 0) return `No configuration was found. This is the demo, with ${accounts}.`;
  const schemas = storages.map(({ schema }) => schema).join(" and ");
  const what = storages[0]?.engine === "mariadb" ? "databases" : "schemas";
  return `NODE_ENV is not production and there is no configuration file. DATABASE_URL is used for the demo, in the ${what} ${schemas}, with ${accounts}.`;
}
