import { SallyportClient, SallyportError } from "@sallyport/client";
import { type OwnRightsData, SallyportAdmin } from "@sallyport/client/admin";
import type { LinkTickets } from "./link-tickets.ts";
import { databaseUrl, type PageConfig } from "./page-config.ts";
import { ServerWatch } from "./server-watch.ts";
import { Store } from "./store.ts";
import { type LogIn, Tabs } from "./tabs.ts";

/** A log-in as typed. Without an administration key, it is that of a user with the app key of the page. */
export interface TypedLogIn {
  readonly administrationKey: string | null;
  readonly user: string;
  readonly password: string;
  readonly twoFactorToken: string | undefined;
}

/** The first administrator as typed. */
export interface FirstAdministrator {
  readonly user: string;
  readonly password: string;
  readonly email: string | null;
}

type Credentials = Omit<TypedLogIn, "administrationKey">;

/** The clients that act for the person. */
export interface Clients extends LogIn {
  /** `null` without administrator rights. */
  readonly admin: SallyportAdmin | null;
  /** For objects, files and macros. */
  readonly data: SallyportClient;
}

/** Rights of an administrator; `null` for other users. */
export type Rights = OwnRightsData["rights"] | null;

/** What an act waits for: a new log-in, or a proof of the administrator. */
export type Question = "log-in" | "proof";

interface PendingQuestion {
  resolve(): void;
  reject(error: unknown): void;
  readonly answered: Promise<void>;
}

export interface ConnectionState {
  readonly clients: Clients | null;
  /** As the server told them last. It judges each request by the present ones. */
  readonly rights: Rights;
  readonly question: Question | null;
  /** An administration key before the log-in. */
  readonly ticketKey: string | null;
  /** Whether the server refused the last ticket. */
  readonly isTicketRefused: boolean;
  /** For the first administrator. */
  readonly setUpTicket: string | null;
  /** Whether the log-in is in a tab that the person does not see, which gives it as soon as it is seen. */
  readonly isElsewhere: boolean;
  /** Whether the log-in came from another tab. */
  readonly isTaken: boolean;
  /** Whether the last person in this tab had no administrator rights. */
  readonly wasUser: boolean;
}

/** Whether this tab gave its log-in to another one, or took one. */
export type Handover = "given" | "taken";

const loggedOut: ConnectionState = {
  clients: null,
  rights: null,
  question: null,
  ticketKey: null,
  isTicketRefused: false,
  setUpTicket: null,
  isElsewhere: false,
  isTaken: false,
  wasUser: false,
};

/** Codes of a session or key that the server no longer accepts. */
const lostCodes: ReadonlySet<number> = new Set([101, 200, 201, 203]);
const proofCode = 802;
/** The rights do not suffice. */
const rightsCode = 404;

const rightsOf = async ({ admin }: Clients): Promise<Rights> => (admin === null ? null : admin.rights());

/** A client before the log-in, without a key. */
const stranger = () => new SallyportAdmin({ baseUrl: databaseUrl, appKey: "" });

const isLost = (error: unknown): boolean => error instanceof SallyportError && lostCodes.has(error.code);
const lacksRights = (error: unknown): boolean => error instanceof SallyportError && error.code === rightsCode;
const needsProof = (error: unknown): boolean => error instanceof SallyportError && error.code === proofCode;

/**
 * The log-in of the page. An act whose session is lost, or that needs a proof, waits until the person has answered in place,
 * and goes on: nothing that was typed is lost.
 */
export class Connection extends Store<ConnectionState> {
  readonly #config: PageConfig;
  readonly #tabs: Tabs;
  readonly #handoverListeners = new Set<(handover: Handover) => void>();
  readonly #recoveryListeners = new Set<() => void>();
  readonly server: ServerWatch;
  #pending: PendingQuestion | null = null;
  /** Of a link that was opened during a log-in. Traded after the log-out. */
  #keptTicket: string | null = null;

  constructor(config: PageConfig) {
    super(loggedOut);
    this.#config = config;
    this.#tabs = new Tabs({
      logIn: () => this.#logIn(),
      onWaiting: () => this.set({ isElsewhere: true }),
      onTaken: (logIn) => void this.#take(logIn).catch(() => {}),
      onGiven: () => this.#tellHandover("given"),
      onLogOut: () => this.#forget(),
      onEnd: (session) => {
        if (this.state().clients?.session === session) void this.#question("log-in").answered.catch(() => {});
      },
      onServerChange: () => this.server.change(),
      onShown: () => void this.#lookAtRights(),
    });
    this.server = new ServerWatch({
      config,
      probe: async () => this.state().clients?.data.checkSession(),
      onRecovery: () => {
        for (const listener of this.#recoveryListeners) listener();
      },
      onChange: () => this.#tabs.changeServer(),
    });
  }

  /** The key of a ticket, or of the administrator that is logged in. */
  get administrationKey(): string | null {
    const { clients, ticketKey } = this.state();
    return clients?.administrationKey ?? ticketKey;
  }

  /** Calls the listener when another tab got the log-in of this one, or the other way round. */
  onHandover(listener: (handover: Handover) => void): () => void {
    this.#handoverListeners.add(listener);
    return () => void this.#handoverListeners.delete(listener);
  }

  /** Calls the listener when the server answers again. */
  onRecovery(listener: () => void): () => void {
    this.#recoveryListeners.add(listener);
    return () => void this.#recoveryListeners.delete(listener);
  }

  /** Takes the tickets of a link. One for a key waits during a log-in. */
  receive({ ticket, setUpTicket }: LinkTickets): void {
    if (this.state().clients !== null) {
      this.#keptTicket = ticket;
      return;
    }
    this.#tabs.stopAsking();
    this.set({ ...loggedOut, setUpTicket });
    if (ticket !== null) void this.#tradeTicket(ticket);
  }

  /** Trades the ticket for an administration key at once: it is valid for a few minutes, and a log-in may take longer. */
  async #tradeTicket(ticket: string): Promise<void> {
    try {
      const { appKey } = await stranger().console.tradeTicket(ticket);
      this.set({ ticketKey: appKey });
    } catch {
      this.set({ isTicketRefused: true });
    }
  }

  /** Takes the log-in of another tab, if there is one. */
  askTabs(): void {
    this.#tabs.ask();
  }

  /** Whether the database has no users. */
  needsSetUp(): Promise<boolean> {
    return stranger().console.needsSetUp();
  }

  /** Creates the first administrator, and logs in. Rejects with the refusal. */
  async setUp(ticket: string, { user, password, email }: FirstAdministrator): Promise<void> {
    const { appKey } = await stranger().console.setUp({ ticket, name: user, password, email });
    const logIn = { administrationKey: appKey, user, password, twoFactorToken: undefined };
    await this.logIn(logIn).catch((error: unknown) => {
      // A further log-in needs no other key.
      this.set({ ticketKey: appKey });
      throw error;
    });
  }

  /** Logs in, or again. Rejects with the refusal. */
  async logIn({ administrationKey, ...credentials }: TypedLogIn): Promise<void> {
    const logIn =
      administrationKey === null
        ? await this.#logInAsUser(credentials)
        : await this.#logInAsAdministrator(administrationKey, credentials);
    const clients = this.#clientsOf(logIn);
    this.#begin(clients, await rightsOf(clients));
  }

  /** Gives a proof of the administrator: the password, or a token of the second factor. */
  async prove(proof: { readonly password: string } | { readonly twoFactorToken: string }): Promise<void> {
    await this.state().clients?.admin?.prove(proof);
    this.set({ question: null });
    this.#answer();
  }

  /** Gives up the question. What waits for it fails with the refusal that asked. */
  refuse(): void {
    const pending = this.#pending;
    this.#pending = null;
    this.set({ question: null });
    pending?.reject(new Error("The question was not answered."));
  }

  /** Ends the session on the server, and the log-ins of all tabs. */
  async logOut(): Promise<void> {
    const { clients } = this.state();
    this.#tabs.logOut();
    this.#forget();
    await Promise.allSettled([clients?.data.logOut(), clients?.admin?.logOut()]);
  }

  /** Runs an act of the administration. */
  administer<T>(act: (admin: SallyportAdmin) => Promise<T>): Promise<T> {
    const acted = this.#run(({ admin }) => {
      if (admin === null) throw new Error("The person is not an administrator.");
      return act(admin);
    });
    void acted.catch((error: unknown) => (lacksRights(error) ? this.#lookAtRights() : undefined));
    return acted;
  }

  /** Pages then offer what the person may do now. */
  async #lookAtRights(): Promise<void> {
    const { clients } = this.state();
    if (clients === null) return;
    const rights = await rightsOf(clients).catch(() => this.state().rights);
    if (this.state().clients === clients) this.set({ rights });
  }

  /** Runs an act on objects, files or macros, with the rights of the person. */
  work<T>(act: (data: SallyportClient) => Promise<T>): Promise<T> {
    return this.#run(({ data }) => act(data));
  }

  async #run<T>(act: (clients: Clients) => Promise<T>): Promise<T> {
    for (;;) {
      const { clients } = this.state();
      if (clients === null) throw new Error("There is no log-in.");
      try {
        const result = await act(clients);
        this.server.note(null);
        return result;
      } catch (error) {
        this.server.note(error);
        if (isLost(error)) {
          this.#tabs.end(clients.session);
          await this.#ask("log-in", error, clients);
        } else if (needsProof(error)) await this.#ask("proof", error, clients);
        else throw error;
      }
    }
  }

  /** Asks once for all acts that wait. Rejects with the refusal if the person gives up. */
  async #ask(question: Question, refusal: unknown, clients: Clients): Promise<void> {
    // Another act has asked, and the person has answered.
    if (this.state().clients !== clients) return;
    await this.#question(question).answered.catch(() => {
      throw refusal;
    });
  }

  #question(question: Question): PendingQuestion {
    if (this.#pending !== null) return this.#pending;
    let settle: Pick<PendingQuestion, "resolve" | "reject"> | undefined;
    const answered = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    const pending = { ...(settle as Pick<PendingQuestion, "resolve" | "reject">), answered };
    this.#pending = pending;
    this.set({ question });
    return pending;
  }

  #answer(): void {
    const pending = this.#pending;
    this.#pending = null;
    pending?.resolve();
  }

  #forget(): void {
    this.#tabs.stopAsking();
    this.refuse();
    this.set({ ...loggedOut, wasUser: this.state().clients?.admin === null });
    const ticket = this.#keptTicket;
    this.#keptTicket = null;
    if (ticket !== null) void this.#tradeTicket(ticket);
  }

  #begin(clients: Clients, rights: Rights, isTaken = false): void {
    this.#tabs.stopAsking();
    this.set({ ...loggedOut, clients, rights, isTaken });
    this.#answer();
  }

  /** Takes the log-in of another tab, if the server still accepts it. */
  async #take(logIn: LogIn): Promise<void> {
    const clients = this.#clientsOf(logIn);
    const [isLive, rights] = await Promise.all([clients.data.checkSession(), rightsOf(clients)]);
    if (!isLive || this.state().clients !== null) return;
    this.#begin(clients, rights, true);
    this.#tellHandover("taken");
  }

  #tellHandover(handover: Handover): void {
    for (const listener of this.#handoverListeners) listener(handover);
  }

  /** The log-in that other tabs can have. */
  #logIn(): LogIn | null {
    const { clients, question } = this.state();
    if (clients === null || question === "log-in") return null;
    const { admin: _admin, data: _data, ...logIn } = clients;
    return logIn;
  }

  #clientsOf(logIn: LogIn): Clients {
    const { administrationKey, administrationSession, session } = logIn;
    const options = { baseUrl: databaseUrl, appKey: administrationKey ?? this.#config.appKey ?? "" };
    const data = new SallyportClient({ ...options, renew: false });
    data.resume(session);
    if (administrationSession === null) return { ...logIn, admin: null, data };
    const admin = new SallyportAdmin(options);
    admin.resume(administrationSession);
    return { ...logIn, admin, data };
  }

  async #logInAsAdministrator(administrationKey: string, credentials: Credentials): Promise<LogIn> {
    const admin = new SallyportAdmin({ baseUrl: databaseUrl, appKey: administrationKey });
    const { user, databaseName } = await admin.logIn(credentials);
    // A session of the same person for objects, which ends with that of the administrator.
    const { sessionId: session } = await admin.console.openSession();
    const administrationSession = admin.sessionId ?? null;
    const person = { user: credentials.user, userId: user["~ObjectID"], databaseName };
    return { ...person, administrationKey, administrationSession, session };
  }

  async #logInAsUser(credentials: Credentials): Promise<LogIn> {
    const { appKey, appName } = this.#config;
    const data = new SallyportClient({ baseUrl: databaseUrl, appKey: appKey ?? "", renew: false });
    const appNames = appName === null ? [] : [appName];
    const { user, databaseName } = await data.logIn({ mode: "session", ...credentials, appNames });
    const person = { user: credentials.user, userId: user["~ObjectID"], databaseName };
    return { ...person, administrationKey: null, administrationSession: null, session: data.sessionId ?? "" };
  }
}
