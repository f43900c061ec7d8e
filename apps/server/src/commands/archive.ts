import { types } from "node:util";
import { mailJobs, reserveUserNames, ServiceError, KeyStore } from "@sallyport/core";
import {
  ArchiveFault,
  type ArchiveHeader,
  ArchiveProgress,
  FileExistsError,
  grouped,
  openArchive,
  readArchiveFile,
  saveArchive,
  standardStream,
  withoutSecrets,
  writeArchive,
} from "../archive/index.ts";
import { identifiers } from "../composition/identifiers.ts";
import { version } from "../composition/version.ts";
import { CommandError } from "./command-error.ts";
import type { AliasOptions, ServerCommand, Work } from "./server-command.ts";
import { chosen, loadWithDemoNote, nameOf, type OpenedDatabase, withOpened } from "./with-database.ts";

interface DumpOptions {
  readonly output: string;
  /** `false` for an omitted part. */
  readonly credentials: boolean;
  readonly keys: boolean;
}

/** `dump`: exports a database to an archive. */
export function defineDump(command: ServerCommand): void {
  command
    .requiredOption("-o, --output <file>", 'new file, compressed if its name ends in .gz; "-" for standard output')
    .option(
      "--no-credentials",
      "omit accounts, custom users, second factors, identity providers, linked accounts and app keys",
    )
    .option("--no-keys", "omit server keys")
    .addHelpText(
      "after",
      "\nThe archive contains password hashes and encrypted server keys unless they are omitted. The file is readable by its owner only.",
    )
    .onDatabase(dump);
}

function dump({ output, ...kept }: DumpOptions): Work {
  const without = (["credentials", "keys"] as const).filter((what) => !kept[what]);
  return async ({ database: { name, storage } }) => {
    const { count } = await storage.repositories.records.count(mailJobs);
    if (count > 0)
      console.error(`note: The archive omits ${count === 1 ? "1 message" : `${count} messages`} in the outbox.`);
    const progress = new ArchiveProgress("Dumping", process.stderr);
    const header: ArchiveHeader = {
      version,
      database: name,
      writtenAt: new Date(await storage.now()).toISOString(),
      without,
    };
    const parts = progress.watch(
      without.length === 0 ? storage.archive.export() : withoutSecrets(storage.archive.export(), without),
    );
    await saveArchive(output, writeArchive(header, parts)).catch((error: unknown) => {
      throw fileDiagnostics(error, output);
    });
    const summary = `Dumped ${grouped(progress.done)} objects${output === standardStream ? "" : ` into ${output}`}.`;
    // The archive occupies standard output.
    if (output === standardStream) console.error(summary);
    else console.log(summary);
  };
}

/** Translates a file system error for the user. Other errors are returned unchanged. */
function fileDiagnostics(error: unknown, file: string): unknown {
  if (error instanceof FileExistsError)
    return new CommandError(`The file ${file} already exists. Nothing was written.`);
  if (!types.isNativeError(error) || !("syscall" in error)) return error;
  return new CommandError(`The file ${file} cannot be used: ${error.message}`, { cause: error });
}

interface RestoreOptions extends AliasOptions {
  readonly input: string;
}

/** `restore`: fills an empty database from an archive. */
export function defineRestore(command: ServerCommand): void {
  command
    .requiredOption("-i, --input <file>", 'archive, compressed if its name ends in .gz; "-" for standard input')
    .withAlias()
    .action(restore);
}

async function restore({ config, alias, input }: RestoreOptions): Promise<void> {
  const configuration = loadWithDemoNote(config);
  const target = chosen(configuration, alias);
  try {
    const { header, records } = await openArchive(readArchiveFile(input));
    await withOpened(configuration, target, async (opened) => {
      const { storage } = opened.database;
      if (target.migrateOnStart) await storage.migrate();
      const progress = new ArchiveProgress("Restoring", process.stderr);
      const outcome = await storage.archive.import(progress.watch(records));
      if (outcome === "notEmpty")
        throw new CommandError(
          `The database ${nameOf(target)} is not empty. Restore into a new database that no server has used. Nothing was changed.`,
        );
      if (outcome === "busy")
        throw new CommandError(`Another restore of the database ${nameOf(target)} is running. Nothing was changed.`);
      await reserveUserNames(opened.database);
      // Queries would be slow until a server builds the indexes.
      await (await opened.container.getAsync(identifiers.alignIndexes)).alignIndexes(storage);
      console.log(
        `Restored ${grouped(progress.done)} objects of the database "${header.database}" as of ${header.writtenAt}.`,
      );
      for (const note of [
        ...leftOutNotes(header),
        ...(await keyNotes(opened)),
        ...(progress.settings?.maintenance === true ? [maintenanceNote] : []),
      ]) {
        console.error(`note: ${note}`);
      }
    });
  } catch (error) {
    throw archiveDiagnostics(error, input);
  }
}

const maintenanceNote = 'Maintenance mode is on, as in the archive. To end it, run "sallyport-server maintenance off".';

function leftOutNotes({ without }: ArchiveHeader): string[] {
  return without.includes("credentials")
    ? ["The archive contains no credentials. Users have no accounts, and there are no app keys."]
    : [];
}

/** Checks that the master key opens the restored keys. The first encrypted log-in would fail otherwise. */
async function keyNotes({ database, container }: OpenedDatabase): Promise<string[]> {
  const rings = await container.getAsync(identifiers.keyRings);
  const notes: string[] = [];
  for (const kind of ["rsa", "jwt"] as const) {
    if ((await new KeyStore(database.storage.repositories.records).current(kind)) === null) continue;
    if (!rings.usable) return ["The archive contains server keys, which need their master key. Set MASTER_KEY."];
    const opened = await rings.current(kind, database).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 705) return null;
      throw error;
    });
    if (opened === null) {
      notes.push(
        `Another master key encrypted the ${kind} key of the archive. Set MASTER_KEY to that one, or replace the key with "sallyport-server key rotate ${kind} --master-key-lost".`,
      );
    }
  }
  return notes;
}

/** Translates an archive error for the user. Other errors are returned unchanged. */
function archiveDiagnostics(error: unknown, input: string): unknown {
  const named = input === standardStream ? "The archive from standard input" : `The archive ${input}`;
  if (error instanceof ArchiveFault)
    return new CommandError(`${named} cannot be restored. ${error.message} Nothing was changed.`, { cause: error });
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string" && code.startsWith("Z_")) {
    return new CommandError(
      `${named} cannot be restored: its compressed data is damaged or truncated. Nothing was changed.`,
      { cause: error },
    );
  }
  return fileDiagnostics(error, input);
}
