import type { Command } from "commander";
import { didYouMean } from "../configuration/index.ts";
import { CommandError } from "./command-error.ts";

/** The refusal of a word that is none of a command's own, with the one that was probably meant. */
export function noSuchCommand(word: string, parent: Command): CommandError {
  const path = parent.parent === null ? [] : [parent.name()];
  const meant = didYouMean(
    word,
    parent.commands.map((each) => each.name()),
  );
  const help = [...path, "--help"].join(" ");
  const advice =
    meant === undefined ? `"${help}" lists what there is.` : `Did you mean "${[...path, meant].join(" ")}"?`;
  return new CommandError(`There is no command "${[...path, word].join(" ")}". ${advice}`);
}
