import { databaseUrl } from "./page-config.ts";

/** A log-in that tabs can share. Credentials are in memory only. */
export interface LogIn {
  readonly user: string;
  readonly userId: string;
  readonly databaseName: string;
  /** `null` for a user with the app key of the page. */
  readonly administrationKey: string | null;
  /** Id of the session for the administration routes. `null` without administrator rights. */
  readonly administrationSession: string | null;
  /** Id of the session for objects, files and macros. */
  readonly session: string;
}

type Message =
  /** A new tab wants the log-in. */
  | { readonly kind: "asks"; readonly tab: string }
  /** The log-in is in a tab that the person does not see. */
  | { readonly kind: "waits"; readonly tab: string }
  | { readonly kind: "gives"; readonly tab: string; readonly logIn: LogIn }
  /** A tab with a log-in came to the front. */
  | { readonly kind: "shown" }
  | { readonly kind: "loggedOut" }
  | { readonly kind: "ended"; readonly session: string }
  | { readonly kind: "serverChanged" };

/** What a tab does when others tell it something. */
export interface TabEvents {
  /** The log-in of this tab. `null` without one. */
  logIn(): LogIn | null;
  /** The log-in is in a tab that the person does not see. */
  onWaiting(): void;
  /** Another tab gave its log-in. */
  onTaken(logIn: LogIn): void;
  /** This tab gave its log-in to a new one. */
  onGiven(): void;
  onLogOut(): void;
  /** A session ended on the server. */
  onEnd(session: string): void;
  onServerChange(): void;
  /** The person sees this tab again. */
  onShown(): void;
}

const isVisible = (): boolean => document.visibilityState === "visible";

/**
 * The tabs of one database in this browser. A tab that was opened takes the log-in of another one, once, and only while the
 * person sees the tab that gives it.
 */
export class Tabs {
  readonly #events: TabEvents;
  readonly #channel = new BroadcastChannel(`sallyport-console:${databaseUrl}`);
  readonly #name = crypto.getRandomValues(new Uint32Array(4)).join("-");
  readonly #served = new Set<string>();
  #asks = false;

  constructor(events: TabEvents) {
    this.#events = events;
    this.#channel.addEventListener("message", ({ data }) => this.#receive(data as Message));
    document.addEventListener("visibilitychange", () => {
      if (!isVisible()) return;
      if (events.logIn() !== null) this.#post({ kind: "shown" });
      events.onShown();
    });
  }

  /** Asks for the log-in of another tab. */
  ask(): void {
    this.#asks = true;
    this.#post({ kind: "asks", tab: this.#name });
  }

  /** After a log-in of its own, a tab takes none. */
  stopAsking(): void {
    this.#asks = false;
  }

  logOut(): void {
    this.#post({ kind: "loggedOut" });
  }

  end(session: string): void {
    this.#post({ kind: "ended", session });
  }

  changeServer(): void {
    this.#post({ kind: "serverChanged" });
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case "asks":
        return this.#answer(message.tab);
      case "waits":
        return this.#isMeant(message) ? this.#events.onWaiting() : undefined;
      case "gives":
        if (!this.#isMeant(message)) return undefined;
        this.#asks = false;
        return this.#events.onTaken(message.logIn);
      case "shown":
        return this.#asks ? this.ask() : undefined;
      case "loggedOut":
        return this.#events.onLogOut();
      case "ended":
        return this.#events.onEnd(message.session);
      case "serverChanged":
        return this.#events.onServerChange();
    }
  }

  #answer(tab: string): void {
    const logIn = this.#events.logIn();
    if (logIn === null || this.#served.has(tab)) return;
    if (!isVisible()) return this.#post({ kind: "waits", tab });
    this.#served.add(tab);
    this.#post({ kind: "gives", tab, logIn });
    this.#events.onGiven();
  }

  #isMeant({ tab }: { readonly tab: string }): boolean {
    return this.#asks && tab === this.#name;
  }

  #post(message: Message): void {
    this.#channel.postMessage(message);
  }
}
