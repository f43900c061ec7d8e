import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Configuration } from "./configuration.ts";
import { isOnServer } from "./database-storage.ts";
import { isLoopbackHost } from "./schema/network-texts.ts";

interface DemoCircumstances {
  /** Whether there is a configuration besides the environment. */
  readonly given: boolean;
  readonly production: boolean;
  readonly host: string;
}

/** The demo is what nobody asked for by name: no file, not in production, reachable from this machine only. */
export function isDemo({ given, production, host }: DemoCircumstances): boolean {
  return !given && !production && isLoopbackHost(host);
}

/** The databases of the demo, as a file would list them: on the given server, else embedded. */
export function demoDatabases(onServer: boolean): { alias: string; name: string; storage: { schema: string } }[] {
  const storage = { ...(onServer ? {} : { engine: "embedded" }), migrateOnStart: true };
  return [
    { alias: "", name: "demo", storage: { ...storage, schema: "sallyport_demo" } },
    { alias: "second", name: "second", storage: { ...storage, schema: "sallyport_demo_second" } },
  ];
}

/** The folder with the macros of the demo, which come with this package; `null` where somebody has left them out. */
export function demoMacros(): string | null {
  const directory = fileURLToPath(new URL("../../macros/demo", import.meta.url));
  return existsSync(directory) ? directory : null;
}

/** What whoever did not ask for the demo by name should know about it; `null` when there is none. */
export function demoNote({ demo, databases }: Pick<Configuration, "demo" | "databases">): string | null {
  if (!demo) return null;
  const storages = databases.flatMap(({ storage }) => (isOnServer(storage) ? [storage] : []));
  const known = "users with public passwords";
  if (storages.length === 0) return `No configuration was found. This is the demo, with ${known}.`;
  const schemas = storages.map(({ schema }) => schema).join(" and ");
  const what = storages[0]?.engine === "mariadb" ? "databases" : "schemas";
  return `NODE_ENV is not production and there is no configuration file. DATABASE_URL is used for the demo, in the ${what} ${schemas}, with ${known}.`;
}
