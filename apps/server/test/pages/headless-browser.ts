import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The program to start; `undefined` on a machine without Chromium. */
export const chromium = names.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: ReturnType<typeof JSON.parse>;
  readonly sessionId?: string;
  readonly error?: unknown;
  readonly result: ReturnType<typeof JSON.parse>;
}

/** The requests of a tab, including redirects. */
export interface TabRequest {
  readonly url: string;
  readonly referrer: string | null;
}

export interface BrowserTab {
  readonly requests: readonly TabRequest[];
  /** Opens an address and waits until the page is loaded. */
  go(url: string): Promise<void>;
  /** The awaited value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Evaluates an expression that navigates, and waits until the next page is loaded. */
  leave(expression: string): Promise<void>;
  /** The addresses in the history. */
  history(): Promise<readonly string[]>;
}

/** A headless Chromium that resolves no host but this machine, driven through its debugging pipe. */
export class HeadlessBrowser {
  private readonly profile = mkdtempSync(join(tmpdir(), "sallyport-browser-"));
  private readonly process: ChildProcess;
  private readonly listeners = new Set<(message: Message) => void>();
  private lastId = 0;

  constructor(program: string) {
    const rules = [
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      "--disable-background-networking",
      "--no-first-run",
    ];
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--remote-debugging-pipe",
      `--user-data-dir=${this.profile}`,
      ...rules,
    ];
    this.process = spawn(program, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    let unread = "";
    (this.process.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => {
      const messages = (unread + text).split("\0");
      unread = messages.pop() ?? "";
      for (const message of messages) for (const listener of this.listeners) listener(JSON.parse(message) as Message);
    });
  }

  /** Opens a page and returns the awaited value of an expression in it. */
  async evaluate(url: string, expression: string): Promise<unknown> {
    const tab = await this.open();
    await tab.go(url);
    return tab.evaluate(expression);
  }

  /** Opens a tab, and records its requests. */
  async open(): Promise<BrowserTab> {
    const { targetId } = await this.ask("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.ask("Target.attachToTarget", { targetId, flatten: true });
    const requests: TabRequest[] = [];
    this.listeners.add(({ sessionId: of, method, params }) => {
      if (of !== sessionId || method !== "Network.requestWillBeSent") return;
      const { url, headers } = params.request;
      requests.push({ url, referrer: headers["Referer"] ?? null });
    });
    for (const domain of ["Page", "Network"]) await this.ask(`${domain}.enable`, {}, sessionId);
    const loading = async (begin: () => Promise<unknown>): Promise<void> => {
      const loaded = this.next(
        (message) => message.sessionId === sessionId && message.method === "Page.loadEventFired",
      );
      await begin();
      await loaded;
    };
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result, exceptionDetails } = await this.ask(
        "Runtime.evaluate",
        { expression, awaitPromise: true, returnByValue: true },
        sessionId,
      );
      if (exceptionDetails !== undefined) throw new Error(`The page failed: ${JSON.stringify(exceptionDetails)}`);
      return result.value;
    };
    return {
      requests,
      evaluate,
      go: (url) => loading(() => this.ask("Page.navigate", { url }, sessionId)),
      leave: (expression) => loading(() => evaluate(expression)),
      history: async () =>
        (await this.ask("Page.getNavigationHistory", {}, sessionId)).entries.map(
          ({ url }: { readonly url: string }) => url,
        ),
    };
  }

  /** It is asked to end, not killed: its child processes would survive, and continue to write to the profile. */
  async close(): Promise<void> {
    const ended = once(this.process, "exit");
    await Promise.race([this.ask("Browser.close", {}), ended]);
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 3 });
  }

  private async ask(method: string, params: object, sessionId?: string): Promise<Message["result"]> {
    const id = ++this.lastId;
    const answer = this.next((message) => message.id === id);
    (this.process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { error, result } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  private next(wanted: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = (message: Message) => {
        if (!wanted(message)) return;
        this.listeners.delete(look);
        resolve(message);
      };
      this.listeners.add(look);
    });
  }
}
