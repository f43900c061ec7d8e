import type { ProviderEntry } from "@sallyport/core";
import type { Command } from "commander";
import { listCommand } from "../lists/list-command.ts";
import { type OpenedEntry, openedEntry } from "./opened-entry.ts";

/** `provider list`. */
export function listProvidersCommand(): Command {
  return listCommand<OpenedEntry>({
    plural: "providers",
    read: async (opened) => {
      const entries: readonly ProviderEntry[] = await opened.database.storage.repositories.identityProviders.list();
      return Promise.all(entries.map((entry) => openedEntry(opened, entry)));
    },
    json: ({ type, name, switchedOn, defaultUser, appNames, callback }) => ({
      type,
      name,
      switchedOn,
      defaultUser,
      appNames,
      callback,
    }),
    columns: {
      TYPE: ({ type }) => type,
      NAME: ({ name }) => name,
      STATE: ({ switchedOn, fault }) => (fault !== null ? "unusable" : switchedOn ? "on" : "switched off"),
      "DEFAULT USER": ({ defaultUser }) => defaultUser ?? "none",
      APPS: ({ appNames }) => appNames.join(", ") || "none",
      CALLBACK: ({ callback }) => callback ?? "not known",
    },
  });
}
