import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { isMacroName } from "@sallyport/core";
import { Option } from "commander";
import { draftedHooks, draftOf } from "../../authoring/macro-drafts.ts";
import { CommandError } from "../../command-line/command-error.ts";
import type { ServerCommand } from "../../command-line/server-command.ts";
import { addTrialCommands, macroFolder, macroFolderOption, type MacroFolderOptions } from "./macro-trial.ts";
import { addStoredMacroCommands } from "./stored-macros.ts";

/** `macro new|run|test`, and `macro put|show|remove` for stored macros. */
export function defineMacro(group: ServerCommand): void {
  group
    .command("new")
    .description("create a macro with a test file, or a hook, from a template")
    .argument("<name>", `name: ${nameWords}`)
    .addOption(new Option("--hook <event>", "create a hook for this event").choices(draftedHooks))
    .option("--classes <names>", "classes that call the hook, separated by commas", "Invoice")
    .addOption(new Option("--language <language>", "language of the file").choices(["ts", "js"]).default("ts"))
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
  const folder = macroFolder(directory);
  const draft = draftOf({ name, hook: hook ?? null, classes: classes.split(","), language });
  const files = draft.map(({ file, text }) => ({ path: join(folder, file), text }));
  const taken = files.find(({ path }) => existsSync(path));
  if (taken !== undefined) throw new CommandError(`${taken.path} already exists. Nothing was changed.`);
  await mkdir(folder, { recursive: true });
  for (const { path, text } of files) {
    await writeFile(path, text, { flag: "wx" });
    console.log(relative(process.cwd(), path));
  }
}
