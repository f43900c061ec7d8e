import type { Delivery, ExecutedMacro, MacroRuntime, PasswordHasher, RanHook, WaitingMail } from "@sallyport/core";
import type { Application, RequestObserver, RequestRecord } from "@sallyport/http";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** State of a connection pool at one moment. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Upper bounds, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the server counts and measures, in a registry of its own. */
export class Metrics implements RequestObserver {
  private readonly registry = new Registry();
  private readonly requests: Counter<"route" | "method" | "status" | "code">;
  private readonly durations: Histogram<"route">;
  private readonly items: Counter<"route" | "method" | "status" | "code">;
  private readonly executions: Counter<"code">;
  private readonly executionTimes: Histogram;
  private readonly executionRunning: Counter;
  private readonly hookRuns: Counter<"event" | "code">;
  private readonly hookTimes: Histogram<"event">;
  private readonly mails: Counter<"outcome">;
  /** What waited when each outbox was last looked into. */
  private readonly waitingMail = new Map<string, WaitingMail>();

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Counter({
      name: "sallyport_requests_total",
      help: "Requests answered, by route, method, HTTP status and internal status.",
      labelNames: ["route", "method", "status", "code"],
      registers,
    });
    this.items = new Counter({
      name: "sallyport_multi_items_total",
      help: "Items of multi requests, by route, method, HTTP status and internal status.",
      labelNames: ["route", "method", "status", "code"],
      registers,
    });
    this.durations = new Histogram({
      name: "sallyport_request_duration_seconds",
      help: "Time from the arrival of a request to the end of its answer.",
      labelNames: ["route"],
      buckets,
      registers,
    });
    this.executions = new Counter({
      name: "sallyport_macro_executions_total",
      help: "Macros that clients had executed, by internal status.",
      labelNames: ["code"],
      registers,
    });
    this.executionTimes = new Histogram({
      name: "sallyport_macro_duration_seconds",
      help: "Time of an execution, with its wait for a thread.",
      buckets,
      registers,
    });
    this.executionRunning = new Counter({
      name: "sallyport_macro_cpu_seconds_total",
      help: "Time for which macros ran that came to an end, without what they waited for and called.",
      registers,
    });
    this.mails = new Counter({
      name: "sallyport_mail_total",
      help: "Attempts to send a mail, by outcome: sent, refused, later, stuck, failed, nobody, lost.",
      labelNames: ["outcome"],
      registers,
    });
    this.watchMail();
    this.hookRuns = new Counter({
      name: "sallyport_hook_runs_total",
      help: "Calls of hooks, each for all objects that it is given at once, by event and internal status.",
      labelNames: ["event", "code"],
      registers,
    });
    this.hookTimes = new Histogram({
      name: "sallyport_hook_duration_seconds",
      help: "Time of a call of a hook, with what it asks of the database.",
      labelNames: ["event"],
      buckets,
      registers,
    });
  }

  ranHook({ on, code, milliseconds }: RanHook): void {
    this.hookRuns.inc({ event: on, code });
    this.hookTimes.observe({ event: on }, milliseconds / 1000);
  }

  answered({ route, method, status, code, duration, items = [] }: RequestRecord): void {
    // Only names that the server itself knows become labels: a client could invent any number of others.
    const known = route ?? "none";
    this.requests.inc({ route: known, method: route === null ? "any" : method, status, code });
    this.durations.observe({ route: known }, duration / 1000);
    for (const item of items) {
      this.items.inc({
        route: item.route ?? "none",
        method: item.method ?? "any",
        status: item.status,
        code: item.code,
      });
    }
  }

  watchLoad({
    load,
    awaitedBodies,
    untakenBytes,
    connections,
  }: Pick<Application, "load" | "awaitedBodies" | "untakenBytes" | "connections">): void {
    this.gauge("sallyport_requests_in_flight", "Requests in work.", (gauge) => gauge.set(load.current));
    this.gauge("sallyport_bodies_awaited", "Requests whose body is still to come.", (gauge) =>
      gauge.set(awaitedBodies.current),
    );
    this.gauge("sallyport_untaken_bytes", "Bytes of answers that clients have not taken yet.", (gauge) =>
      gauge.set(untakenBytes.current),
    );
    this.gauge("sallyport_connections", "Connections of clients.", (gauge) => gauge.set(connections.size));
    const dropped = {
      name: "sallyport_connections_dropped_total",
      help: "Connections closed because there were too many.",
    };
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(connections.dropped);
    };
    this.registry.registerMetric(new Counter({ ...dropped, registers: [], collect }));
  }

  watchPools(pools: () => ReadonlyMap<string, PoolState>): void {
    const watch = (name: string, help: string, read: (state: PoolState) => number) =>
      this.gauge(
        name,
        help,
        (gauge) => {
          for (const [pool, state] of pools()) gauge.set({ pool }, read(state));
        },
        ["pool"],
      );
    watch("sallyport_pool_connections", "Connections to a database server.", ({ total }) => total);
    watch("sallyport_pool_idle_connections", "Connections that nobody uses at the moment.", ({ idle }) => idle);
    watch("sallyport_pool_waiting", "Requests that wait for a connection.", ({ waiting }) => waiting);
  }

  watchPasswords(pending: () => number): void {
    this.gauge("sallyport_password_hashes_pending", "Passwords being hashed or waiting for it.", (gauge) =>
      gauge.set(pending()),
    );
  }

  executed({ code, milliseconds, cpu }: ExecutedMacro): void {
    this.executions.inc({ code });
    this.executionTimes.observe(milliseconds / 1000);
    this.executionRunning.inc(cpu / 1000);
  }

  delivered(outcome: Delivery["kind"]): void {
    this.mails.inc({ outcome });
  }

  mailWaits(alias: string, waiting: WaitingMail): void {
    this.waitingMail.set(alias, waiting);
  }

  private watchMail(): void {
    const watch = (name: string, help: string, read: (waiting: WaitingMail) => number) =>
      this.gauge(
        name,
        help,
        (gauge) => {
          for (const [alias, waiting] of this.waitingMail) gauge.set({ alias }, read(waiting));
        },
        ["alias"],
      );
    watch(
      "sallyport_mail_waiting",
      "Orders in the outbox when it was last looked into; the same at all servers of a database.",
      ({ count }) => count,
    );
    watch("sallyport_mail_oldest_seconds", "How long the longest has waited.", ({ oldest }) => oldest / 1000);
    watch("sallyport_mail_stuck_seconds", "For how long no mail could be handed over.", ({ stuck }) => stuck / 1000);
  }

  watchMacros(runtime: Pick<MacroRuntime, "load">): void {
    this.gauge(
      "sallyport_macros_running",
      "Executions that have begun, those that wait for the server included.",
      (gauge) => gauge.set(runtime.load.busy),
    );
    this.gauge("sallyport_macros_waiting", "Executions that wait to begin.", (gauge) =>
      gauge.set(runtime.load.waiting),
    );
  }

  async text(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  private gauge(name: string, help: string, read: (gauge: Gauge) => void, labelNames: string[] = []): void {
    const collect = function (this: Gauge): void {
      read(this);
    };
    this.registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect }));
  }
}

/** Counts the work that a password hasher has in hand. */
export class CountedPasswordHasher implements PasswordHasher {
  private inHand = 0;

  constructor(private readonly hasher: PasswordHasher) {}

  /** Passwords being hashed or waiting for it. */
  get pending(): number {
    return this.inHand;
  }

  hash(password: string): Promise<string> {
    return this.counted(() => this.hasher.hash(password));
  }

  verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean> {
    return this.counted(() => this.hasher.verify(encoded, password, decoy));
  }

  isOutdated(encoded: string): boolean {
    return this.hasher.isOutdated(encoded);
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    this.inHand += 1;
    try {
      return await work();
    } finally {
      this.inHand -= 1;
    }
  }
}
