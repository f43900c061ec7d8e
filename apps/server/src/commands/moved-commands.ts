import { printable } from "@sallyport/client/terminal";
import { CommandError } from "../command-line/command-error.ts";
import { ServerCommand } from "../command-line/server-command.ts";

/**
 * Groups whose commands have moved to `sallyport --local`. Their old words answer with the new ones for one version.
 */
export const movedGroups = ["app", "user", "custom-user", "ban", "device", "why", "limits", "maintenance"] as const;

/** Options that stand before the command now, with the number of their values. */
const leadingOptions: ReadonlyMap<string, number> = new Map([
  ["--alias", 1],
  ["-a", 1],
  ["--config", 1],
  ["-c", 1],
  ["--all", 0],
]);

/** Defines commands of a group that have moved, without help. */
export function defineMoved(group: ServerCommand, verbs: readonly string[]): void {
  for (const verb of verbs) {
    const command = answerMoved(new ServerCommand(verb), () => [group.name(), verb]);
    group.addCommand(command, { hidden: true });
  }
}

/** Lets a command answer with its successor, for all arguments. */
export function answerMoved(command: ServerCommand, path = () => [command.name()]): ServerCommand {
  return command
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument("[words...]")
    .action(() => {
      throw moved([...path(), ...command.args]);
    });
}

/** What stays on the machine of the server, under another name: the option that asks for it, and the command. */
const renamed: ReadonlyMap<string, readonly [option: string, command: string]> = new Map([
  ["app-key create", ["--key-file", "app-key import"]],
  ["second-factor remove", ["--link", "second-factor remove-link"]],
]);

/** The error of a command that has moved. `words`: the command with its arguments. */
export function moved(words: readonly string[]): CommandError {
  const [option = "", command = ""] = renamed.get(words.slice(0, 2).join(" ")) ?? [];
  const line =
    option !== "" && words.some((word) => word === option || word.startsWith(`${option}=`))
      ? ["sallyport-server", ...command.split(" "), ...words.slice(2).filter((word) => word !== "--link")]
      : ["sallyport", "--local", ...withLeadingOptions(words)];
  return new CommandError(`This command has moved. Run: ${printable(line.map(quoted).join(" "))}`);
}

function withLeadingOptions(words: readonly string[]): readonly string[] {
  const [leading, others]: [string[], string[]] = [[], []];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    const values = leadingOptions.get(word);
    if (values === undefined && !/^--(?:alias|config)=/.test(word)) others.push(word);
    else leading.push(...words.slice(index, (index += values ?? 0) + 1));
  }
  return [...leading, ...others];
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
