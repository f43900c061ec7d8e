import type { Command } from "commander";
import { allParts } from "../lists/all-parts.ts";
import { listCommand } from "../lists/list-command.ts";

/** `app-key list`. */
export function listAppKeysCommand(): Command {
  return listCommand({
    plural: "app keys",
    read: ({ database }) =>
      allParts(
        (...part) => database.storage.repositories.appKeys.list(...part),
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
