import { types } from "node:util";
import { type ArchiveRecord, ServiceError } from "@sallyport/storage";
import {
  type ArchivedFile,
  fileKind,
  KeyStore,
  mailJobs,
  reserveUserNames,
  dumpFiles,
  alignIndexes,
  restoreFiles,
} from "@sallyport/core";
import {
  ArchiveFault,
  type ArchiveHeader,
  FileExistsError,
  openArchive,
  readArchiveFile,
  saveArchive,
  standardStream,
  withoutFiles,
  withoutSecrets,
  writeArchive,
} from "../archive/index.ts";
import { components } from "../composition/components.ts";
import { version } from "../composition/version.ts";
import { CommandError } from "../command-line/command-error.ts";
import { ArchiveProgress, counted, grouped } from "../command-line/progress.ts";
import { advising, describeError } from "../command-line/report-failure.ts";
import type { AliasOptions, ServerCommand, Work } from "../command-line/server-command.ts";
import type { DatabaseConfiguration } from "../configuration/index.ts";
import { chosen, loadWithDemoNote, nameOf, type OpenedDatabase, withOpened } from "../command-line/with-database.ts";

interface DumpOptions {
  readonly output: string;
  readonly files?: boolean;
  /** `false` for an omitted part. */
  readonly credentials: boolean;
  readonly keys: boolean;
}

/** `dump`: exports a database to an archive. */
export function defineDump(command: ServerCommand): void {
  command
    .requiredOption("-o, --output <file>", 'new file, compressed if its name ends in .gz; "-" for standard output')
    .option("--files", "include the bytes of files (default: only their objects)")
    .option(
      "--no-credentials",
      "omit accounts, custom users, second factors, identity providers, linked accounts and app keys",
    )
    .option("--no-keys", "omit server keys")
    .addHelpText(
      "after",
      "\nThe archive contains password hashes and encrypted server keys unless they are omitted. The bytes of files are not encrypted in it. The file is readable by its owner only.",
    )
    .onDatabase(dump);
}

function dump({ output, files = false, ...choice }: DumpOptions): Work {
  const without = (["credentials", "keys"] as const).filter((what) => !choice[what]);
  return async ({ database, serving }) => {
    const { name, storage } = database;
    const { records } = storage.repositories;
    const { count } = await records.count(mailJobs);
    if (count > 0) console.error(`note: The archive omits ${counted(count, "message")} in the outbox.`);
    const { count: omitted } = files ? { count: 0 } : await records.count(fileKind);
    if (omitted > 0)
      console.error(
        `warning: The archive omits the bytes of ${counted(omitted, "file")}. Dump with --files, or copy the file store after the dump.`,
      );
    const progress = new ArchiveProgress("Dumping", process.stderr);
    const writtenAt = new Date(await storage.now()).toISOString();
    const exported = storage.archive.export();
    const parts = without.length === 0 ? exported : withoutSecrets(exported, without);
    const all = files ? dumpFiles(await serving("hashes"), parts) : parts;
    const archive = writeArchive({ version, database: name, writtenAt, without, files }, progress.watch(all));
    await advising(707, 'Nothing was written. Run "sallyport-server file check".', () =>
      saveArchive(output, archive),
    ).catch((error: unknown) => {
      throw fileDiagnostics(error, output);
    });
    const place = output === standardStream ? "" : ` into ${output}`;
    const summary = `Dumped ${contentsOf(progress, files)}${place}.`;
    // The archive occupies standard output.
    if (output === standardStream) console.error(summary);
    else console.log(summary);
  };
}

function contentsOf({ done, files }: ArchiveProgress, hasFiles: boolean): string {
  return `${grouped(done)} objects${hasFiles ? ` and ${counted(files, "file")}` : ""}`;
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
  readonly files?: boolean;
}

/** `restore`: fills an empty database from an archive. */
export function defineRestore(command: ServerCommand): void {
  command
    .requiredOption("-i, --input <file>", 'archive, compressed if its name ends in .gz; "-" for standard input')
    .option("--files", "restore the bytes of files into an empty file store (default: only their objects)")
    .withAlias()
    .action(restore);
}

async function restore({ config, alias, input, files = false }: RestoreOptions): Promise<void> {
  const configuration = loadWithDemoNote(config);
  const target = chosen(configuration, alias);
  try {
    const archive = await openArchive(readArchiveFile(input));
    const { header } = archive;
    if (files && !header.files) throw new CommandError("The archive contains no files. Restore it without --files.");
    await withOpened(configuration, target, async (opened) => {
      if (target.migrateOnStart) await opened.database.storage.migrate();
      const progress = new ArchiveProgress("Restoring", process.stderr);
      await importRecords(opened, target, await recordsToImport(opened, progress.watch(archive.records), files));
      await reserveUserNames(opened.database);
      // Queries would be slow until a server builds the indexes.
      await alignIndexes(opened.database.storage);
      console.log(
        `Restored ${contentsOf(progress, files)} of the database "${header.database}" as of ${header.writtenAt}.`,
      );
      for (const note of [
        ...leftOutNotes(header, files),
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

/** The records to import. With `files`, the bytes of files are written as the records are read. */
async function recordsToImport(
  { database, container, serving }: OpenedDatabase,
  records: AsyncIterable<ArchiveRecord | ArchivedFile>,
  files: boolean,
): Promise<AsyncIterable<ArchiveRecord>> {
  if (!files) return withoutFiles(records);
  await (await container.getAsync(components.fileKeeper)).prepare(database);
  return restoreFiles(await serving("hashes", "random"), records);
}

async function importRecords(
  { database }: OpenedDatabase,
  target: DatabaseConfiguration,
  records: AsyncIterable<ArchiveRecord>,
): Promise<void> {
  const outcome = await database.storage.archive.import(records);
  if (outcome === "notEmpty")
    throw new CommandError(
      `The database ${nameOf(target)} is not empty. Restore into a new database that no server has used. Nothing was changed.`,
    );
  if (outcome === "busy")
    throw new CommandError(`Another restore of the database ${nameOf(target)} is running. Nothing was changed.`);
}

const maintenanceNote =
  'Maintenance mode is on, as in the archive. To end it, run "sallyport --local maintenance off".';

function leftOutNotes({ without, files: hasFiles }: ArchiveHeader, files: boolean): string[] {
  return [
    ...(without.includes("credentials")
      ? ["The archive contains no credentials. Users have no accounts, and there are no app keys."]
      : []),
    ...(hasFiles && !files ? ["The bytes of the files were not restored. Copy the file store, or use --files."] : []),
  ];
}

/** Checks that the master key opens the restored keys. The first encrypted log-in would fail otherwise. */
async function keyNotes({ database, container }: OpenedDatabase): Promise<string[]> {
  const rings = await container.getAsync(components.keyRings);
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

/** Errors of the file store, and of bytes that differ from the record of their file. */
const fileCodes: ReadonlySet<number> = new Set([700, 702, 707, 709]);

/** Translates an archive error for the user. Other errors are returned unchanged. */
function archiveDiagnostics(error: unknown, input: string): unknown {
  const named = input === standardStream ? "The archive from standard input" : `The archive ${input}`;
  const reason =
    error instanceof ArchiveFault
      ? error.message
      : error instanceof ServiceError && fileCodes.has(error.code)
        ? describeError(error)
        : null;
  if (reason !== null)
    return new CommandError(`${named} cannot be restored. ${reason} Nothing was changed.`, { cause: error });
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string" && code.startsWith("Z_")) {
    return new CommandError(
      `${named} cannot be restored: its compressed data is damaged or truncated. Nothing was changed.`,
      { cause: error },
    );
  }
  return fileDiagnostics(error, input);
}
