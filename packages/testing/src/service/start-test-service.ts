import { checkContent, checkOptions, startTestServer, type TestServer } from "@sallyport/server/testing";
import { Agent, type AgentHost, type AgentOptions } from "../agents/agent.ts";
import { recordExercises } from "../coverage/exercises.ts";
import { millisecondsOf } from "../clock/duration.ts";
import { failuresOf } from "../failures/route-failures.ts";
import { recordRefusals } from "../matchers/recorded-refusals.ts";
import { testProviders } from "../providers/test-provider.ts";
import { startRecording } from "../record/recording.ts";
import { LicenceTrap } from "../traps/licence-trap.ts";
import { MailTrap, mailTransport } from "../traps/mail-trap.ts";
import { startTestEnvironment, type TestEnvironment } from "./test-environment.ts";
import { type Access, accessTo, type DatabaseContent, withDefaults } from "./database-content.ts";
import { Journal } from "./journal.ts";
import type { TestService } from "./test-service.ts";

export interface TestServiceOptions {
  /** Content of the databases by alias. `demo`: that of the demo. Default: the demo at the empty alias. */
  readonly databases?: Readonly<Record<string, DatabaseContent | "demo">>;
  /**
   * Where the data is. `memory`: in this process. `embedded`: in Postgres inside this process. `postgres`: the URL of a
   * server, on which the role can create databases. `module`: the absolute path of a storage adapter, whose
   * `openStorage` gets the options and the alias; such a service cannot be reset. Default: `memory`.
   */
  readonly storage?:
    | "memory"
    | "embedded"
    | { readonly postgres: string }
    | { readonly module: string; readonly options?: Readonly<Record<string, unknown>> };
  /** Whether the service has a URL, or its port on this machine. Default: false. */
  readonly listen?: boolean | number;
  /** Whether to start fake Google, Facebook, Microsoft and Apple for `service.providers`. Default: false. */
  readonly providers?: boolean;
  /** Whether to report licence seats to `service.licences`. Default: false. */
  readonly licences?: boolean;
  /** Settings as in `sallyport.config.json`, without `databases`. */
  readonly configuration?: Readonly<Record<string, unknown>>;
}

/** Starts a service in this process. Rejects with a `TypeError` for unknown or invalid options and content. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  checkOptions(options);
  const { databases = { "": "demo" }, storage = "memory", listen = false, configuration = {} } = options;
  const contents = Object.fromEntries(
    Object.entries(databases).map(([alias, content]) => [alias, withDefaults(content)] as const),
  );
  const environment = await startTestEnvironment(options);
  let server: TestServer | undefined;
  try {
    server = await startTestServer({
      databases: contents,
      storage,
      configuration: environment.configuration(configuration),
      mailer: mailTransport(environment.mail),
    });
    const url = listen === false ? null : await server.listen(listen === true ? 0 : listen);
    await environment.registerProviders(server, Object.keys(contents));
    return serviceOf(server, new Map(Object.entries(contents)), url, environment);
  } catch (error) {
    await close(server, environment).catch(() => {});
    throw error;
  }
}

async function close(server: TestServer | undefined, environment: TestEnvironment): Promise<void> {
  try {
    await server?.close();
  } finally {
    await environment.close();
  }
}

function serviceOf(
  server: TestServer,
  contents: ReadonlyMap<string, DatabaseContent | "demo">,
  url: string | null,
  environment: TestEnvironment,
): TestService {
  let resets = 0;
  const access = (alias: string): Access => {
    const content = contents.get(alias);
    if (content === undefined) throw new TypeError(`There is no database with the alias "${alias}".`);
    return accessTo(content);
  };
  const host: AgentHost = {
    url: () => server.listen(),
    alias: "",
    access,
    administrationKey: (alias) => server.administrationKey(alias),
    authenticators: new Map(),
    now: () => server.clock.now(),
    passwordHash: (alias) => server.database(alias).policy.clientHash,
    nameHolder: (credential, mode, user) => server.answered.nameHolder(credential, mode, user),
    provider: (name) => providers()[name],
    resets: () => resets,
    check: () => {},
    answered: () => {},
  };
  const { mail, fakes, receiver } = environment;
  const fakeProviders = fakes === null ? null : testProviders(fakes, host);
  const providers = () => fakeProviders ?? missing("fake providers", "providers");
  const trapOf = (timer: "mail" | "licences") => ({
    deliver: () => server.timers.run(timer),
    onAnswered: (listener: () => void) => server.answered.subscribe(listener),
  });
  const licences = receiver === null ? null : new LicenceTrap(trapOf("licences"), receiver);
  const journal = new Journal(server);
  const resetListeners = new Set<() => void>();
  const service: TestService = {
    isConnected: false,
    app: server.listener,
    get url(): string {
      if (url === null) throw new Error("The service does not listen. Start it with `listen: true`.");
      return url;
    },
    clock: {
      advance: (duration) => server.clock.advance(millisecondsOf(duration)),
      now: () => server.clock.now(),
    },
    timers: {
      run: (name) => server.timers.run(name),
      runAll: () => server.timers.runAll(),
    },
    mail: new MailTrap(trapOf("mail"), mail),
    get licences() {
      return licences ?? missing("licence server", "licences");
    },
    get providers() {
      return providers();
    },
    as: (user, options: AgentOptions = {}) => new Agent(host, user, options),
    anonymous: (options = {}) => new Agent(host, null, options),
    fail: (route) => failuresOf(server, route),
    seed: async (content, alias = "") => {
      checkContent(content);
      await server.seed(alias, content);
    },
    id: (name, alias = "") => server.idOf(alias, name),
    administrationKey: (alias = "") => server.administrationKey(alias),
    why: (requestId, alias = "") => server.why(alias, requestId),
    audit: async (alias = "") =>
      (await server.audit(alias)).map(({ actorId, subjectId, ...event }) => ({
        ...event,
        actor: actorId === null ? null : (server.nameOf(alias, actorId) ?? actorId),
        subject: subjectId === null ? null : (server.nameOf(alias, subjectId) ?? subjectId),
      })),
    onAnswered: (listener) => journal.subscribe(listener),
    get journal() {
      return journal.requests;
    },
    record: (name, recordOptions = {}) =>
      startRecording(name, recordOptions, {
        databases: contents,
        nameOf: (alias, id) => server.nameOf(alias, id),
        onAnswered: (listener) => journal.subscribe(listener),
        onReset: (listener) => void resetListeners.add(listener),
      }),
    reset: async () => {
      for (const listener of resetListeners) listener();
      await server.reset();
      resets += 1;
      host.authenticators.clear();
      journal.clear();
      service.mail.clear();
      licences?.clear();
    },
    close: async () => {
      for (const listener of resetListeners) listener();
      await close(server, environment);
    },
  };
  recordRefusals(service);
  recordExercises(service);
  return service;
}

function missing(thing: string, option: string): never {
  throw new Error(`The service has no ${thing}. Start it with \`${option}: true\`.`);
}
