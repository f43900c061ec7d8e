import { catalogue, type CatalogueEntry, errorEntry, extensions } from "@sallyport/storage";
import { isRefusalCode } from "@sallyport/core";
import { declaredErrors, needsAppKey, type Operation, takesSession } from "@sallyport/contract";
import { routeLink } from "./api.ts";
import { codeSpan, generatedNote, markdownList, markdownTable } from "./markdown.ts";

/** `errors.md`: every code with its condition. */
export function errorsReference(): string {
  const table = (entries: readonly CatalogueEntry[]) =>
    markdownTable(
      ["Code", "HTTP", "Name", "Condition"],
      entries.map(({ code, status, name, condition }) => [
        `[${codeSpan(String(code))}](errors/${code}.md)`,
        String(status),
        name,
        condition,
      ]),
    );
  return `# Errors

<!-- ${generatedNote} -->

A failure is an envelope without \`data\`. \`status.internalStatus\` is the code as a string, \`status.statusMessage\` the name. Each
code has one HTTP status. Clients must decide by the code. \`status.debugMessage\` contains the exact reason if the configuration
enables \`debugMessages\`.

\`\`\`json
${responseOf(201, errorEntry(201).name)}
\`\`\`

Each code has a page with its causes, what to do, and the routes that return it.

## The catalogue

${table(catalogue)}

## Extensions

Codes of this service beyond the catalogue.

${table(extensions)}
`;
}

/** The page of each code: text by file name. */
export function errorPages(routes: readonly Operation[]): [name: string, text: string][] {
  return [...catalogue, ...extensions].map((entry) => [`errors/${entry.code}.md`, errorPage(entry, routes)]);
}

function errorPage(entry: CatalogueEntry, routes: readonly Operation[]): string {
  const { code, status, name, meaning, causes = [], actions = [] } = entry;
  const returning = routes.filter((route) => declaredErrors(route).some((declared) => declared === code));
  return `# ${code}: ${name}

<!-- ${generatedNote} -->

HTTP status ${status}. ${meaning}

\`\`\`json
${responseOf(code, name)}
\`\`\`

${returning.length === 0 ? reservedText(code) : returnedText(causes, actions, routesText(returning, routes))}

[All errors](../errors.md)
`;
}

function reservedText(code: number): string {
  const refusal = isRefusalCode(code)
    ? " A [hook or a macro](../../guides/hooks.md) can refuse a request with it."
    : "";
  return `This code is reserved: no route of this version returns it.${refusal}`;
}

function returnedText(causes: readonly string[], actions: readonly string[], routes: string): string {
  return `## Causes

${markdownList(causes)}

## What to do

${markdownList(actions)}

## Routes

${routes}`;
}

/** The response with an error code, in lines that fit a page. */
function responseOf(code: number, name: string): string {
  return `{"status":{"internalStatus":"${code}",\n           "statusMessage":${JSON.stringify(name)}}}`;
}

/** Groups of routes with a name, the largest first. */
const routeGroups: readonly [name: string, isMember: (route: Operation) => boolean][] = [
  ["All routes.", () => true],
  ["All routes that need an app key.", needsAppKey],
  ["All routes that accept a session.", ({ access }) => access === "session" || access === "optional"],
  ["All routes that need a session.", ({ access }) => access === "session"],
  ["All routes that accept a session, except those of administration.", takesSession],
  [
    "All routes that need a session, except those of administration.",
    (route) => route.access === "session" && takesSession(route),
  ],
];

/** Maximum number of routes to write as a list. */
const longestList = 12;

function routesText(returning: readonly Operation[], routes: readonly Operation[]): string {
  for (const [name, isMember] of routeGroups) {
    const others = returning.filter((route) => !isMember(route));
    if (others.length > longestList || !routes.filter(isMember).every((route) => returning.includes(route))) continue;
    return others.length === 0 ? name : `${name} Also:\n\n${linksTo(others)}`;
  }
  return linksTo(returning);
}

function linksTo(routes: readonly Operation[]): string {
  const links = routes.map((route) => routeLink(route, "../"));
  return links.length > longestList ? links.join(", ") : markdownList(links);
}
