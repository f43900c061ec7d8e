import { SallyportClient, SallyportError } from "@sallyport/client";
import { SallyportAdmin } from "@sallyport/client/admin";
import { databaseUrl, type PageConfig } from "./page-config.ts";

/** A log-in as typed. Without an administration key, it is that of a user with the app key of the page. */
export interface LogIn {
  readonly administrationKey: string | null;
  readonly user: string;
  readonly password: string;
  readonly twoFactorToken: string | undefined;
}

type Credentials = Omit<LogIn, "administrationKey">;

/** The clients that act for the person. Credentials are in memory only. */
export interface Clients {
  readonly user: string;
  readonly userId: string;
  readonly databaseName: string;
  readonly administrationKey: string | null;
  /** `null` without administrator rights. */
  readonly admin: SallyportAdmin | null;
  /** For objects, files and macros. */
  readonly data: SallyportClient;
}

/** What an act waits for: a new log-in, or a proof of the administrator. */
export type Question = "log-in" | "proof";

interface PendingQuestion {
  resolve(): void;
  reject(error: unknown): void;
  readonly answered: Promise<void>;
}

export interface ConnectionState {
  readonly clients: Clients | null;
  readonly question: Question | null;
  /** An administration key before the log-in. */
  readonly ticketKey: string | null;
}

const loggedOut: ConnectionState = { clients: null, question: null, ticketKey: null };

/** Codes of a session or key that the server no longer accepts. */
const lostCodes: ReadonlySet<number> = new Set([101, 200, 201, 203]);
const proofCode = 802;

const isLost = (error: unknown): boolean => error instanceof SallyportError && lostCodes.has(error.code);
const needsProof = (error: unknown): boolean => error instanceof SallyportError && error.code === proofCode;

/**
 * The log-in of the page. An act whose session is lost, or that needs a proof, waits until the person has answered in place,
 * and goes on: nothing that was typed is lost.
 */
export class Connection {
  readonly #config: PageConfig;
  readonly #listeners = new Set<() => void>();
  readonly #channel: BroadcastChannel;
  #state = loggedOut;
  #pending: PendingQuestion | null = null;

  constructor(config: PageConfig) {
    this.#config = config;
    this.#channel = new BroadcastChannel(`sallyport-console:${databaseUrl}`);
    this.#channel.addEventListener("message", ({ data }) => {
      if (data === "logged-out") this.#forget();
    });
  }

  /** The key of a ticket, or of the administrator that is logged in. */
  get administrationKey(): string | null {
    return this.#state.clients?.administrationKey ?? this.#state.ticketKey;
  }

  /** Trades the ticket for an administration key. Rejects with the refusal. */
  async tradeTicket(ticket: string): Promise<void> {
    const { appKey } = await new SallyportAdmin({ baseUrl: databaseUrl, appKey: "" }).console.tradeTicket(ticket);
    this.#set({ ...this.#state, ticketKey: appKey });
  }

  readonly state = (): ConnectionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Logs in, or again. Rejects with the refusal. */
  async logIn({ administrationKey, ...credentials }: LogIn): Promise<void> {
    const clients =
      administrationKey === null
        ? await this.#logInAsUser(credentials)
        : await this.#logInAsAdministrator(administrationKey, credentials);
    this.#set({ clients, question: null, ticketKey: null });
    this.#answer();
  }

  /** Gives a proof of the administrator: the password, or a token of the second factor. */
  async prove(proof: { readonly password: string } | { readonly twoFactorToken: string }): Promise<void> {
    await this.#state.clients?.admin?.prove(proof);
    this.#set({ ...this.#state, question: null });
    this.#answer();
  }

  /** Gives up the question. What waits for it fails with the refusal that asked. */
  refuse(): void {
    const pending = this.#pending;
    this.#pending = null;
    this.#set({ ...this.#state, question: null });
    pending?.reject(new Error("The question was not answered."));
  }

  /** Ends the session on the server, and the log-ins of all tabs. */
  async logOut(): Promise<void> {
    const { clients } = this.#state;
    this.#channel.postMessage("logged-out");
    this.#forget();
    await Promise.allSettled([clients?.data.logOut(), clients?.admin?.logOut()]);
  }

  /** Runs an act of the administration. */
  administer<T>(act: (admin: SallyportAdmin) => Promise<T>): Promise<T> {
    return this.#run(({ admin }) => {
      if (admin === null) throw new Error("The person is not an administrator.");
      return act(admin);
    });
  }

  /** Runs an act on objects, files or macros, with the rights of the person. */
  work<T>(act: (data: SallyportClient) => Promise<T>): Promise<T> {
    return this.#run(({ data }) => act(data));
  }

  async #run<T>(act: (clients: Clients) => Promise<T>): Promise<T> {
    for (;;) {
      const { clients } = this.#state;
      if (clients === null) throw new Error("There is no log-in.");
      try {
        return await act(clients);
      } catch (error) {
        if (isLost(error)) await this.#ask("log-in", error, clients);
        else if (needsProof(error)) await this.#ask("proof", error, clients);
        else throw error;
      }
    }
  }

  /** Asks once for all acts that wait. Rejects with the refusal if the person gives up. */
  async #ask(question: Question, refusal: unknown, clients: Clients): Promise<void> {
    // Another act has asked, and the person has answered.
    if (this.#state.clients !== clients) return;
    if (this.#pending === null) {
      let settle: Pick<PendingQuestion, "resolve" | "reject"> | undefined;
      const answered = new Promise<void>((resolve, reject) => {
        settle = { resolve, reject };
      });
      this.#pending = { ...(settle as Pick<PendingQuestion, "resolve" | "reject">), answered };
      this.#set({ ...this.#state, question });
    }
    await this.#pending.answered.catch(() => {
      throw refusal;
    });
  }

  #answer(): void {
    const pending = this.#pending;
    this.#pending = null;
    pending?.resolve();
  }

  #forget(): void {
    this.refuse();
    this.#set(loggedOut);
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  async #logInAsAdministrator(appKey: string, credentials: Credentials): Promise<Clients> {
    const admin = new SallyportAdmin({ baseUrl: databaseUrl, appKey });
    const { user, databaseName } = await admin.logIn(credentials);
    // A session of the same person for objects, which ends with that of the administrator.
    const { sessionId } = await admin.console.openSession();
    const data = new SallyportClient({ baseUrl: databaseUrl, appKey, renew: false });
    data.resume(sessionId);
    const userId = user["~ObjectID"];
    return { user: credentials.user, userId, databaseName, administrationKey: appKey, admin, data };
  }

  async #logInAsUser(credentials: Credentials): Promise<Clients> {
    const { appKey, appName } = this.#config;
    const data = new SallyportClient({ baseUrl: databaseUrl, appKey: appKey ?? "", renew: false });
    const appNames = appName === null ? [] : [appName];
    const { user, databaseName } = await data.logIn({ mode: "session", ...credentials, appNames });
    const userId = user["~ObjectID"];
    return { user: credentials.user, userId, databaseName, administrationKey: null, admin: null, data };
  }
}
