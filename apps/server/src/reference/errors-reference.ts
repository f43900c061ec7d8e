import { type CatalogueEntry, catalogue, extensions } from "@sallyport/core";
import { declaredErrors, type Route } from "@sallyport/http";
import { generatedNote } from "./generated-note.ts";
import { markdownTable } from "./markdown-table.ts";

/** `errors.md`: every code, when it is answered and by which routes. */
export function errorsReference(routes: readonly Route[]): string {
  const table = (entries: readonly CatalogueEntry[]) =>
    markdownTable(
      ["Code", "HTTP", "Name", "Condition", "Routes"],
      entries.map(({ code, status, name, condition }) => [
        `\`${code}\``,
        String(status),
        name,
        condition,
        routesText(code, routes),
      ]),
    );
  return `# Errors

<!-- ${generatedNote} -->

A failure is an envelope without \`data\`. \`status.internalStatus\` is the code as a text, \`status.statusMessage\` the name; the
HTTP status follows from the code. Decide by the code. \`status.debugMessage\` says what exactly is wrong, if the
configuration turns it on.

\`\`\`json
{"status":{"internalStatus":"201","statusMessage":"Session is invalid"}}
\`\`\`

A code without routes is reserved: nothing answers it in this version.

## The catalogue

${table(catalogue)}

## Extensions

Codes of this service that the catalogue has no entry for.

${table(extensions)}
`;
}

function routesText(code: number, routes: readonly Route[]): string {
  const giving = routes.filter((route) => declaredErrors(route).some((declared) => declared === code));
  const isGroup = (group: readonly Route[]) =>
    giving.length === group.length && group.every((route) => giving.includes(route));
  if (giving.length === 0) return "";
  if (isGroup(routes)) return "all";
  if (isGroup(routes.filter(({ access }) => access !== "public" && access !== "returning")))
    return "all that ask for an app key";
  if (isGroup(routes.filter(({ access }) => access === "session" || access === "optional")))
    return "all that take a session";
  if (isGroup(routes.filter(({ access }) => access === "session"))) return "all that ask for a session";
  return giving.map(({ method, path }) => `\`${method} ${path}\``).join(", ");
}
