import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { types } from "node:util";
import { isMacroName } from "@sallyport/core";
import { Option } from "commander";
import { draftedHooks, draftOf } from "../../authoring/macro-drafts.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand } from "../server-command.ts";
import { addTrialCommands, macroFolderOption, type MacroFolderOptions, writtenFolder } from "./macro-trial.ts";
import { addStoredMacroCommands } from "./stored-macros.ts";

/** `macro new|run|test`, and `macro put|list|show|history|remove` for those in a database. */
export function defineMacro(group: ServerCommand): void {
  group
    .command("new")
    .description("begin a macro or a hook: writes a file that works, and tests for it")
    .argument("<name>", `its name, with which clients execute it: ${nameWords}`)
    .addOption(new Option("--hook <event>", "a hook instead of a macro, on this event").choices(draftedHooks))
    .option("--classes <names>", "classes of a hook, with commas between them", "Invoice")
    .addOption(new Option("--language <language>", "TypeScript or JavaScript").choices(["ts", "js"]).default("ts"))
    .addOption(macroFolderOption(""))
    .action(begin);
  addTrialCommands(group);
  addStoredMacroCommands(group);
}

interface NewOptions extends MacroFolderOptions {
  readonly hook?: string;
  readonly classes: string;
  readonly language: "js" | "ts";
}

const nameWords = "a letter or _, then letters, digits and _, at most 128 in all";

/** Writes a file that works, to be changed into what is wanted. */
async function begin(name: string, { hook, classes, language, directory }: NewOptions): Promise<void> {
  if (!isMacroName(name)) throw new CommandError(`"${name}" is no name for a macro: ${nameWords}.`);
  if (hook === "xRestApi_Authenticate" && name !== hook)
    throw new CommandError(`Only a file named ${hook} is this hook; leave its name as it is.`);
  const folder = writtenFolder(directory);
  const draft = draftOf({ name, hook: hook ?? null, classes: classes.split(","), language });
  await mkdir(folder, { recursive: true });
  for (const { file, text } of draft) {
    const path = join(folder, file);
    await writeFile(path, text, { flag: "wx" }).catch((error: unknown) => {
      const isThere = types.isNativeError(error) && "code" in error && error.code === "EEXIST";
      throw isThere ? new CommandError(`${path} is there already; nothing was changed.`) : error;
    });
    console.log(relative(process.cwd(), path));
  }
}
