import { explanationLines, printable, terminalStyle } from "@sallyport/client/terminal";
import { CommandError } from "./command-error.ts";
import { type JsonOptions, printJson } from "./list-command.ts";
import type { ServerCommand } from "./server-command.ts";
import { explainRefusal } from "@sallyport/core";

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
      const told = { ...found, at: new Date(found.at).toISOString() };
      if (options.json) printJson(told);
      else console.log(explanationLines(told, terminalStyle(process.stdout).strong).join("\n"));
    });
}
