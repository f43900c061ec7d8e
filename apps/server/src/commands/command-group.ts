import { ServiceError } from "@sallyport/core";
import { Command } from "commander";
import { didYouMean } from "../configuration/index.ts";

/** A command that only has others below it. */
export function commandGroup(name: string, description: string): Command {
  const group = new Command(name).description(description);
  return group.on("command:*", ([word]: string[]) => {
    throw noSuchCommand(String(word), group);
  });
}

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

/** A command cannot do what it was asked to; the message says why, to whoever typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Does work, and says what to do about a refusal with this code at the command line. */
export async function advising<T>(code: ServiceError["code"], advice: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== code || error.detail === undefined) throw error;
    throw new CommandError(`${error.detail} ${advice}`, { cause: error });
  }
}
