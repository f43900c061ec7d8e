import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { administrationOperations, databaseOperations, type Operation, operationsOf } from "@sallyport/contract";
import { type OpenApiDocument, openApiDocument } from "@sallyport/http";
import { version } from "./composition/version.ts";
import { type ConfigurationField, configurationFields, demoDatabases } from "./configuration/index.ts";
import { apiReference } from "./reference/api.ts";
import { errorPages, errorsReference } from "./reference/errors.ts";
import { codeSpan, generatedNote, markdownTable } from "./reference/markdown.ts";

/** Names of the files in a directory that are missing or outdated. */
export function checkReference(directory: string): string[] {
  return [...referenceFiles()].flatMap(([name, text]) => (contentOf(join(directory, name)) === text ? [] : name));
}

function contentOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** Writes the reference to a directory, which is created if needed. */
export function writeReference(directory: string): void {
  for (const [name, text] of referenceFiles()) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The generated reference: text by file name. */
export function referenceFiles(): ReadonlyMap<string, string> {
  const describe = (title: string, operations: readonly Operation[]) =>
    openApiDocument({ operations, title, version, basePath: "" });
  const [ofDatabase, ofAdministration] = [operationsOf(databaseOperations), operationsOf(administrationOperations)];
  const description = describe("Sallyport", ofDatabase);
  const administration = describe("Sallyport administration", ofAdministration);
  return new Map([
    ["administration-api.md", apiReference(administration, administrationPage)],
    ["administration-openapi.json", openApiReference(administration)],
    ["api.md", apiReference(description)],
    ["configuration.md", configurationReference()],
    ["errors.md", errorsReference()],
    ...errorPages([...ofDatabase, ...ofAdministration]),
    ["openapi.json", openApiReference(description)],
  ]);
}

/** `openapi.json`: the API description. */
function openApiReference({ openapi, ...rest }: OpenApiDocument): string {
  return `${JSON.stringify({ openapi, "x-generated": generatedNote, ...rest }, null, 2)}\n`;
}

const administrationPage = { title: "Administration API", description: "administration-openapi.json" };

const topLevel = "Top level";

/** `configuration.md`: every field of the configuration. */
function configurationReference(): string {
  const sections = new Map<string, ConfigurationField[]>();
  for (const field of configurationFields()) {
    const section = sectionOf(field);
    sections.set(section, [...(sections.get(section) ?? []), field]);
  }
  const parts = [...sections].toSorted(([a], [b]) => Number(b === topLevel) - Number(a === topLevel));
  const schemas = demoDatabases(true)
    .map(({ storage: { schema } }) => codeSpan(schema))
    .join(" and ");
  return `# Configuration

<!-- ${generatedNote} -->

The server reads a JSON file and environment variables. The file is \`--config\`, otherwise \`SALLYPORT_CONFIG\`, otherwise
\`sallyport.config.json\` in the working directory. Environment variables override the file. An empty variable counts as unset.

- A dot separates a section and its field. \`[]\` stands for an element of a list.
- A duration is an integer with a unit: \`500ms\`, \`30s\`, \`15m\`, \`12h\`, \`7d\`.
- A list in a variable is separated by commas.
- A path in the file is relative to the file. A path in a variable is relative to the working directory.
- A variable with the suffix \`_FILE\` names a file that contains the secret.

\`sallyport-server check-config\` lists all errors of a configuration, or prints the resulting one.

## Without a file

Without a configuration file, \`NODE_ENV\`, \`HOST\` and \`DATABASE_URL\` decide what the server serves:

| Condition | Databases |
| --- | --- |
| \`NODE_ENV\` is not \`production\`, \`HOST\` is loopback, \`DATABASE_URL\` is unset | The demo, in the directory \`DATA_DIR\`. |
| \`NODE_ENV\` is not \`production\`, \`HOST\` is loopback, \`DATABASE_URL\` is set | **The demo, on that database server**: the schemas (on MariaDB: databases) ${schemas}. The server creates them and adds users with public passwords. It does not touch other schemas. |
| \`NODE_ENV\` is \`production\`, or \`HOST\` is not loopback, and \`DATABASE_URL\` is set | One database with the empty alias: the schema \`sallyport\` on Postgres, the database of the connection string on MariaDB. The server neither migrates nor fills it. |
| The same, \`DATABASE_URL\` is unset | None. The server does not start. |

Commands use the same databases. They print a note on standard error if these are the demo.

${parts.map(sectionText).join("\n\n")}
`;
}

function sectionOf({ path }: ConfigurationField): string {
  const [first, ...rest] = path.split(".") as [string, ...string[]];
  return rest.length === 0 ? topLevel : `\`${first}\``;
}

function sectionText([title, fields]: [string, ConfigurationField[]]): string {
  const rows = fields.map(({ path, env, type, default: preset, doc, secret }) => [
    codeSpan(path),
    variables(env, secret),
    type.includes(" | ") ? type.split(" | ").map(codeSpan).join(", ") : type,
    preset === null ? "" : codeSpan(preset),
    secret ? `${doc} Secret.` : doc,
  ]);
  return `## ${title}\n\n${markdownTable(["Field", "Variable", "Type", "Default", "Description"], rows)}`;
}

function variables(env: string | null, secret: boolean): string {
  if (env === null) return "";
  return secret ? `${codeSpan(env)} or ${codeSpan(`${env}_FILE`)}` : codeSpan(env);
}
