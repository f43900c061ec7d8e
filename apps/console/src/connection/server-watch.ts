import { SallyportError, TransportError } from "@sallyport/client";
import { loadPageConfig, type PageConfig } from "./page-config.ts";
import { Store } from "./store.ts";

export interface ServerState {
  /** Why requests fail for now: there is no answer, or a refusal that passes. `null` while the server answers. */
  readonly trouble: unknown;
  /** Whether the server has other files or settings than this page. */
  readonly hasChanged: boolean;
}

/** Codes of refusals that pass: the server, or the pool of its database, is overloaded or unavailable; too many requests. */
const passingCodes: ReadonlySet<number> = new Set([607, 706, 800]);

const isTrouble = (error: unknown): boolean =>
  error instanceof TransportError || (error instanceof SallyportError && passingCodes.has(error.code));

/** Milliseconds between two attempts. They double. */
const pauses = { first: 2_000, longest: 30_000 };

/** Milliseconds between two looks for other files of the server, when the tab comes to the front. */
const lookInterval = 60_000;

interface WatchOptions {
  readonly config: PageConfig;
  /** Sends a request that the database of the page must answer. */
  probe(): Promise<unknown>;
  /** The server answers again. */
  onRecovery(): void;
  onChange(): void;
}

/** Knows whether the server answers, tries again until it does, and notices when it was updated. */
export class ServerWatch extends Store<ServerState> {
  readonly #options: WatchOptions;
  #pause = pauses.first;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = Date.now();

  constructor(options: WatchOptions) {
    super({ trouble: null, hasChanged: false });
    this.#options = options;
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && Date.now() - this.#lookedAt > lookInterval)
        void this.#look().catch(() => {});
    });
    window.addEventListener("vite:preloadError", (event) => {
      // Without it, the router reloads the page at once, and what was typed is lost.
      event.preventDefault();
      void this.#look().then(
        () => this.change(),
        (error) => this.#fail(error),
      );
    });
  }

  /** Notes the end of a request. `error` is `null` for a success. */
  note(error: unknown): void {
    if (isTrouble(error)) return this.#fail(error);
    if (error !== null && !(error instanceof SallyportError)) return;
    this.#pause = pauses.first;
    this.#recover();
  }

  /** Tries now whether the server answers. */
  async retry(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#look();
      await this.#options.probe();
    } catch (error) {
      if (!(error instanceof SallyportError) || isTrouble(error)) return this.#fail(error);
    }
    this.#recover();
  }

  /** The server has other files or settings than this page. */
  change(): void {
    this.set({ hasChanged: true });
  }

  #fail(trouble: unknown): void {
    const wished = trouble instanceof SallyportError ? (trouble.retryAfter ?? 0) * 1_000 : 0;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.retry(), Math.max(this.#pause, wished));
    this.#pause = Math.min(this.#pause * 2, pauses.longest);
    this.set({ trouble });
  }

  #recover(): void {
    if (this.state().trouble === null) return;
    clearTimeout(this.#timer);
    this.set({ trouble: null });
    this.#options.onRecovery();
  }

  /** Compares the configuration of the page with that of the server. */
  async #look(): Promise<void> {
    const config = await loadPageConfig();
    this.#lookedAt = Date.now();
    if (this.state().hasChanged || JSON.stringify(config) === JSON.stringify(this.#options.config)) return;
    this.change();
    this.#options.onChange();
  }
}
