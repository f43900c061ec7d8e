import { types } from "node:util";
import { Command } from "commander";
import {
  type ArchiveHeader,
  ArchiveProgress,
  FileExistsError,
  grouped,
  type LeftOut,
  saveArchive,
  standardStream,
  withoutSecrets,
  writeArchive,
} from "../../archive/index.ts";
import { version } from "../../composition/version.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "./alias-option.ts";
import { withDatabase } from "./with-database.ts";

interface DumpOptions extends AliasOptions {
  readonly output: string;
  /** `false` for what is left out. */
  readonly credentials: boolean;
  readonly keys: boolean;
}

/** `dump`: writes all that a database keeps into an archive. */
export function dumpCommand(): Command {
  return new Command("dump")
    .description("write all that a database keeps into an archive, as of one moment; servers go on")
    .requiredOption("-o, --output <file>", 'the new file, compressed if its name ends in .gz; "-" for standard output')
    .option(
      "--no-credentials",
      "leave out all that opens the database: accounts, custom users, second factors, identity providers and what is linked at them, app keys",
    )
    .option("--no-keys", "leave out the keys of the server")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .addHelpText(
      "after",
      "\nThe archive holds password hashes and the sealed keys of the server unless they are left out: only its owner can read the file. Keep it so.",
    )
    .action(dump);
}

async function dump(options: DumpOptions): Promise<void> {
  const { output } = options;
  const without: LeftOut[] = [
    ...(options.credentials ? [] : (["credentials"] as const)),
    ...(options.keys ? [] : (["keys"] as const)),
  ];
  await withDatabase(options, async ({ database: { name, storage } }) => {
    const { count } = await storage.repositories.outbox.waiting();
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
  });
}

/** What the operating system has against a file, in words; other errors as they are. */
export function fileTrouble(error: unknown, file: string): unknown {
  if (error instanceof FileExistsError)
    return new CommandError(
      `The file ${file} is there already; nothing was written. Choose another name, or remove it.`,
    );
  if (!types.isNativeError(error) || !("syscall" in error)) return error;
  return new CommandError(`The file ${file} cannot be used: ${error.message}`, { cause: error });
}
