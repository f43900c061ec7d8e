import { isIPv4 } from "node:net";
import { failureHeader, refuseUnknown } from "@sallyport/server/testing";
import { Agent, type AgentHost } from "../agents/agent.ts";
import { recordExercises } from "../coverage/exercises.ts";
import { recordShape } from "../diff/response-shapes.ts";
import { envelopeOf } from "../matchers/received-response.ts";
import { AgentObserver } from "./agent-observer.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import type { Access } from "./database-content.ts";
import type { ServiceInside, TestService } from "./test-service.ts";

/** A user of the server that agents log in as. */
export interface ConnectedUser {
  readonly password: string;
  /** Name on the server. Default: the name in the tests. */
  readonly name?: string;
  /** The secret of the user's second factor, in Base32. */
  readonly secondFactor?: string;
}

export interface ConnectOptions {
  /** URL of the server, with its path prefix. */
  readonly url: string;
  readonly appKey: string;
  /** An app key of scope `admin`, for agents with `administration: true`. */
  readonly administrationKey?: string;
  /** Users by their name in the tests. A text is a password. */
  readonly users?: Readonly<Record<string, ConnectedUser | string>>;
  /** App names of log-ins. Default: `test-app`. */
  readonly appNames?: readonly string[];
  /** Alias of the database. Default: the empty alias. */
  readonly alias?: string;
  /** Ids of objects, users and groups by the name that `service.id` gets. */
  readonly ids?: Readonly<Record<string, string>>;
  /** How passwords are sent: as their MD5, or in plain text. Default: `md5`. */
  readonly passwordHash?: "md5" | "none";
  /** Whether tests may write on a server that is not on this machine. Default: false. */
  readonly allowWrites?: boolean;
}

const optionNames: readonly (keyof ConnectOptions)[] = [
  "url",
  "appKey",
  "administrationKey",
  "users",
  "appNames",
  "alias",
  "ids",
  "passwordHash",
  "allowWrites",
];

/**
 * Connects to a server that runs, for the same tests as a service in this process. Rejects with a `TypeError` for invalid
 * options, and with an `Error` if the server does not answer, or if it could be a production server: any host but
 * this machine, unless `allowWrites` is `true`.
 */
export async function connectTestService(options: ConnectOptions): Promise<TestService> {
  const url = checkedUrl(options);
  await checkAnswers(url, options.alias ?? "");
  return connectedService(url, options);
}

function checkedUrl(options: ConnectOptions): string {
  refuseUnknown("option of a connected service", Object.keys(options), optionNames);
  const { url, appKey, allowWrites = false } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError("`url` must be the URL of a server, such as https://staging.example.com.");
  if (typeof appKey !== "string" || appKey === "") throw new TypeError("`appKey` must be an app key of the server.");
  const { hostname } = new URL(url);
  if (!isKnownHost(hostname) && allowWrites !== true)
    throw new Error(
      `${hostname} is not this machine and could serve production data, which tests change. If it is a test server, connect with \`allowWrites: true\`.`,
    );
  return url.replace(/\/+$/, "");
}

/** Whether a host is this machine, or has a name that is reserved for tests. `hostname`: as in `URL`. */
function isKnownHost(hostname: string): boolean {
  if (isIPv4(hostname)) return hostname.startsWith("127.");
  return hostname === "[::1]" || /(?:^|\.)(?:localhost|test)\.?$/.test(hostname);
}

/** Rejects with an `Error` unless the service check answers at the URL. */
async function checkAnswers(url: string, alias: string): Promise<void> {
  const address = `${url}${alias === "" ? "" : `/${alias}`}/_CheckService`;
  const response = await fetch(address, { redirect: "manual" }).catch((cause: unknown) => {
    throw new Error(`No server answers at ${address}.`, { cause });
  });
  const envelope = envelopeOf({ status: response.status, text: await response.text() });
  if (envelope === null) throw new Error(`${address} answers with HTTP ${response.status}, and is not a service.`);
}

function connectedService(url: string, options: ConnectOptions): TestService {
  const { appKey, users = {}, appNames = ["test-app"], alias: only = "", ids = {}, passwordHash = "md5" } = options;
  const [known, named] = [new Map(Object.entries(users)), new Map(Object.entries(ids))];
  const userOf = (name: string): ConnectedUser => {
    const user = known.get(name);
    if (user === undefined) throw new TypeError(`The option \`users\` of the connected service has no "${name}".`);
    return typeof user === "string" ? { password: user } : user;
  };
  const access: Access = {
    appKey,
    appNames,
    passwordOf: (name) => userOf(name).password,
    nameOf: (name) => userOf(name).name ?? name,
    secondFactorOf: (name) => userOf(name).secondFactor ?? null,
  };
  const observer = new AgentObserver();
  const agents = new Set<Agent>();
  const host: AgentHost = {
    url: async () => url,
    alias: only,
    access: (alias) => (alias === only ? access : needsInside(`The database "${alias}"`)),
    administrationKey: async () => {
      if (options.administrationKey !== undefined) return options.administrationKey;
      throw new TypeError("The connected service has no option `administrationKey`.");
    },
    authenticators: new Map(),
    now: () => Date.now(),
    passwordHash: () => passwordHash,
    nameHolder: () => {},
    provider: () => needsInside("service.providers"),
    resets: () => 0,
    check: (headers) => {
      if (headers.includes(failureHeader)) needsInside(`The header ${failureHeader}`);
    },
    answered: (exchange) => {
      observer.answered(exchange);
      recordShape(exchange);
    },
  };
  const agent = (user: string | null, agentOptions: ConstructorParameters<typeof Agent>[2]): Agent => {
    if (agentOptions.secondFactor === true) needsInside("`secondFactor: true`");
    const made = new Agent(host, user, agentOptions);
    agents.add(made);
    return made;
  };
  const service: TestService = Object.defineProperties(
    {
      url,
      isConnected: true,
      as: (user: string, agentOptions = {}) => agent(user, agentOptions),
      anonymous: (agentOptions = {}) => agent(null, agentOptions),
      id: (name: string) => {
        const id = named.get(name);
        if (id === undefined) throw new TypeError(`The option \`ids\` of the connected service has no "${name}".`);
        return id;
      },
      onAnswered: (listener: (request: AnsweredRequest) => void) => observer.subscribe(listener),
      close: async () => {
        for (const each of agents) await each.release();
      },
    },
    insideMembers,
  ) as unknown as TestService;
  recordExercises(service);
  return service;
}

/** The members of a service that need its inside. */
const inside: Readonly<Record<keyof ServiceInside, true>> = {
  app: true,
  clock: true,
  timers: true,
  mail: true,
  licences: true,
  providers: true,
  fail: true,
  seed: true,
  administrationKey: true,
  why: true,
  audit: true,
  journal: true,
  record: true,
  reset: true,
};

const insideMembers: PropertyDescriptorMap = Object.fromEntries(
  Object.keys(inside).map((name) => [name, { get: () => needsInside(`service.${name}`) }]),
);

function needsInside(what: string): never {
  throw new Error(`${what} needs the inside of a service. A connected service has none: use \`startTestService\`.`);
}
