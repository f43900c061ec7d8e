import { KeyStore } from "@sallyport/core";
import type { KeyRotation, RotationRefusal, ServerKeyKind, StoredKey } from "@sallyport/core";
import { identifiers } from "../composition/identifiers.ts";
import type { Configuration, DatabaseConfiguration } from "../configuration/index.ts";
import { type JsonOptions, listCommand, printJson } from "./list-command.ts";
import { describeError } from "./report-failure.ts";
import { CommandError } from "./command-error.ts";
import type { AliasOptions, ServerCommand } from "./server-command.ts";
import { chosen, loadWithDemoNote, nameOf, reachable, withExisting } from "./with-database.ts";

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** `key list|rotate`. */
export function defineKey(group: ServerCommand): void {
  group.addCommand(
    listCommand<StoredKey>({
      plural: "keys",
      read: async ({ database, container }) => {
        const keys = new KeyStore(database.storage.repositories.records);
        const { supplied } = await container.getAsync(identifiers.keySupply);
        for (const { kind, keyId } of supplied.values()) {
          if ((await keys.current(kind))?.keyId === keyId) continue;
          console.error(
            `note: the key in encryption.${kind}KeyFile is not the current one. Run "key rotate ${kind}" to use it.`,
          );
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
  defineRotate(
    group
      .command("rotate")
      .description("replace the current key; the previous one is accepted for 24 hours and sessions continue"),
  );
}

interface RotateOptions extends AliasOptions, JsonOptions {
  readonly masterKeyLost?: true;
}

/** Result for one database. Times are ISO 8601. */
interface Rotated extends KeyRotation {
  readonly alias: string;
  readonly kind: ServerKeyKind;
  /** End of acceptance of the previous key; `null` if it is refused or absent. */
  readonly beforeAcceptedUntil: string | null;
}

/** `key rotate rsa|jwt`: replaces the current keys of databases. */
function defineRotate(command: ServerCommand): void {
  command
    .argument("<rsa|jwt>", "rsa: key for encrypted log-in; jwt: key that signs tokens")
    .option("--master-key-lost", "replace a key that a lost master key encrypted; the previous key is refused at once")
    .option("--json", "print JSON")
    .withAlias("all databases")
    .addHelpText(
      "after",
      "\nRunning servers use the new key with the next request. If the configuration has a key file, its key becomes the current one.",
    )
    .action(rotate);
}

async function rotate(word: string, options: RotateOptions): Promise<void> {
  const kind = kindOf(word);
  const configuration = loadWithDemoNote(options.config);
  if (configuration.encryption.masterKey === undefined && configuration.demoMasterKeyFile === null) {
    throw new CommandError("The master key is not set. Set MASTER_KEY or MASTER_KEY_FILE to the one of the servers.");
  }
  const rotated: Rotated[] = [];
  const failures: string[] = [];
  for (const each of options.alias === undefined ? reachable(configuration) : [chosen(configuration, options.alias)]) {
    const label = `database ${nameOf(each)}`;
    try {
      const outcome = await rotateIn(configuration, each, kind, options.masterKeyLost === true);
      rotated.push(outcome);
      if (!options.json) console.log(`${label}: ${wordsOf(outcome)}`);
    } catch (error) {
      failures.push(`${label}: ${describeError(error)}`);
    }
  }
  if (options.json) printJson(rotated);
  if (failures.length > 0) throw new CommandError(failures.join("\n       "));
}

function kindOf(word: string): ServerKeyKind {
  if (word === "rsa" || word === "jwt") return word;
  throw new CommandError(`The key must be rsa or jwt, not "${word}".`);
}

async function rotateIn(
  configuration: Configuration,
  target: DatabaseConfiguration,
  kind: ServerKeyKind,
  lost: boolean,
): Promise<Rotated> {
  return withExisting(configuration, target, async ({ administration, container }) => {
    const rotateKey = await container.getAsync(identifiers.rotateKey);
    const outcome: KeyRotation | RotationRefusal = await rotateKey.rotateKey(administration, { kind, lost });
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
  if (before === null) return `created key ${keyId}`;
  return `the new key is ${keyId}; ${before} is ${beforeAcceptedUntil === null ? "refused" : `accepted until ${beforeAcceptedUntil}`}`;
}

/** Translates a refusal for the user. */
function refusalWords(
  refusal: RotationRefusal,
  kind: ServerKeyKind,
  { encryption }: Pick<Configuration, "encryption">,
): string {
  const field = kind === "rsa" ? "rsaKeyFile" : "jwtKeyFile";
  const file = `encryption.${field} (${encryption[field]})`;
  switch (refusal) {
    case "conflict":
      return "The key was rotated by another process at the same time. Nothing was changed.";
    case "sealedByAnother":
      return "Another master key encrypted the current key. Set the one of the servers, or replace the key with --master-key-lost.";
    case "notLost":
      return "The master key decrypts the current key. Omit --master-key-lost.";
    case "suppliedAlready":
      return `The key in ${file} is already the current one. Put another key into the file, or remove the file from the configuration to generate one.`;
    case "suppliedBefore":
      return `The key in ${file} was rotated out and cannot be used again. Put another key into the file, or remove the file from the configuration to generate one.`;
  }
}
