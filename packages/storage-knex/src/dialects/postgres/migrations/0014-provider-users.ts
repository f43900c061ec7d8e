import { builtInClasses, providerUserClass } from "@sallyport/core";
import type { Migration } from "./migration.ts";

/** The class of new users of providers, where the database is older than it. */
export const providerUsers: Migration = {
  name: "0014-provider-users",
  statements: ({ classes }) => [
    `insert into ${classes} (name, definition) values ('${providerUserClass}', '${definition()}') on conflict (name) do nothing`,
  ],
};

function definition(): string {
  return JSON.stringify(builtInClasses.find(({ name }) => name === providerUserClass)).replaceAll("'", "''");
}
