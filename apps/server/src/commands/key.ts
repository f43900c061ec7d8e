import { KeyStore } from "@sallyport/core";
import type { KeyRotation, RotationRefusal, ServerKeyKind, StoredKey } from "@sallyport/core";
import { identifiers } from "../composition/identifiers.ts";
import { directoriesWithoutDatabase } from "../composition/storages/embedded.ts";
import type { Configuration, DatabaseConfiguration } from "../configuration/index.ts";
import { type JsonOptions, listCommand, printJson } from "./list-command.ts";
import { plainWords } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import type { AliasOptions, ServerCommand } from "./server-command.ts";
import { chosen, loadNoting, nameOf, withOpened } from "./with-database.ts";

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** `key list`. */
export function defineKey(group: ServerCommand): void {
  group.addCommand(
    listCommand<StoredKey>({
      plural: "keys",
      read: async ({ database, container }) => {
        const keys = new KeyStore(database.storage.repositories.records);
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

interface RotateOptions extends AliasOptions, JsonOptions {
  readonly oldKeyLost?: true;
}

/** What became of one database; times are ISO 8601. */
interface Rotated extends KeyRotation {
  readonly alias: string;
  readonly kind: ServerKeyKind;
  /** Until when the key before is accepted; `null` if it is refused, or there was none. */
  readonly beforeAcceptedUntil: string | null;
}

/** `rotate-key rsa|jwt`: puts new keys into the place of those that databases use. */
export function defineRotateKey(command: ServerCommand): void {
  command
    .argument("<rsa|jwt>", "rsa: for encrypted log-ins; jwt: for signing tokens")
    .option(
      "--old-key-lost",
      "the master key of the current key is gone: refuse what it signed or was used for from now on",
    )
    .option("--json", "print JSON, for scripts")
    .withAlias("every database")
    .addHelpText(
      "after",
      "\nRunning servers use the new key with the next request. With a key file in the configuration, its key becomes the current one.",
    )
    .action(rotate);
}

async function rotate(word: string, options: RotateOptions): Promise<void> {
  const kind = kindOf(word);
  const configuration = loadNoting(options.config);
  if (configuration.encryption.masterKey === undefined && configuration.demoMasterKeyFile === null) {
    throw new CommandError(
      "There is no master key. Set MASTER_KEY, or MASTER_KEY_FILE, to the one that the servers use.",
    );
  }
  const rotated: Rotated[] = [];
  const failures: string[] = [];
  for (const each of await targetsOf(configuration, options)) {
    const label = `database ${nameOf(each)}`;
    try {
      const outcome = await rotateIn(configuration, each, kind, options.oldKeyLost === true);
      rotated.push(outcome);
      if (!options.json) console.log(`${label}: ${wordsOf(outcome)}`);
    } catch (error) {
      failures.push(`${label}: ${plainWords(error)}`);
    }
  }
  if (options.json) printJson(rotated);
  if (failures.length > 0) throw new CommandError(failures.join("\n       "));
}

function kindOf(word: string): ServerKeyKind {
  if (word === "rsa" || word === "jwt") return word;
  throw new CommandError(`Say "rotate-key rsa" or "rotate-key jwt"; "${word}" is neither.`);
}

/** The named database, or all that a command can reach. */
async function targetsOf(
  configuration: Configuration,
  { alias }: AliasOptions,
): Promise<readonly DatabaseConfiguration[]> {
  const reachable = configuration.databases.filter(({ storage }) => storage !== null && storage.engine !== "memory");
  if (alias === undefined && reachable.length === 0)
    throw new CommandError("There is no database that a command can reach.");
  return alias === undefined ? reachable : [chosen(configuration, alias)];
}

async function rotateIn(
  configuration: Configuration,
  target: DatabaseConfiguration,
  kind: ServerKeyKind,
  lost: boolean,
): Promise<Rotated> {
  const [missing] = await directoriesWithoutDatabase([target]);
  if (missing !== undefined)
    throw new CommandError(`There is no database in ${missing}. "sallyport-server migrate" creates it.`);
  return withOpened(configuration, target, async ({ administration, container }) => {
    const rotateKey = await container.getAsync(identifiers.rotateKey);
    const outcome: KeyRotation | RotationRefusal = await rotateKey.run(administration, { kind, lost });
    if (typeof outcome === "string") throw new CommandError(refusalWords(outcome, kind, configuration));
    const accepted = await new KeyStore(administration.r.records).accepted(kind);
    const until = accepted.find(({ keyId }) => keyId === outcome.before)?.acceptedUntil ?? null;
    return {
      alias: target.alias,
      kind,
      ...outcome,
      beforeAcceptedUntil: until === null ? null : new Date(until).toISOString(),
    };
  });
}

function wordsOf({ keyId, before, beforeAcceptedUntil }: Rotated): string {
  if (before === null) return `the key is ${keyId}; there was none before`;
  return `the key is ${keyId} now; ${before} is ${beforeAcceptedUntil === null ? "refused" : `accepted until ${beforeAcceptedUntil}`}`;
}

/** Why a key was not rotated, in words for whoever asked for it. */
function refusalWords(
  refusal: RotationRefusal,
  kind: ServerKeyKind,
  { encryption }: Pick<Configuration, "encryption">,
): string {
  const field = kind === "rsa" ? "rsaKeyFile" : "jwtKeyFile";
  const file = `encryption.${field} (${encryption[field]})`;
  switch (refusal) {
    case "overtaken":
      return "Somebody else has rotated the key at the same time; nothing was done.";
    case "sealedByAnother":
      return "Another master key sealed the current key. Use the one that the servers use. If that is gone for good, --old-key-lost puts a new key into its place.";
    case "notLost":
      return "The master key opens the current key, so it is not lost. Leave --old-key-lost out.";
    case "suppliedAlready":
      return `The key in ${file} is the current one already. Put another key into the file first, or take the file out of the configuration to have one made.`;
    case "suppliedBefore":
      return `The key in ${file} was replaced before and cannot come back. Put another key into the file, or take the file out of the configuration to have one made.`;
  }
}
