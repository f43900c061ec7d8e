import type { Command } from "commander";
import type { StoredKey } from "@sallyport/core";
import { identifiers } from "../../composition/identifiers.ts";
import { commandGroup } from "../command-group.ts";
import { listCommand } from "../lists/list-command.ts";

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** `key list`. */
export function keyCommand(): Command {
  return commandGroup("key", "show the keys of the server").addCommand(
    listCommand<StoredKey>({
      plural: "keys",
      read: async ({ database, container }) => {
        const { keys } = database.storage.repositories;
        const { supplied } = await container.getAsync(identifiers.keySupply);
        for (const { kind, keyId } of supplied.values()) {
          if ((await keys.current(kind))?.keyId === keyId) continue;
          console.error(`note: the key in encryption.${kind}KeyFile is not the current one.`);
        }
        return [...(await keys.accepted("rsa")), ...(await keys.accepted("jwt"))];
      },
      json: ({ kind, keyId, createdAt, acceptedUntil }) => ({
        kind,
        keyId,
        createdAt: timeOf(createdAt),
        acceptedUntil: acceptedUntil === null ? null : timeOf(acceptedUntil),
      }),
      columns: {
        KIND: ({ kind }) => kind,
        ID: ({ keyId }) => keyId,
        CREATED: ({ createdAt }) => timeOf(createdAt),
        "ACCEPTED UNTIL": ({ acceptedUntil }) => (acceptedUntil === null ? "current" : timeOf(acceptedUntil)),
      },
    }),
  );
}
