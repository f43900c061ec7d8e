import { builtInClasses, providerUserClass } from "@sallyport/core";
import type { Migration } from "./migration.ts";
import { throttleProcedures } from "./throttle-procedures.ts";

/** The class of new users of providers, where the database is older than it. Log-ins that bind an account hold what they forget of the throttle. */
export const providerUsers: Migration = {
  name: "0007-provider-users",
  statements: (tables) => [
    ...throttleProcedures(tables),
    `insert into ${tables.classes} (name, definition) values ('${providerUserClass}', '${definition()}') on duplicate key update name = name`,
  ],
};

function definition(): string {
  return JSON.stringify(builtInClasses.find(({ name }) => name === providerUserClass)).replaceAll("'", "''");
}
