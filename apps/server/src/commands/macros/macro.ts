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

/** `macro new|run|test`, and `macro put|list|show|history|remove` for stored macros. */
export function defineMacro(group: ServerCommand): void {
  group
    .command("new")
    .description("create a macro or a hook from a template, with tests")
    .argument("<name>", `name: ${nameWords}`)
    .addOption(new Option("--hook <event>", "create a hook for this event").choices(draftedHooks))
    .option("--classes <names>", "classes of the hook, separated by commas", "Invoice")
    .addOption(new Option("--language <language>", "language").choices(["ts", "js"]).default("ts"))
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

/** Writes a working template. */
async function begin(name: string, { hook, classes, language, directory }: NewOptions): Promise<void> {
  if (!isMacroName(name)) throw new CommandError(`"${name}" is not a macro name: ${nameWords}.`);
  if (hook === "xRestApi_Authenticate" && name !== hook)
    throw new CommandError(`The hook ${hook} must have the name ${hook}.`);
  const folder = writtenFolder(directory);
  const draft = draftOf({ name, hook: hook ?? null, classes: classes.split(","), language });
  await mkdir(folder, { recursive: true });
  for (const { file, text } of draft) {
    const path = join(folder, file);
    await writeFile(path, text, { flag: "wx" }).catch((error: unknown) => {
      const isThere = types.isNativeError(error) && "code" in error && error.code === "EEXIST";
      throw isThere ? new CommandError(`${path} already exists. Nothing was changed.`) : error;
    });
    console.log(relative(process.cwd(), path));
  }
}
