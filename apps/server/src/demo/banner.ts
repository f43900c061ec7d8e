import type { Digests } from "@sallyport/core";
import { demoCredentials } from "./demo-credentials.ts";
import { demoSession } from "./demo-session.ts";
import { demoUuid } from "./demo-uuid.ts";
import { type DemoState, holdsDemo } from "./seed-demo.ts";
import type { TerminalStyle } from "./terminal-style.ts";

export interface BannerDatabase {
  readonly alias: string;
  readonly name: string;
  /** Where clients find it, without a trailing slash. */
  readonly address: string;
  /** What became of the demo there; `null` if the database cannot be used yet. */
  readonly demo: DemoState | null;
  /** Whether the macros of the demo can be executed there. */
  readonly hasMacros: boolean;
}

export interface BannerParts {
  /** Name of the service. */
  readonly name: string;
  readonly version: string;
  readonly databases: readonly BannerDatabase[];
  /** Whether each database has a page on which its API can be tried out. */
  readonly hasDocs: boolean;
  /** Whether log-ins at identity providers are imitated. */
  readonly imitatesProviders: boolean;
  /** Where the data are kept: a folder, or the address of a database without its password. */
  readonly dataPlace: string;
  /** The folder that mail is written into; `null` where it goes elsewhere, or nowhere. */
  readonly mailFolder?: string | null;
  /** What the storage there can do, in words. */
  readonly capabilities: readonly string[];
  readonly digests: Digests;
  readonly style: TerminalStyle;
}

/** What the demo prints at its start: where it is, what opens it, and requests to paste. Ends with a line break. */
export function banner(parts: BannerParts): string {
  const {
    name,
    version,
    databases,
    hasDocs,
    imitatesProviders,
    dataPlace,
    mailFolder = null,
    capabilities,
    style,
  } = parts;
  const usable = databases.find(({ demo }) => demo !== null);
  const sections = [[style.strong(`${name} ${version}`)], addressLines(databases, style)];
  const example = databases.find(({ demo }) => holdsDemo(demo));
  if (example !== undefined) {
    sections.push(credentialLines(style));
    const customer = demoUuid(parts.digests, example.alias, "Customer", 0);
    for (const { title, lines } of demoSession(example.address, customer, example.hasMacros)) {
      sections.push([style.strong(title), ...lines.map(indented)]);
    }
  }
  sections.push([
    ...row("Data", dataPlace),
    ...(capabilities.length === 0 ? [] : row("Storage", capabilities.join(", "))),
    ...(mailFolder === null ? [] : row("Mail", mailFolder)),
    ...(hasDocs && usable !== undefined ? row("Try it", `${usable.address}/docs, in a browser`) : []),
    ...(imitatesProviders && example !== undefined
      ? row("Providers", `${example.address}/v1/auth/google?appkey=${demoCredentials.appKey}`)
      : []),
    ...row("Docs", "README.md, docs/guides, docs/reference"),
    ...row("Stop", "Ctrl+C"),
  ]);
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n\n`;
}

function addressLines(databases: readonly BannerDatabase[], style: TerminalStyle): string[] {
  const width = Math.max(...databases.map(({ name }) => name.length));
  const lines = databases.map(({ name, address, demo }) => {
    const note =
      demo === null ? "cannot be used yet, see the log" : demo === "foreign" ? "holds other data, not the demo" : "";
    return indented(`${name.padEnd(width)}  ${address}${note === "" ? "" : style.faint(`  ${note}`)}`);
  });
  return [style.strong("Databases"), ...lines];
}

function credentialLines(style: TerminalStyle): string[] {
  const { appKey, apps, users, customUsers } = demoCredentials;
  const appNames = apps.map(({ name }) => name).join(", ");
  const nameWidth = Math.max(...[...users, ...customUsers].map(({ name }) => name.length));
  const passwordWidth = Math.max(...[...users, ...customUsers].map(({ password }) => password.length));
  const userLines = users.map(
    ({ name, password, may }) => `${name.padEnd(nameWidth)}  ${password.padEnd(passwordWidth)}  ${style.faint(may)}`,
  );
  const customLines = customUsers.map(
    ({ name, password, user }) =>
      `${name.padEnd(nameWidth)}  ${password.padEnd(passwordWidth)}  ${style.faint(`at /v1/auth/df, works as ${user}`)}`,
  );
  return [
    style.strong("Credentials"),
    ...[
      ...row("app key", appKey),
      ...row("app names", appNames),
      ...row("users", ...userLines),
      ...row("custom", ...customLines),
    ].map(indented),
  ];
}

/** A labelled value; further values stand below the first. */
function row(label: string, ...values: readonly string[]): string[] {
  return values.map((value, index) => `${(index === 0 ? label : "").padEnd(11)}${value}`);
}

function indented(line: string): string {
  return `  ${line}`;
}
