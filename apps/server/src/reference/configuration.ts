import { type ConfigurationField, configurationFields, demoDatabases } from "../configuration/index.ts";
import { codeSpan, generatedNote, markdownTable } from "./markdown.ts";

interface Task {
  readonly title: string;
  /** Paths of fields, and of sections with all their fields. A field belongs to the first task that names it. */
  readonly paths: readonly string[];
}

const tasks: readonly Task[] = [
  {
    title: "Set first",
    paths: [
      "databaseUrl",
      "encryption.masterKey",
      "dataDir",
      "server.host",
      "server.port",
      "server.publicUrl",
      "server.trustedProxies",
      "mail.smtp.host",
      "mail.from",
      "applicationName",
    ],
  },
  {
    title: "Connections",
    paths: [
      "server.workers",
      "server.basePath",
      "server.allowInsecureTransport",
      "server.tls",
      "server.timeouts",
      "server.drainDelay",
      "cors",
    ],
  },
  { title: "Load and limits", paths: ["server", "rates", "limits", "locks", "objects"] },
  {
    title: "Users and sessions",
    paths: ["sessions", "devices", "throttle", "passwords", "oAuthProviders[]", "providers", "compatibility"],
  },
  { title: "Keys", paths: ["encryption"] },
  { title: "Files", paths: ["files"] },
  { title: "Macros", paths: ["macros"] },
  { title: "Mail", paths: ["mail"] },
  { title: "Licence messages", paths: ["licences"] },
  { title: "Console", paths: ["console"] },
  {
    title: "Operation",
    paths: ["log", "metrics", "docs", "administration", "debugMessages", "audit", "explanations", "sync"],
  },
  { title: "Databases", paths: ["databaseReadUrls", "databases[]"] },
];

/** `configuration.md`: every field of the configuration, by task. */
export function configurationReference(): string {
  const fields = configurationFields();
  const parts = tasks.map(({ title, paths }, index) => {
    const former = tasks.slice(0, index).flatMap((task) => task.paths);
    const own = paths.flatMap((path) =>
      fields.filter((field) => isWithin(field, path) && !former.some((other) => isWithin(field, other))),
    );
    return sectionText(title, own);
  });
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
[Upgrade](../guides/upgrade.md#settings-that-were-removed) lists the settings of former versions that are constants now.

${parts.join("\n\n")}

## Without a file

Without a configuration file, \`NODE_ENV\`, \`HOST\` and \`DATABASE_URL\` decide what the server serves:

| Condition | Databases |
| --- | --- |
| \`NODE_ENV\` is not \`production\`, \`HOST\` is loopback, \`DATABASE_URL\` is unset | The demo, in the directory \`DATA_DIR\`. |
| \`NODE_ENV\` is not \`production\`, \`HOST\` is loopback, \`DATABASE_URL\` is set | **The demo, on that database server**: the schemas (on MariaDB: databases) ${schemas}. The server creates them and adds users with public passwords. It does not touch other schemas. |
| \`NODE_ENV\` is \`production\`, or \`HOST\` is not loopback, and \`DATABASE_URL\` is set | One database with the empty alias: the schema \`sallyport\` on Postgres, the database of the connection string on MariaDB. The server neither migrates nor fills it. |
| The same, \`DATABASE_URL\` is unset | None. The server does not start. |

Commands use the same databases. They print a note on standard error if these are the demo.
`;
}

function isWithin(field: ConfigurationField, path: string): boolean {
  return field.path === path || field.path.startsWith(`${path}.`);
}

function sectionText(title: string, fields: readonly ConfigurationField[]): string {
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
