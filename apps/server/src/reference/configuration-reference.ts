import { type ConfigurationField, configurationFields, demoDatabases } from "../configuration/index.ts";
import { generatedNote } from "./generated-note.ts";
import { markdownTable } from "./markdown-table.ts";

const topLevel = "Top level";

/** `configuration.md`: every field of the configuration. */
export function configurationReference(): string {
  const sections = new Map<string, ConfigurationField[]>();
  for (const field of configurationFields()) {
    const section = sectionOf(field);
    sections.set(section, [...(sections.get(section) ?? []), field]);
  }
  const parts = [...sections].toSorted(([a], [b]) => Number(b === topLevel) - Number(a === topLevel));
  const schemas = demoDatabases(true)
    .map(({ storage: { schema } }) => code(schema))
    .join(" and ");
  return `# Configuration

<!-- ${generatedNote} -->

Settings come from a JSON file (\`--config\`, else \`SALLYPORT_CONFIG\`, else \`sallyport.config.json\` in the working directory) and
from environment variables, which go before the file. Fields are written with dots between their sections; \`[]\` stands
for an element of a list. A duration is a whole number with a unit: \`500ms\`, \`30s\`, \`15m\`, \`12h\`, \`7d\`. A list in a
variable is separated by commas. A path in the file is relative to the file, a path in a variable to the working
directory. An empty variable counts as none. What is secret can also be read from a file that a variable ending in
\`_FILE\` names.

\`sallyport-server check-config\` lists everything that is wrong with a configuration, or prints what results of it.

## Without a file

\`NODE_ENV\` and \`HOST\` decide what a server does that has no configuration file:

| Circumstances | What it serves |
| --- | --- |
| \`NODE_ENV\` is not \`production\`, \`HOST\` is loopback, \`DATABASE_URL\` is unset | The demo, in the directory \`DATA_DIR\`. |
| \`NODE_ENV\` is not \`production\`, \`HOST\` is loopback, \`DATABASE_URL\` is set | **The demo, on that server**: the schemas ${schemas} (on MariaDB: databases), created at the start and filled with users whose passwords everybody knows. Other schemas are not touched. |
| \`NODE_ENV\` is \`production\`, or \`HOST\` is more than loopback, and \`DATABASE_URL\` is set | One database with the empty alias, in the schema \`sallyport\` of that Postgres, or the database of that MariaDB. It is not migrated at the start and never filled. |
| The same, \`DATABASE_URL\` is unset | Nothing: it does not start. |

Commands work on the same databases, and say on standard error when they are those of the demo.

${parts.map(sectionText).join("\n\n")}
`;
}

function sectionOf({ path }: ConfigurationField): string {
  const [first, ...rest] = path.split(".") as [string, ...string[]];
  return rest.length === 0 ? topLevel : `\`${first}\``;
}

function sectionText([title, fields]: [string, ConfigurationField[]]): string {
  const rows = fields.map(({ path, env, type, default: preset, doc, secret }) => [
    code(path),
    variables(env, secret),
    type.includes(" | ") ? type.split(" | ").map(code).join(", ") : type,
    preset === null ? "" : code(preset),
    secret ? `${doc} Secret.` : doc,
  ]);
  return `## ${title}\n\n${markdownTable(["Field", "Variable", "Value", "Default", "Meaning"], rows)}`;
}

function variables(env: string | null, secret: boolean): string {
  if (env === null) return "";
  return secret ? `${code(env)} or ${code(`${env}_FILE`)}` : code(env);
}

function code(text: string): string {
  return `\`${text}\``;
}
