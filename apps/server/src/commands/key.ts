import { KeyStore, rotateKey, resealSecrets } from "@sallyport/core";
import type { KeyRotation, ResealedSecrets, RotationRefusal, ServerKeyKind } from "@sallyport/core";
import { ProgressLine } from "@sallyport/client/terminal";
import type { Configuration, DatabaseConfiguration } from "../configuration/index.ts";
import { type JsonOptions, printJson, printList } from "../command-line/list-command.ts";
import { counted, grouped } from "../command-line/progress.ts";
import { defineMoved, moved } from "./moved-commands.ts";
import { describeError } from "../command-line/report-failure.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { AliasOptions, ServerCommand } from "../command-line/server-command.ts";
import { chosen, loadWithDemoNote, nameOf, reachable, withExisting } from "../command-line/with-database.ts";

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** `key rotate|reseal`. */
export function defineKey(group: ServerCommand): void {
  defineRotate(
    group
      .command("rotate")
      .description("replace a key that a lost master key encrypted; the previous key is refused at once"),
  );
  defineReseal(
    group
      .command("reseal")
      .description("encrypt stored secrets again under the master key, and count those that need a former one"),
  );
  defineMoved(group, ["list"]);
}

/** Works on the selected database, or on all. A failure in one does not stop the others; they are reported together by `end`. */
async function inDatabases<T>(
  { config, alias }: AliasOptions,
  work: (configuration: Configuration, target: DatabaseConfiguration) => Promise<T>,
): Promise<{ readonly results: readonly T[]; readonly end: () => void }> {
  const configuration = loadWithDemoNote(config);
  if (configuration.encryption.masterKey === undefined && configuration.demoMasterKeyFile === null) {
    throw new CommandError("The master key is not set. Set MASTER_KEY or MASTER_KEY_FILE to the one of the servers.");
  }
  const results: T[] = [];
  const failures: string[] = [];
  for (const each of alias === undefined ? reachable(configuration) : [chosen(configuration, alias)]) {
    try {
      results.push(await work(configuration, each));
    } catch (error) {
      failures.push(`database ${nameOf(each)}: ${describeError(error)}`);
    }
  }
  const end = () => {
    if (failures.length > 0) throw new CommandError(failures.join("\n       "));
  };
  return { results, end };
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
    .option("--master-key-lost", "required: the master key of the current key is lost")
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
  if (options.masterKeyLost !== true) throw moved(["key", "rotate", kind, ...selectionOf(options)]);
  const { results, end } = await inDatabases(options, async (configuration, target) => {
    const outcome = await rotateIn(configuration, target, kind);
    if (!options.json) console.log(`database ${nameOf(target)}: ${wordsOf(outcome)}`);
    return outcome;
  });
  if (options.json) printJson(results);
  end();
}

function selectionOf({ alias, config, json }: RotateOptions): string[] {
  const databases = alias === undefined ? ["--all"] : ["--alias", alias];
  return [...databases, ...(config === undefined ? [] : ["--config", config]), ...(json ? ["--json"] : [])];
}

function kindOf(word: string): ServerKeyKind {
  if (word === "rsa" || word === "jwt") return word;
  throw new CommandError(`The key must be rsa or jwt, not "${word}".`);
}

async function rotateIn(
  configuration: Configuration,
  target: DatabaseConfiguration,
  kind: ServerKeyKind,
): Promise<Rotated> {
  return withExisting(configuration, target, async ({ administration, serving }) => {
    const outcome: KeyRotation | RotationRefusal = await rotateKey(await serving("keySupply"), { kind, lost: true });
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

interface ResealOptions extends AliasOptions, JsonOptions {
  readonly dryRun?: true;
}

/** Result for one database. */
interface Resealed extends ResealedSecrets {
  readonly alias: string;
}

/** `key reseal`: moves the stored secrets of databases from former master keys to the current one. */
function defineReseal(command: ServerCommand): void {
  command
    .option("--dry-run", "only count")
    .option("--json", "print JSON")
    .withAlias("all databases")
    .addHelpText(
      "after",
      "\nConfigure the master key and encryption.formerMasterKeys as on the servers, which can keep running. An interrupted run can be repeated. Exit codes: 0 if no secret needs a former master key, 2 if some do, 1 if some cannot be decrypted or the command fails.",
    )
    .action(reseal);
}

async function reseal(options: ResealOptions): Promise<void> {
  const dryRun = options.dryRun === true;
  const progress = new ProgressLine(process.stderr);
  let read = 0;
  const onProgress = (length: number) => {
    read += length;
    progress.show(() => `Reading ${counted(read, "record")}`);
  };
  const { results, end } = await inDatabases(options, (configuration, target) =>
    withExisting(configuration, target, async ({ serving }): Promise<Resealed> => {
      return {
        alias: target.alias,
        ...(await resealSecrets(await serving("keyWrapping"), { dryRun, onProgress })),
      };
    }),
  );
  progress.clear();
  const rows = results.flatMap(({ alias, counts }) => counts.map((count) => ({ alias, ...count })));
  const left = rows.filter(({ former }) => former > 0);
  if (options.json)
    printJson(
      results.map(({ alias, resealed, counts }) => ({
        alias,
        resealed,
        secrets: counts.map(({ kind, total, former, unreadable, until }) => ({
          kind,
          total,
          former,
          unreadable,
          until: until === null ? null : timeOf(until),
        })),
      })),
    );
  else {
    printList(rows, { json: (row) => row, columns: resealColumns }, options);
    const resealed = results.reduce((sum, each) => sum + each.resealed, 0);
    if (!dryRun) console.log(`Encrypted ${counted(resealed, "record")} again.`);
    console.log(leftWords(left.map(({ until }) => until)));
  }
  if (left.length > 0) process.exitCode = 2;
  end();
  const unreadable = rows.reduce((sum, row) => sum + row.unreadable, 0);
  if (unreadable > 0)
    throw new CommandError(
      `No configured master key decrypts ${counted(unreadable, "secret")}. Add the missing key to encryption.formerMasterKeys.`,
    );
}

type ResealRow = Resealed["counts"][number] & { readonly alias: string };

const resealColumns = {
  DATABASE: (row: ResealRow) => nameOf(row),
  KIND: ({ kind }: ResealRow) => kind,
  TOTAL: ({ total }: ResealRow) => grouped(total),
  "UNDER A FORMER KEY": ({ former }: ResealRow) => grouped(former),
  UNTIL: ({ former, until }: ResealRow) => (former === 0 ? "" : until === null ? "encrypted again" : timeOf(until)),
  UNREADABLE: ({ unreadable }: ResealRow) => grouped(unreadable),
};

/** States until when the former keys must stay. `ends`: of the kinds that need them; `null` for one that does not end. */
function leftWords(ends: readonly (number | null)[]): string {
  if (ends.length === 0) return "No secret needs a former master key.";
  if (ends.includes(null))
    return 'Secrets need a former master key. Run "key reseal" once all servers use the new one.';
  return `The former master keys are needed until ${timeOf(Math.max(...ends.map(Number)))}, or until the last of these sessions and records ends.`;
}
