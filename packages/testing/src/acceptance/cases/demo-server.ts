import { type ClientSession, type LogInMode, type LogInOptions, SallyportClient } from "@sallyport/client";
import { clientKeyPair } from "../requests/client-key.ts";
import { ContractDescription, type RouteDocument } from "../requests/contract-description.ts";
import { type LogInForm, logInForm } from "../requests/log-in-form.ts";
import type { DemoUser, Known } from "./case.ts";

/** Public app key of the demo. */
export const demoAppKey = "demo-app-key";

/** A running demo, as the cases see it: its sessions, its keys and facts about it, each found once. */
export class DemoServer {
  private readonly found = new Map<string, Promise<unknown>>();
  private readonly clients: SallyportClient[] = [];

  /** @param url address without a trailing slash */
  constructor(readonly url: string) {}

  /** The session of a user in a mode; it is opened at its first use. */
  sessionOf(user: DemoUser, mode: LogInMode): Promise<ClientSession> {
    return this.once(`${mode} ${user}`, async () => (await this.logIn(user, mode)).session as ClientSession);
  }

  formOf(mode: LogInMode): Promise<LogInForm> {
    return this.once(`form ${mode}`, () => logInForm(this.url, demoAppKey, mode));
  }

  known(): Promise<Known> {
    return this.once("known", async () => {
      const client = await this.logIn("reader", "session");
      const first = async (className: string) => {
        const [element] = (await client.listObjects(className, { perPage: 1 }))["~Elements"];
        return element?.["~ObjectID"] ?? "";
      };
      return { customerId: await first("Customer"), invoiceId: await first("Invoice") };
    });
  }

  /** The codes that the server declares for its routes. */
  description(): Promise<ContractDescription> {
    return this.once("description", async () => {
      const answer = await fetch(`${this.url}/openapi.json`);
      return new ContractDescription([(await answer.json()) as RouteDocument], ["second"]);
    });
  }

  /** Ends the sessions. */
  async close(): Promise<void> {
    for (const client of this.clients) await client.logOut();
  }

  private async logIn(user: DemoUser, mode: LogInMode): Promise<SallyportClient> {
    const client = new SallyportClient({ baseUrl: this.url, appKey: demoAppKey, renew: false });
    const keys = mode === "encrypted" || mode === "secure";
    const options = keys ? { keyPair: await clientKeyPair(), allowUnprotectedKey: true } : {};
    await client.logIn({ mode, user, password: user, appNames: ["demo-app"], ...options } as LogInOptions);
    this.clients.push(client);
    return client;
  }

  private once<T>(name: string, find: () => Promise<T>): Promise<T> {
    const found = this.found.get(name) ?? find();
    this.found.set(name, found);
    return found as Promise<T>;
  }
}
