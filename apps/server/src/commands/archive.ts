import { types } from "node:util";
import { mailOrders, reserveUserNames, ServiceError, KeyStore } from "@sallyport/core";
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
import { chosen, loadNoting, nameOf, type OpenedDatabase, withOpened } from "./with-database.ts";

interface DumpOptions {
  readonly output: string;
  /** `false` for what is left out. */
  readonly credentials: boolean;
  readonly keys: boolean;
}

/** `dump`: writes all that a database keeps into an archive. */
export function defineDump(command: ServerCommand): void {
  command
    .requiredOption("-o, --output <file>", 'the new file, compressed if its name ends in .gz; "-" for standard output')
    .option(
      "--no-credentials",
      "leave out all that opens the database: accounts, custom users, second factors, identity providers and what is linked at them, app keys",
    )
    .option("--no-keys", "leave out the keys of the server")
    .addHelpText(
      "after",
      "\nThe archive holds password hashes and the sealed keys of the server unless they are left out: only its owner can read the file. Keep it so.",
    )
    .onDatabase(dump);
}

function dump({ output, ...kept }: DumpOptions): Work {
  const without = (["credentials", "keys"] as const).filter((what) => !kept[what]);
  return async ({ database: { name, storage } }) => {
    const { count } = await storage.repositories.records.count(mailOrders);
    if (count > 0)
      console.error(
        `note: ${count === 1 ? "one mail waits" : `${count} mails wait`} to be sent; an archive holds no mail.`,
      );
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
      throw fileTrouble(error, output);
    });
    const summary = `Dumped ${grouped(progress.done)} objects${output === standardStream ? "" : ` into ${output}`}.`;
    // Standard output is the archive.
    if (output === standardStream) console.error(summary);
    else console.log(summary);
  };
}

/** What the operating system has against a file, in words; other errors as they are. */
function fileTrouble(error: unknown, file: string): unknown {
  if (error instanceof FileExistsError)
    return new CommandError(
      `The file ${file} is there already; nothing was written. Choose another name, or remove it.`,
    );
  if (!types.isNativeError(error) || !("syscall" in error)) return error;
  return new CommandError(`The file ${file} cannot be used: ${error.message}`, { cause: error });
}

interface RestoreOptions extends AliasOptions {
  readonly input: string;
}

/** `restore`: fills an empty database from an archive. */
export function defineRestore(command: ServerCommand): void {
  command
    .requiredOption("-i, --input <file>", 'the archive, compressed if its name ends in .gz; "-" for standard input')
    .withAlias()
    .action(restore);
}

async function restore({ config, alias, input }: RestoreOptions): Promise<void> {
  const configuration = loadNoting(config);
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
          `The database ${nameOf(target)} is not empty: an archive is restored only into a new one, in which no server has worked yet. Nothing was changed.`,
        );
      if (outcome === "busy")
        throw new CommandError(`Another restore is at work in the database ${nameOf(target)}. Nothing was changed.`);
      await reserveUserNames(opened.database);
      // Queries would be slow until a server has found the time.
      await (await opened.container.getAsync(identifiers.alignIndexes)).run(storage);
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
    throw archiveTrouble(error, input);
  }
}

const maintenanceNote = 'Maintenance is on, as it was. "sallyport-server maintenance off" ends it.';

function leftOutNotes({ without }: ArchiveHeader): string[] {
  return without.includes("credentials")
    ? ["The archive holds no credentials: users have no accounts, and there are no app keys."]
    : [];
}

/** Whether the keys of the server can be used here, which nobody would know before the first encrypted log-in. */
async function keyNotes({ database, container }: OpenedDatabase): Promise<string[]> {
  const rings = await container.getAsync(identifiers.keyRings);
  const notes: string[] = [];
  for (const kind of ["rsa", "jwt"] as const) {
    if ((await new KeyStore(database.storage.repositories.records).current(kind)) === null) continue;
    if (!rings.usable)
      return [
        "The archive holds keys of the server, which cannot be used without their master key. Set MASTER_KEY to it.",
      ];
    const opened = await rings.current(kind, database).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 705) return null;
      throw error;
    });
    if (opened === null) {
      notes.push(
        `Another master key sealed the ${kind} key of the archive. Set MASTER_KEY to that one, or put a new key into its place: "sallyport-server rotate-key ${kind} --old-key-lost".`,
      );
    }
  }
  return notes;
}

/** Why an archive cannot be read, in words; other errors as they are. */
function archiveTrouble(error: unknown, input: string): unknown {
  const named = input === standardStream ? "The archive from standard input" : `The archive ${input}`;
  if (error instanceof ArchiveFault)
    return new CommandError(`${named} cannot be restored; ${error.message} Nothing was changed.`, { cause: error });
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string" && code.startsWith("Z_")) {
    return new CommandError(
      `${named} cannot be restored: what is compressed in it is damaged or cut off. Nothing was changed.`,
      { cause: error },
    );
  }
  return fileTrouble(error, input);
}
