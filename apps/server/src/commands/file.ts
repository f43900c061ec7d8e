import {
  type CheckedFile,
  type FileState,
  type ListedFile,
  listFiles,
  unknownFiles,
  checkFiles,
  collectNow,
} from "@sallyport/core";
import { ProgressLine } from "@sallyport/client/terminal";
import { durationText, millisecondsOf } from "../configuration/field-kinds.ts";
import { CommandError } from "../command-line/command-error.ts";
import { type JsonOptions, printJson, printList } from "../command-line/list-command.ts";
import { byteText } from "@sallyport/client/terminal";
import { counted } from "../command-line/progress.ts";
import type { ServerCommand, Work } from "../command-line/server-command.ts";
import type { OpenedDatabase } from "../command-line/with-database.ts";

/** `file list|check|collect`. */
export function defineFile(group: ServerCommand): void {
  group
    .command("list")
    .description("list files and unfinished uploads")
    .option("--state <complete|uploading|unused>", "only files in this state")
    .option("--name <text>", "only files whose name contains this text, in any case")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\ncomplete: a file with an object. uploading: an unfinished upload. unused: bytes without an object, which the server removes after a day.",
    )
    .onDatabase(list);
  group
    .command("check")
    .description("compare the stored bytes with the records; reads every file")
    .option("--fast", "check only that all bytes exist; reads no whole file")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nmissing: bytes are absent or cannot be read. damaged: they differ from the SHA-256 of the file. The command exits with 1 if it finds such a file.",
    )
    .onDatabase(check);
  group
    .command("collect")
    .description(
      "remove the bytes of expired uploads and of replaced or permanently deleted files, as servers do every hour",
    )
    .option("--older-than <duration>", "only bytes unused for this time, such as 12h (default: 1d)")
    .option("--dry-run", "only count")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nDownloads, uploads and dumps in progress can fail if bytes unused for less than a day are removed. Files that the database does not know are never removed.",
    )
    .onDatabase(collect);
}

interface ListOptions extends JsonOptions {
  readonly state?: string;
  readonly name?: string;
}

const states: readonly string[] = ["complete", "uploading", "unused"] satisfies FileState[];
const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

function list({ state, name = "", ...options }: ListOptions): Work {
  if (state !== undefined && !states.includes(state))
    throw new CommandError(`The state must be complete, uploading or unused, not "${state}".`);
  const isWanted = (each: ListedFile) =>
    (state === undefined || each.state === state) && (each.name ?? "").toLowerCase().includes(name.toLowerCase());
  return async ({ administration }) => {
    const files: ListedFile[] = [];
    for await (const each of listFiles(administration)) if (isWanted(each)) files.push(each);
    if (files.length === 0 && !options.json) console.error("There are no files.");
    else printList(files, shown, options);
  };
}

const shown = {
  json: ({ since, expiresAt, ...file }: ListedFile) => ({
    ...file,
    since: timeOf(since),
    expiresAt: expiresAt === null ? null : timeOf(expiresAt),
  }),
  columns: {
    "OBJECT ID": ({ objectId }: ListedFile) => objectId ?? "none",
    NAME: ({ name }: ListedFile) => name ?? "none",
    SIZE: ({ size }: ListedFile) => byteText(size),
    "MEDIA TYPE": ({ mediaType }: ListedFile) => mediaType ?? "none",
    STATE: ({ state }: ListedFile) => state,
    SINCE: ({ since }: ListedFile) => timeOf(since),
  },
};

interface CheckOptions extends JsonOptions {
  readonly fast?: boolean;
}

/** A file with a problem. */
type Problem = Omit<CheckedFile, "problem"> & { readonly problem: string };

function check({ fast = false, ...options }: CheckOptions): Work {
  return async (opened) => {
    const { files, bytes, problems, unknown } = await checkAll(opened, fast);
    if (options.json) printJson({ files, bytes, problems, unknown });
    else {
      if (problems.length > 0) printList(problems, { json: (each) => each, columns: problemColumns }, options);
      console.log(
        `Checked ${counted(files, "file")} of ${byteText(bytes)}${problems.length === 0 ? ". All are complete." : "."}`,
      );
      if (unknown.length > 0) console.error(`note: ${unknownText(unknown.length)}`);
    }
    if (problems.length > 0)
      throw new CommandError(
        `${counted(problems.length, "file")} ${problems.length === 1 ? "is" : "are"} missing or damaged.`,
      );
  };
}

const problemColumns = {
  "OBJECT ID": ({ objectId }: Problem) => objectId,
  NAME: ({ name }: Problem) => name,
  SIZE: ({ size }: Problem) => byteText(size),
  FILE: ({ file }: Problem) => file,
  PROBLEM: ({ problem }: Problem) => problem,
};

async function checkAll({ administration, serving }: OpenedDatabase, fast: boolean) {
  const progress = new ProgressLine(process.stderr);
  // First, because it fails without a store. Otherwise every file would be missing.
  const unknown: string[] = [];
  for await (const file of unknownFiles(administration)) unknown.push(file);
  let [files, bytes, read] = [0, 0, 0];
  const problems: Problem[] = [];
  const show = () => progress.show(() => `Checking ${counted(files, "file")}, ${byteText(fast ? bytes : read)}`);
  const onBytes = (length: number) => {
    read += length;
    show();
  };
  for await (const { problem, ...file } of checkFiles(await serving("hashes"), { fast, onBytes })) {
    files += 1;
    bytes += file.size;
    if (problem !== null) problems.push({ ...file, problem });
    show();
  }
  progress.clear();
  return { files, bytes, problems, unknown };
}

interface CollectOptions extends JsonOptions {
  readonly olderThan?: string;
  readonly dryRun?: boolean;
}

function collect({ olderThan = "1d", dryRun = false, json }: CollectOptions): Work {
  const minimumAge = millisecondsOf(olderThan);
  if (Number.isNaN(minimumAge))
    throw new CommandError(`--older-than must be a duration such as 12h or 7d, not "${olderThan}".`);
  return async ({ administration }) => {
    const collected = await collectNow(administration, { minimumAge, dryRun });
    if (json) {
      printJson(collected);
      return;
    }
    const { removed, waiting, unknown } = collected;
    console.log(`${dryRun ? "Would remove" : "Removed"} ${counted(removed, "unused file")}.`);
    if (waiting > 0) console.log(`Kept ${counted(waiting, "unused file")} younger than ${durationText(minimumAge)}.`);
    if (unknown > 0) console.error(`note: ${unknownText(unknown)}`);
  };
}

function unknownText(count: number): string {
  return `The store has ${counted(count, "file")} that the database does not know, such as those of another database. The server does not remove them.`;
}
