import type { StoredMacro } from "@sallyport/core";
import type { Command } from "commander";
import { listCommand } from "../../lists/list-command.ts";

/** `macro list`. */
export function listMacrosCommand(): Command {
  return listCommand<StoredMacro>({
    plural: "macros",
    read: async ({ database }) => (await database.storage.repositories.macros.load()).macros,
    json: ({ name, language, version, text, changedAt, changedBy }) => ({
      name,
      language,
      version,
      bytes: Buffer.byteLength(text),
      changedAt: new Date(changedAt).toISOString(),
      changedBy,
    }),
    columns: {
      NAME: ({ name }) => name,
      LANGUAGE: ({ language }) => language,
      VERSION: ({ version }) => String(version),
      BYTES: ({ text }) => String(Buffer.byteLength(text)),
      CHANGED: ({ changedAt }) => new Date(changedAt).toISOString(),
      BY: ({ changedBy }) => changedBy,
    },
  });
}
