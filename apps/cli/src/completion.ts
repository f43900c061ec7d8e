import type { Command } from "commander";
import { CommandError } from "./failures.ts";

/** A place on the command line: the words before it, and what can follow. */
interface Place {
  /** Words such as `user list`; empty at the beginning. */
  readonly path: string;
  readonly next: readonly (readonly [word: string, description: string])[];
}

/** The places of a command and of those below it. */
function placesOf(command: Command, path = ""): Place[] {
  const { commands, options } = command;
  const words = commands.map((each) => [each.name(), each.description()] as const);
  const flags = options.flatMap(({ long, description }) => (long ? [[long, description] as const] : []));
  const below = commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`.trim()));
  return [{ path, next: [...words, ...flags, ["--help", "display help"]] }, ...below];
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Sets `place` to the words of the command before the cursor. `words`, `last`: the variables of the shell; the first index. */
function findPlace(places: readonly Place[], words: string, last: string, first: number): string[] {
  const paths = places.flatMap(({ path }) => (path === "" ? [] : [quoted(path)]));
  return [
    `  local place='' word i`,
    `  for ((i = ${first}; i < ${last}; i++)); do`,
    `    word="\${${words}[i]}"`,
    `    case "\${place:+$place }$word" in`,
    `      ${paths.join("|")}) place="\${place:+$place }$word" ;;`,
    `    esac`,
    `  done`,
  ];
}

function bash(name: string, places: readonly Place[]): string {
  return [
    `_${name}() {`,
    ...findPlace(places, "COMP_WORDS", "COMP_CWORD", 1),
    `  local next=''`,
    `  case "$place" in`,
    ...places.map(({ path, next }) => `    ${quoted(path)}) next=${quoted(next.map(([word]) => word).join(" "))} ;;`),
    `  esac`,
    `  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    `}`,
    `complete -o default -F _${name} ${name}`,
  ].join("\n");
}

function zsh(name: string, places: readonly Place[]): string {
  const described = ([word, description]: Place["next"][number]) => quoted(`${word}:${description}`);
  return [
    `#compdef ${name}`,
    `_${name}() {`,
    ...findPlace(places, "words", "CURRENT", 2),
    `  local -a next`,
    `  case "$place" in`,
    ...places.map(({ path, next }) => `    ${quoted(path)}) next=(${next.map(described).join(" ")}) ;;`),
    `  esac`,
    `  _describe command next || _files`,
    `}`,
    `compdef _${name} ${name}`,
  ].join("\n");
}

function fish(name: string, places: readonly Place[]): string {
  const paths = places.flatMap(({ path }) => (path === "" ? [] : [quoted(path)]));
  const lines = places.flatMap(({ path, next }) =>
    next.map(([word, description]) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c ${name} -n "__${name}_at ${quoted(path)}" ${what} -d ${quoted(description)}`;
    }),
  );
  return [
    `function __${name}_at`,
    `  set -l place ''`,
    `  for word in (commandline -opc)[2..]`,
    `    set -l longer (string trim -- "$place $word")`,
    `    contains -- "$longer" ${paths.join(" ")}; and set place "$longer"`,
    `  end`,
    `  test "$place" = "$argv[1]"`,
    `end`,
    ...lines,
  ].join("\n");
}

const shells = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

const installing = `
Examples:
  source <(sallyport completion bash)                                     in ~/.bashrc
  source <(sallyport completion zsh)                                      in ~/.zshrc, after compinit
  sallyport completion fish > ~/.config/fish/completions/sallyport.fish`;

/** `completion`: prints a script for a shell that completes commands and options. */
export function defineCompletion(main: Command): void {
  main
    .command("completion")
    .description("print a script that completes commands in your shell")
    .argument("<shell>", [...shells.keys()].join(", "))
    .addHelpText("after", installing)
    .action((shell: string) => {
      const script = shells.get(shell);
      if (script === undefined)
        throw new CommandError(`The shell must be ${[...shells.keys()].join(", ")}, not "${shell}".`);
      process.stdout.write(`${script(main.name(), placesOf(main))}\n`);
    });
}
