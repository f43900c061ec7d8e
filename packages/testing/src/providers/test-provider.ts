import { SallyportClient } from "@sallyport/client";
import { linkingLogIn, providerAddress } from "@sallyport/client/identity";
import type { Access } from "../service/database-content.ts";
import { type BrowserResponse, browse } from "./browser.ts";
import { type FakeProviders, type ProviderFault, type ProviderName, providerNames } from "./fake-providers.ts";

/**
 * Persons that log in at a provider.
 *
 * - `new`: an account without a link
 * - `linked`: an account that is linked to a user
 * - `denied`: the person cancels
 * - `wrongState`: the callback has another state
 * - `expired`: the token of the provider has expired
 * - `slow`: the provider does not answer in time
 * - `rotatedKeys`: a linked account, after the provider has replaced its keys
 */
export const personas = ["new", "linked", "denied", "wrongState", "expired", "slow", "rotatedKeys"] as const;

export type Persona = (typeof personas)[number];

export interface ProviderLogInOptions {
  /** The database user of a `linked` or `rotatedKeys` account. The first log-in links the account to the user. */
  readonly user?: string;
  /** Alias of the database. Default: the empty alias. */
  readonly alias?: string;
  /** Default: the first app key of the database. */
  readonly appKey?: string;
  /** Default: the first app of the database. */
  readonly appNames?: readonly string[];
}

/** The needs of providers of a service. */
export interface ProviderHost {
  readonly url: () => Promise<string>;
  readonly access: (alias: string) => Access;
  readonly passwordHash: (alias: string) => "md5" | "none";
}

const faults: Partial<Readonly<Record<Persona, ProviderFault>>> = { expired: "expiredToken", slow: "noAnswer" };

/** The accounts of personas, for all providers of a service. */
export class PersonaAccounts {
  private readonly ids = new Map<string, string>();

  /** The account of a persona; each user has one of their own. `null` for a person who cancels. */
  idOf(persona: Persona, user: string): string | null {
    if (persona === "denied") return null;
    const key = `${persona} ${user}`;
    // The fakes have three named accounts before the numbered ones.
    const id = this.ids.get(key) ?? `account${this.ids.size + 4}`;
    this.ids.set(key, id);
    return id;
  }
}

/** A fake identity provider of a service. Log-ins run one after another, because faults apply to all. */
export class TestProvider {
  readonly #name: ProviderName;
  readonly #fakes: FakeProviders;
  readonly #host: ProviderHost;
  readonly #accounts: PersonaAccounts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: ProviderName, fakes: FakeProviders, host: ProviderHost, accounts: PersonaAccounts) {
    this.#name = name;
    this.#fakes = fakes;
    this.#host = host;
    this.#accounts = accounts;
  }

  /** Logs in with a browser, and returns the last response of the service: a session, a `dfUuid` or an error. */
  async logIn(persona: Persona, options: ProviderLogInOptions = {}): Promise<BrowserResponse> {
    const { user = "" } = options;
    const isLinked = persona === "linked" || persona === "rotatedKeys";
    if (isLinked && user === "") throw new TypeError(`Name the \`user\` of the persona ${persona}.`);
    const address = await this.#address(options);
    const answer = await this.visit(address, persona, user);
    const dfUuid: unknown = answer.body?.data?.dfUuid;
    if (!isLinked || typeof dfUuid !== "string") return answer;
    await this.#link(dfUuid, user, options);
    return this.visit(address, persona, user);
  }

  /**
   * Opens the address of a log-in as a person with a browser, such as that of `startCodeLogIn`, up to the response that
   * leads back to the application. `user` tells accounts of one persona apart.
   */
  visit(address: string, persona: Persona, user = ""): Promise<BrowserResponse> {
    const visited = this.#last.then(() => this.#visit(address, persona, user));
    this.#last = visited.catch(() => {});
    return visited;
  }

  async #visit(address: string, persona: Persona, user: string): Promise<BrowserResponse> {
    const fakes = this.#fakes;
    await fakes.prepareKeys(this.#name);
    if (persona === "rotatedKeys") await fakes.rotateKeys(this.#name);
    fakes.inject(this.#name, faults[persona] ?? null);
    try {
      const accountId = this.#accounts.idOf(persona, user);
      return await browse(address, { accountId, ...(persona === "wrongState" ? { state: "A".repeat(43) } : {}) });
    } finally {
      fakes.inject(this.#name, null);
    }
  }

  async #address({ alias = "", appKey, appNames }: ProviderLogInOptions): Promise<string> {
    const baseUrl = await this.#host.url();
    const access = this.#host.access(alias);
    const place = { baseUrl, alias, appKey: appKey ?? access.appKey };
    return providerAddress(place, this.#name, { appNames: appNames ?? access.appNames });
  }

  /** Links an account to a user, whose session ends at once. */
  async #link(dfUuid: string, user: string, { alias = "", appKey, appNames }: ProviderLogInOptions): Promise<void> {
    const access = this.#host.access(alias);
    const baseUrl = await this.#host.url();
    const client = new SallyportClient({ baseUrl, alias, appKey: appKey ?? access.appKey, renew: false });
    const fields = {
      user,
      password: access.passwordOf(user),
      passwordHash: this.#host.passwordHash(alias),
      appNames: appNames ?? access.appNames,
    };
    await client.logIn(linkingLogIn({ dfUuid, ...fields }));
    await client.logOut();
  }
}

/** The fake identity providers of a service. */
export type TestProviders = Readonly<Record<ProviderName, TestProvider>>;

export function testProviders(fakes: FakeProviders, host: ProviderHost): TestProviders {
  const accounts = new PersonaAccounts();
  const of = (name: ProviderName) => new TestProvider(name, fakes, host, accounts);
  return Object.fromEntries(providerNames.map((name) => [name, of(name)])) as unknown as TestProviders;
}
