import type { Command } from "commander";
import { allParts } from "../lists/all-parts.ts";
import { listCommand } from "../lists/list-command.ts";

/** `app list`. */
export function listAppsCommand(): Command {
  return listCommand({
    plural: "apps",
    read: ({ database }) =>
      allParts(
        (...part) => database.storage.repositories.applications.list(...part),
        ({ name }) => name,
      ),
    json: ({ name, seats, secondFactor }) => ({ name, seats, secondFactor }),
    columns: {
      NAME: ({ name }) => name,
      SEATS: ({ seats }) => (seats === null ? "any number" : String(seats)),
      "SECOND FACTOR": ({ secondFactor }) => secondFactor,
    },
  });
}
