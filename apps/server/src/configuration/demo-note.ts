import type { Configuration } from "./configuration.ts";
import { isOnServer } from "./databases/storage-of.ts";

/** What whoever did not ask for the demo by name should know about it; `null` when there is none. */
export function demoNote({ demo, databases }: Pick<Configuration, "demo" | "databases">): string | null {
  if (!demo) return null;
  const storages = databases.flatMap(({ storage }) => (isOnServer(storage) ? [storage] : []));
  const known = "users whose passwords everybody knows";
  if (storages.length === 0) return `Nothing is configured, so this is the demo, with ${known}.`;
  const schemas = storages.map(({ schema }) => schema).join(" and ");
  const what = storages[0]?.engine === "mariadb" ? "databases" : "schemas";
  return `NODE_ENV is not production and there is no configuration file, so DATABASE_URL is used for the demo: the ${what} ${schemas}, filled with ${known}.`;
}
