import { randomUUID } from "node:crypto";
import { SallyportAdmin } from "@sallyport/client/admin";
import { administrationOf, type Database, createAppKey, issueConsoleTicket, issueSetUpTicket } from "@sallyport/core";
import { NodeRandomSource } from "@sallyport/crypto";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";

export const administrator = { user: "admin", password: "admin" };

/** Creates an app key of scope `admin` for a database. */
export async function administrationKey(server: RunningServer, alias = ""): Promise<string> {
  const database = server.databases.get(alias) as Database;
  const input = { name: `admin ${randomUUID()}`, appNames: null, origins: [], returnAddresses: [], key: null } as const;
  const services = { random: new NodeRandomSource() };
  return createAppKey(
    { ...administrationOf(database), services },
    {
      ...input,
      scope: "admin",
    },
  );
}

/** Issues a ticket for the console of a database. */
export function consoleTicket(server: RunningServer, alias = ""): Promise<string> {
  const services = { random: new NodeRandomSource() };
  return issueConsoleTicket({ ...administrationOf(server.databases.get(alias) as Database), services });
}

/** Issues a ticket for the set-up of a database. `null`: it has users. */
export function setUpTicket(server: RunningServer, alias = ""): Promise<string | null> {
  const services = { random: new NodeRandomSource() };
  return issueSetUpTicket({ ...administrationOf(server.databases.get(alias) as Database), services });
}

/** A console that has traded its ticket, before the log-in. */
export async function consoleWithKey(server: RunningServer) {
  const baseUrl = server.consoleUrl ?? server.url;
  const stranger = new SallyportAdmin({ baseUrl, appKey: "" });
  const key = await stranger.console.tradeTicket(await consoleTicket(server));
  return { ...key, admin: new SallyportAdmin({ baseUrl, appKey: key.appKey }) };
}

/** A console of an administrator with a session for the routes of applications. */
export async function openConsole(server: RunningServer, person = administrator) {
  const opened = await consoleWithKey(server);
  await opened.admin.logIn(person);
  return { ...opened, ...(await opened.admin.console.openSession()) };
}

/** The code of a call; 0 for a success. */
export const codeOf = (answer: Promise<unknown>): Promise<number> =>
  answer.then(
    () => 0,
    (error: { readonly code: number }) => error.code,
  );

/** A logged-in administrator of the demo. */
export class AdministrationFixture {
  private constructor(
    private readonly server: RunningServer,
    readonly appKey: string,
    readonly admin: SallyportAdmin,
    readonly adminId: string,
  ) {}

  static async open(server: RunningServer): Promise<AdministrationFixture> {
    const appKey = await administrationKey(server);
    const admin = new SallyportAdmin({ baseUrl: server.url, appKey });
    const { user, databaseName } = await admin.logIn(administrator);
    expect([user["Name"], databaseName]).toEqual(["admin", "demo"]);
    return new AdministrationFixture(server, appKey, admin, user["~ObjectID"]);
  }

  clientOf(appKey = this.appKey, alias = "", { url } = this.server): SallyportAdmin {
    return new SallyportAdmin({ baseUrl: url, alias, appKey });
  }

  /** The sequence of the latest audit event, 0 for none. */
  async lastSequence(): Promise<number> {
    let last = 0;
    for (let after: string | undefined; ; ) {
      const page = await this.admin.audit.read({ after, limit: 500 });
      last = page.items.at(-1)?.sequence ?? last;
      if (page.next === null) return last;
      after = page.next;
    }
  }

  /** A further client of the administrator. */
  async logInAgain(at = this.server): Promise<SallyportAdmin> {
    const client = this.clientOf(this.appKey, "", at);
    await client.logIn(administrator);
    return client;
  }

  /** Logs the administrator in at a path, with any app key. */
  async sessionIdOf(appkey: string, path: string): Promise<string> {
    const body = { user: "admin", pass: "admin", appNames: ["demo-app"] };
    return (await call(this.server, path, { method: "POST", headers: { appkey }, body })).body.data?.sessionId;
  }
}
