import { type Explanation, explainRefusal } from "@sallyport/core";
import { printable, terminalStyle } from "@sallyport/terminal";
import { errorTexts } from "../reference/error-texts.ts";
import { CommandError } from "./command-error.ts";
import { type JsonOptions, printJson } from "./list-command.ts";
import type { ServerCommand } from "./server-command.ts";

/** `why <request-id>`. */
export function defineWhy(command: ServerCommand): void {
  command
    .argument("<request-id>", "X-Request-Id of the response")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nA running server stores the explanation about a second after the response, and keeps it for explanations.retention.",
    )
    .onDatabase((requestId: string, options: JsonOptions) => async ({ administration }) => {
      const found = await explainRefusal(administration, requestId);
      if (found === null)
        throw new CommandError(
          `No refusal with the request id "${printable(requestId)}" is stored in this database. It may be too old, have succeeded, or belong to another alias.`,
        );
      if (options.json) printJson({ ...found, at: new Date(found.at).toISOString() });
      else console.log(explanationLines(found).join("\n"));
    });
}

type Failure = NonNullable<Explanation["failure"]>;

/** The output of the command. */
export function explanationLines(explanation: Explanation): string[] {
  const { requestId, at, method, route, network, appKey, mode, user, failure, items } = explanation;
  const style = terminalStyle(process.stdout);
  const about = [
    ["time", new Date(at).toISOString()],
    ["request", requestId],
    ["network", network],
    ["app key", appKey],
    ["mode", mode],
    ["user", user],
  ].flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`  ${name?.padEnd(9)}${printable(value)}`],
  );
  const lines = [
    style.strong(
      failure === null ? `${method} ${route} succeeded with failed items` : headingOf(method, route, failure),
    ),
    ...about,
  ];
  if (failure !== null) lines.push("", ...stepLines(failure), ...adviceLines(failure.code));
  for (const item of items)
    lines.push(
      "",
      style.strong(`item ${item.index}: ${headingOf(item.method, item.route, item)}`),
      ...stepLines(item),
      ...adviceLines(item.code),
    );
  return lines;
}

function headingOf(method: string, route: string, { status, code, name }: Omit<Failure, "steps">): string {
  return `${[method, route].filter((part) => part !== "").join(" ")} was refused with ${status}/${code} (${name})`;
}

/** The questions in one column, the answers in another. */
function stepLines({ steps }: Pick<Failure, "steps">): string[] {
  const width = Math.max(...steps.map(({ asked }) => asked.length));
  return steps.map(({ asked, found }) => `  ${printable(asked).padEnd(width)}  ${printable(found)}`);
}

function adviceLines(code: Failure["code"]): string[] {
  const actions = errorTexts[code].actions ?? [];
  // Links of the reference lead nowhere in a terminal.
  const plain = actions.map((action) => `  - ${action.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "")}`);
  return plain.length === 0 ? [] : ["", "Next steps:", ...plain];
}
