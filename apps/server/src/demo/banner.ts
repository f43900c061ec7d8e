import type { Digests } from "@sallyport/storage";
import type { TerminalStyle } from "@sallyport/client/terminal";
import { demoCredentials, demoSyncSchema, demoUuid } from "./demo-records.ts";
import { type DemoState, containsDemo } from "./seed-demo.ts";

export interface BannerDatabase {
  readonly alias: string;
  readonly name: string;
  /** URL without a trailing slash. */
  readonly address: string;
  /** State of the demo; `null` if the database is unavailable. */
  readonly demo: DemoState | null;
  /** App key for administration; `null` if there is none. */
  readonly administrationKey: string | null;
  /** Link that opens the console; `null` without a console. */
  readonly consoleLink: string | null;
  /** Whether the sample macros are available. */
  readonly hasMacros: boolean;
}

export interface BannerParts {
  /** Name of the service. */
  readonly name: string;
  readonly version: string;
  readonly databases: readonly BannerDatabase[];
  /** Whether each database has a page at `/docs`. */
  readonly hasDocs: boolean;
  /** Whether the server runs fake identity providers. */
  readonly hasFakeProviders: boolean;
  /** Data directory, or database URL without its password. */
  readonly dataPlace: string;
  /** Directory of outgoing mail; `null` if mail is not written to files. */
  readonly mailFolder?: string | null;
  /** Capabilities of the storage as text. */
  readonly capabilities: readonly string[];
  readonly digests: Digests;
  readonly style: TerminalStyle;
}

/** Text that the demo prints at startup: URLs, credentials and sample requests. Ends with a line break. */
export function banner(parts: BannerParts): string {
  const {
    name,
    version,
    databases,
    hasDocs,
    hasFakeProviders,
    dataPlace,
    mailFolder = null,
    capabilities,
    style,
  } = parts;
  const usable = databases.find(({ demo }) => demo !== null);
  const links = databases.flatMap(({ consoleLink }) => consoleLink ?? []);
  const sections = [[style.strong(`${name} ${version}`)], addressLines(databases, style)];
  const example = databases.find(({ demo }) => containsDemo(demo));
  if (example !== undefined) {
    sections.push(credentialLines(example, style));
    const customer = demoUuid(parts.digests, example.alias, "Customer", 0);
    for (const { title, lines } of demoSession(example.address, customer, example.hasMacros)) {
      sections.push([style.strong(title), ...lines.map(indented)]);
    }
    if (example.administrationKey !== null) {
      const lines = administrationSession(example.address, example.administrationKey);
      sections.push([style.strong("Administer, with the command line of administrators"), ...lines.map(indented)]);
    }
  }
  sections.push([
    ...row("Data", dataPlace),
    ...(capabilities.length === 0 ? [] : row("Storage", capabilities.join(", "))),
    ...(mailFolder === null ? [] : row("Mail", mailFolder)),
    ...(links.length === 0 ? [] : row("Console", ...links, style.faint("each once, within 5 minutes"))),
    ...(hasDocs && usable !== undefined ? row("Try it", `${usable.address}/docs, in a browser`) : []),
    ...(hasFakeProviders && example !== undefined
      ? row("Providers", `${example.address}/v1/auth/google?appkey=${demoCredentials.appKey}`)
      : []),
    ...(example === undefined
      ? []
      : row(
          "Offline",
          hasDocs
            ? `${example.address}/docs/offline, works without the server`
            : `schema "${demoSyncSchema.name}", see docs/guides/offline.md`,
        )),
    ...row("Docs", "README.md, docs/guides, docs/reference"),
    ...row("Stop", "Ctrl+C"),
  ]);
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n\n`;
}

function addressLines(databases: readonly BannerDatabase[], style: TerminalStyle): string[] {
  const width = Math.max(...databases.map(({ name }) => name.length));
  const lines = databases.map(({ name, address, demo }) => {
    const note =
      demo === null ? "not available, see the log" : demo === "foreign" ? "contains other data, not the demo" : "";
    return indented(`${name.padEnd(width)}  ${address}${note === "" ? "" : style.faint(`  ${note}`)}`);
  });
  return [style.strong("Databases"), ...lines];
}

function credentialLines({ administrationKey }: BannerDatabase, style: TerminalStyle): string[] {
  const { appKey, apps, users, customUsers } = demoCredentials;
  const appNames = apps.map(({ name }) => name).join(", ");
  const nameWidth = Math.max(...[...users, ...customUsers].map(({ name }) => name.length));
  const passwordWidth = Math.max(...[...users, ...customUsers].map(({ password }) => password.length));
  const userLines = users.map(
    ({ name, password, may }) => `${name.padEnd(nameWidth)}  ${password.padEnd(passwordWidth)}  ${style.faint(may)}`,
  );
  const customLines = customUsers.map(
    ({ name, password, user }) =>
      `${name.padEnd(nameWidth)}  ${password.padEnd(passwordWidth)}  ${style.faint(`at /v1/auth/df, mapped to ${user}`)}`,
  );
  return [
    style.strong("Credentials"),
    ...[
      ...row("app key", appKey),
      ...row("app names", appNames),
      ...row("users", ...userLines),
      ...row("custom", ...customLines),
      ...(administrationKey === null ? [] : row("admin key", administrationKey)),
    ].map(indented),
  ];
}

/** A labelled value. Further values follow on their own lines. */
function row(label: string, ...values: readonly string[]): string[] {
  return values.map((value, index) => `${(index === 0 ? label : "").padEnd(11)}${value}`);
}

function indented(line: string): string {
  return `  ${line}`;
}

interface ShellExample {
  readonly title: string;
  /** Lines to paste into bash or zsh. */
  readonly lines: readonly string[];
}

const macroExample: ShellExample = {
  title: "Execute a macro",
  lines: [
    `curl -sS -w '\\n' "$URL/v1/execute/OverdueInvoices" \\`,
    `  -d '{"on":"2026-01-01","most":3}' \\`,
    `  -H "$KEY" -H "sessionId: $SID" -H "$JSON"`,
  ],
};

/**
 * A sample session as shell commands that need only curl and sed. Each example builds on the previous ones. `customer`:
 * id or UUID of an object to read and update. `hasMacros`: whether the sample macros are available.
 */
function demoSession(address: string, customer: string, hasMacros: boolean): ShellExample[] {
  const [{ name, password }] = demoCredentials.users;
  const body = JSON.stringify({ user: name, pass: password, appNames: [demoCredentials.apps[0].name] });
  return [
    {
      title: "Log in; the next commands use the session id",
      lines: [
        `URL='${address}' KEY='appkey: ${demoCredentials.appKey}'`,
        `JSON='Content-Type: application/json'`,
        `BODY='${body}'`,
        `ANSWER=$(curl -sS "$URL/v1/login" -H "$KEY" -H "$JSON" -d "$BODY")`,
        `SID=$(printf %s "$ANSWER" | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')`,
        `printf '%s\\n' "$ANSWER"`,
      ],
    },
    {
      title: "Get an object",
      lines: [`curl -sS -w '\\n' "$URL/v1/object/${customer}" \\`, `  -H "$KEY" -H "sessionId: $SID"`],
    },
    {
      title: "List objects",
      lines: [`curl -sS -w '\\n' "$URL/v1/objects/Invoice?page=0&perPage=5" \\`, `  -H "$KEY" -H "sessionId: $SID"`],
    },
    {
      title: "Update an object",
      lines: [
        `curl -sS -w '\\n' -X PATCH -d '{"CreditLimit":2500}' \\`,
        `  "$URL/v1/object/${customer}" \\`,
        `  -H "$KEY" -H "sessionId: $SID" -H "$JSON"`,
      ],
    },
    ...(hasMacros ? [macroExample] : []),
    {
      title: "Log out",
      lines: [`curl -sS -w '\\n' -X POST "$URL/v1/logout" -H "$KEY" -H "sessionId: $SID"`],
    },
    {
      title: "Or log in with a token for the header Authorization",
      lines: [`curl -sS -w '\\n' "$URL/v2/login" -H "$KEY" -H "$JSON" -d "$BODY"`],
    },
  ];
}

/** Commands that work in a clone and without one. `printf` answers the questions of `log-in`. */
function administrationSession(address: string, key: string): string[] {
  const { name, password } = demoCredentials.users[2];
  return [
    `printf '%s\\n' ${key} ${password} |`,
    `  npx @sallyport/cli log-in ${address} --user ${name}`,
    "npx @sallyport/cli session list",
    "npx @sallyport/cli --help",
  ];
}
