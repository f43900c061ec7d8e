import { randomUUID } from "node:crypto";
import {
  type ClassStructure,
  type LogInMode,
  type LogInOptions,
  SallyportClient,
  SallyportError,
} from "@sallyport/client";
import { type Check, NotApplicable } from "../../run/check.ts";
import { DemoServer } from "../cases/demo-server.ts";
import { clientKeyPair } from "../requests/client-key.ts";

/** Without a master key, a server has only the session mode. */
const noKey = 705;

/** The server under test, an account and a class that its user can write. */
export interface Target {
  /** Address without a trailing slash. */
  readonly url: string;
  readonly alias: string;
  readonly appKey: string;
  readonly appName: string;
  readonly user: string;
  readonly password: string;
  readonly className: string;
}

/** A check of the server that a run visits. */
export type ServerCheck = Check<Visit>;

/** A run against a server: one session for each mode, and the objects that it has created. */
export class Visit {
  readonly demo: DemoServer;
  /** Part of every value that this run writes. */
  readonly mark = `acceptance-${randomUUID()}`;
  private readonly clients = new Map<LogInMode, Promise<SallyportClient>>();
  private readonly created = new Map<string, SallyportClient>();

  constructor(readonly target: Target) {
    this.demo = new DemoServer(target.url);
  }

  /** A client that is logged in. All checks of a mode share its session. */
  client(mode: LogInMode): Promise<SallyportClient> {
    const client = this.clients.get(mode) ?? this.logIn(mode);
    this.clients.set(mode, client);
    return client;
  }

  /** A client with a session of its own. Log it out. */
  async logIn(mode: LogInMode, password = this.target.password): Promise<SallyportClient> {
    const { user, appName } = this.target;
    const client = this.anonymous();
    const isEncrypted = mode === "encrypted" || mode === "secure";
    const keys = isEncrypted ? { keyPair: await clientKeyPair(), allowUnprotectedKey: true } : {};
    await client
      .logIn({ mode, user, password, appNames: [appName], ...keys } as LogInOptions)
      .catch((error: unknown) => {
        if (error instanceof SallyportError && error.code === noKey)
          throw new NotApplicable(`The server has no key for log-ins in ${mode} mode.`);
        throw error;
      });
    return client;
  }

  /** A client without a session. */
  anonymous(appKey = this.target.appKey): SallyportClient {
    const { url, alias } = this.target;
    return new SallyportClient({ baseUrl: url, alias, appKey, renew: false });
  }

  /** The class that the checks write. */
  async structure(client: SallyportClient): Promise<ClassStructure> {
    const { className } = this.target;
    const definition = (await client.getStructure()).classes.find(({ name }) => name === className);
    if (definition === undefined) throw new NotApplicable(`The user cannot read the class ${className}.`);
    return definition;
  }

  /** Creates an object that `close` removes, and returns its id. */
  async create(client: SallyportClient, attributes: object, className = this.target.className): Promise<string> {
    const { "~ObjectID": id } = await client.createObject(className, attributes);
    this.keep(id, client);
    return id;
  }

  /** Notes an object to be removed by `close`. */
  keep(id: string, client: SallyportClient): void {
    this.created.set(id, client);
  }

  /** Removes an object permanently, also from the recycle bin. */
  async remove(id: string): Promise<void> {
    const client = this.created.get(id);
    if (client === undefined) return;
    this.created.delete(id);
    await client.deleteObject(id).catch(async (error: unknown) => {
      // It is deleted already, perhaps to the recycle bin.
      if (!(error instanceof SallyportError) || ![304, 609].includes(error.code)) throw error;
      await client.purgeObject(id).catch(() => 0);
    });
  }

  /** Removes all objects of the run and ends its sessions. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => void failures.push(error));
    for (const id of this.created.keys()) await attempt(this.remove(id));
    await attempt(this.demo.close());
    for (const client of this.clients.values())
      await client.then(
        (each) => attempt(each.logOut()),
        () => {},
      );
    if (failures.length > 0) throw failures[0];
  }
}
