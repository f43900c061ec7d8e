import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import axe, { type AxeResults } from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { RunningServer } from "../../src/index.ts";
import { consoleTicket } from "../administration/administration-fixture.ts";
import { type DemoServers, type Engine, startDemoOn } from "../engines.ts";
import { chromium as program } from "../pages/headless-browser.ts";

/** Rules of axe: all of WCAG up to 2.2 AA. */
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Milliseconds until a thing that a person waits for must be there, on a busy machine. */
const patience = 60_000;

/** What a person of the demo types. */
export const administrator = { user: "admin", password: "admin" };

export interface TabOptions {
  readonly scheme?: "light" | "dark";
  readonly locale?: string;
  readonly width?: number;
}

/** A server with the demo, and a browser that reaches nothing else. Reports of the page are kept. */
export class OpenConsole {
  /** Errors of the page and violations of its policy. Refusals of the server are not among them: the page shows those. */
  readonly reports: string[] = [];
  /** Addresses of all requests. */
  readonly requests: string[] = [];

  private constructor(
    readonly server: RunningServer,
    private readonly browser: Browser,
    private readonly closeServer: () => Promise<void>,
  ) {}

  static async open(engine: Engine, environment: Readonly<Record<string, string>> = {}): Promise<OpenConsole> {
    return OpenConsole.onServers(await startDemoOn(engine, { environment }));
  }

  static async onServers({ servers, close }: Pick<DemoServers, "servers" | "close">): Promise<OpenConsole> {
    const executablePath = pathOf(program);
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    });
    return new OpenConsole(servers[0] as RunningServer, browser, close);
  }

  get address(): string {
    return `${this.server.url}/console/`;
  }

  async context({ scheme = "light", locale = "en-US", width = 1_280 }: TabOptions = {}): Promise<BrowserContext> {
    const viewport = { width, height: 900 };
    const context = await this.browser.newContext({ colorScheme: scheme, locale, viewport, reducedMotion: "reduce" });
    context.setDefaultTimeout(patience);
    context.on("request", (request) => void this.requests.push(request.url()));
    context.on("weberror", (error) => void this.reports.push(String(error.error().stack)));
    context.on("console", (message) => {
      const { url } = message.location();
      const isRefusal = message.text().startsWith("Failed to load resource") && /\/v\d\//.test(url);
      if (message.type() === "error" && !isRefusal) this.reports.push(`${url}: ${message.text()}`);
    });
    return context;
  }

  /** Opens the console with a ticket, and logs in as the administrator of the demo. */
  async logIn(options: TabOptions = {}, person = administrator): Promise<Page> {
    return this.logInIn(await this.context(options), person);
  }

  /** Like `logIn`, in a further tab of a browser. */
  async logInIn(context: BrowserContext, person = administrator): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${this.address}#ticket=${await consoleTicket(this.server)}`);
    await fillLogIn(page, person);
    await page.getByRole("heading", { level: 1, name: person.user }).waitFor();
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.closeServer();
  }
}

/** The absolute path of a program, which Playwright wants. */
function pathOf(name = "chromium"): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = folders.map((folder) => join(folder, name)).find(existsSync);
  if (path === undefined) throw new Error("These tests need Chromium: apt-get install chromium.");
  return path;
}

/** Types name and password, and logs in. Names of fields are those of either language. */
export async function fillLogIn(page: Page, { user, password }: typeof administrator): Promise<void> {
  await page.getByLabel(/^(User name|Benutzername)/).fill(user);
  await page.getByLabel(/^(Password|Passwort)/).fill(password);
  await page.getByRole("button", { name: /^(Log in|Anmelden)$/ }).click();
}

export async function logOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
}

/** Goes to a page of the console by its link in the side bar. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

/** The findings of axe about the page, as short texts. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify({
    runOnly: { type: "tag", values: rules },
    // WCAG 2.5.3, which axe leaves out unless it is asked.
    rules: { "label-content-name-mismatch": { enabled: true } },
  });
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 200)}`),
  );
}
