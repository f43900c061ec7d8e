import type { RecordCount } from "@sallyport/storage";
import {
  type Delivery,
  type ExecutedMacro,
  type LicenceDelivery,
  type MacroRuntime,
  type PasswordHasher,
  rateKinds,
  type RanHook,
  type WaitingMail,
} from "@sallyport/core";
import type { Application, DatabaseDirectory, RequestObserver, RequestRecord } from "@sallyport/http";
import type { ReplicaReads, ReplicaState } from "@sallyport/storage-knex";
import type { WrittenRefusal } from "./refusal-writer.ts";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** State of a connection pool. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Reads that could use replicas, and the replicas. */
export interface ReplicatedPool {
  readonly reads: Readonly<ReplicaReads>;
  readonly states: readonly ReplicaState[];
}

/** Upper bounds, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of one process, with the aggregation of each over several. */
export type MetricValues = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** Metrics of the server in a separate registry. */
export class Metrics implements RequestObserver {
  private readonly registry = registryOfProcess();
  private readonly requests = this.counter(
    "sallyport_requests_total",
    "Number of requests by route, method, HTTP status and error code.",
    ["route", "method", "status", "code"],
  );
  private readonly items = this.counter(
    "sallyport_multi_items_total",
    "Number of multi request items by route, method, HTTP status and error code.",
    ["route", "method", "status", "code"],
  );
  private readonly durations = this.histogram(
    "sallyport_request_duration_seconds",
    "Time from the arrival of a request to the end of its response.",
    ["route"],
  );
  private readonly executions = this.counter(
    "sallyport_macro_executions_total",
    "Number of macro executions by error code.",
    ["code"],
  );
  private readonly executionTimes = this.histogram(
    "sallyport_macro_duration_seconds",
    "Duration of a macro execution, including its wait for a thread.",
  );
  private readonly executionRunning = this.counter(
    "sallyport_macro_cpu_seconds_total",
    "CPU time of finished macro executions, excluding waits and nested calls.",
  );
  private readonly mails = this.counter(
    "sallyport_mail_total",
    "Number of delivery attempts by outcome: sent, rejected, deferred, unavailable, failed, skipped, superseded.",
    ["outcome"],
  );
  private readonly licenceSends = this.counter(
    "sallyport_licence_messages_total",
    "Number of attempts to send queued licence messages by outcome: sent, failed, superseded.",
    ["outcome"],
  );
  private readonly explanations = this.counter(
    "sallyport_explanations_total",
    "Number of refused requests by outcome of their explanation: stored, exists, full, dropped, failed.",
    ["outcome"],
  );
  private readonly hookRuns = this.counter(
    "sallyport_hook_runs_total",
    "Number of hook calls by event and error code. One call handles a batch of objects.",
    ["event", "code"],
  );
  private readonly hookTimes = this.histogram(
    "sallyport_hook_duration_seconds",
    "Duration of a hook call, including its database access.",
    ["event"],
  );
  /** Outbox state per database at its last poll. */
  private readonly waitingMail = new Map<string, WaitingMail>();
  private readonly waitingLicences = new Map<string, RecordCount>();
  /** Milliseconds since the beginning of the oldest transaction that keeps changes from devices, per database. */
  private readonly heldWatermarks = new Map<string, number>();

  constructor() {
    this.gauge("sallyport_workers", "Number of processes of the server that serve requests.", () => 1);
    const watch = this.gauges("alias", () => this.waitingMail);
    watch(
      "sallyport_mail_waiting",
      "Number of messages in the outbox at its last poll. All servers of a database report the same value.",
      ({ count }) => count,
    );
    watch("sallyport_mail_oldest_seconds", "Age of the oldest message in the outbox.", ({ oldest }) => oldest / 1000);
    watch("sallyport_mail_stuck_seconds", "Duration of the current mail outage.", ({ stuck }) => stuck / 1000);
    this.gauges("alias", () => this.heldWatermarks)(
      "sallyport_sync_watermark_age_seconds",
      "Age of the oldest open transaction that keeps changes from devices; 0 without one.",
      (age) => age / 1000,
    );
    const watchLicences = this.gauges("alias", () => this.waitingLicences);
    watchLicences(
      "sallyport_licence_messages_waiting",
      "Number of licence messages in the queue at its last poll. All servers of a database report the same value.",
      ({ count }) => count,
    );
    watchLicences(
      "sallyport_licence_messages_oldest_seconds",
      "Age of the oldest licence message in the queue.",
      ({ oldest }) => oldest / 1000,
    );
  }

  ranHook({ on, code, milliseconds }: RanHook): void {
    this.hookRuns.inc({ event: on, code });
    this.hookTimes.observe({ event: on }, milliseconds / 1000);
  }

  answered({ route, method, status, code, duration, items = [] }: RequestRecord): void {
    // Labels contain only names known to the server. Client input would create unlimited time series.
    const routeLabel = route ?? "none";
    this.requests.inc({ route: routeLabel, method: route === null ? "any" : method, status, code });
    this.durations.observe({ route: routeLabel }, duration / 1000);
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
    incompleteBodies,
    transfers,
    sendBufferBytes,
    connections,
  }: Pick<Application, "load" | "incompleteBodies" | "transfers" | "sendBufferBytes" | "connections">): void {
    this.gauge("sallyport_requests_in_flight", "Number of requests in progress.", () => load.current);
    this.gauge(
      "sallyport_incomplete_bodies",
      "Number of requests with an incomplete body.",
      () => incompleteBodies.current,
    );
    this.gauge("sallyport_transfers", "Number of files that are uploaded or downloaded.", () => transfers.current);
    this.gauge(
      "sallyport_send_buffer_bytes",
      "Size of the responses that clients have not received yet.",
      () => sendBufferBytes.current,
    );
    this.gauge("sallyport_connections", "Number of client connections.", () => connections.size);
    const dropped = {
      name: "sallyport_connections_dropped_total",
      help: "Number of connections closed because of a connection limit.",
    };
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(connections.dropped);
    };
    this.registry.registerMetric(new Counter({ ...dropped, registers: [], collect }));
  }

  watchRates(databases: DatabaseDirectory): void {
    const help = "Number of requests and items refused with 800, by the rate that they exceeded.";
    const collect = function (this: Counter): void {
      this.reset();
      for (const [alias, database] of databases)
        for (const limit of rateKinds) this.inc({ alias, limit }, database?.limits.rates.refused[limit] ?? 0);
    };
    const labelNames = ["alias", "limit"];
    const name = "sallyport_rate_limited_total";
    this.registry.registerMetric(new Counter({ name, help, labelNames, registers: [], collect }));
  }

  watchPools(pools: () => ReadonlyMap<string, PoolState>): void {
    const watch = this.gauges("pool", pools, "sum");
    watch("sallyport_pool_connections", "Number of connections to the database server.", ({ total }) => total);
    watch("sallyport_pool_idle_connections", "Number of idle connections.", ({ idle }) => idle);
    watch("sallyport_pool_waiting", "Number of requests that wait for a connection.", ({ waiting }) => waiting);
  }

  watchReplicas(pools: () => ReadonlyMap<string, ReplicatedPool>): void {
    const name = "sallyport_replica_reads_total";
    const help =
      "Number of reads of lists by outcome: served by a replica; or read on the primary because the replicas were behind, failed or unavailable.";
    const collect = function (this: Counter): void {
      this.reset();
      for (const [pool, { reads }] of pools())
        for (const [outcome, count] of Object.entries(reads)) this.inc({ pool, outcome }, count);
    };
    this.registry.registerMetric(new Counter({ name, help, labelNames: ["pool", "outcome"], registers: [], collect }));
    const watch = this.gauges("replica", () => {
      const states = Array.from(pools().values()).flatMap((pool) => pool.states);
      return new Map(states.map((state) => [state.name, state]));
    });
    watch("sallyport_replica_up", "Whether the replica takes reads.", ({ fault }) => (fault === null ? 1 : 0));
    watch(
      "sallyport_replica_lag_seconds",
      "Time for which the replica has lacked a state of the primary.",
      ({ lag }) => lag / 1000,
    );
  }

  watchPasswords(pending: () => number): void {
    this.gauge("sallyport_password_hashes_pending", "Number of password hashes in progress or waiting.", pending);
  }

  executed({ code, milliseconds, cpu }: ExecutedMacro): void {
    this.executions.inc({ code });
    this.executionTimes.observe(milliseconds / 1000);
    this.executionRunning.inc(cpu / 1000);
  }

  delivered(outcome: Delivery["kind"]): void {
    this.mails.inc({ outcome });
  }

  explained(outcome: WrittenRefusal): void {
    this.explanations.inc({ outcome });
  }

  mailWaits(alias: string, waiting: WaitingMail): void {
    this.waitingMail.set(alias, waiting);
  }

  /** Forgets the state of a database that is no longer served. */
  forget(alias: string): void {
    this.waitingMail.delete(alias);
    this.waitingLicences.delete(alias);
    this.heldWatermarks.delete(alias);
  }

  watermarkHeld(alias: string, age: number): void {
    this.heldWatermarks.set(alias, age);
  }

  licenceMessage(outcome: LicenceDelivery["kind"]): void {
    this.licenceSends.inc({ outcome });
  }

  licenceMessagesWait(alias: string, waiting: RecordCount): void {
    this.waitingLicences.set(alias, waiting);
  }

  watchMacros(runtime: Pick<MacroRuntime, "load">): void {
    this.gauge(
      "sallyport_macros_running",
      "Number of started macro executions, including those that wait for the server.",
      () => runtime.load.busy,
    );
    this.gauge(
      "sallyport_macros_waiting",
      "Number of macro executions that wait for a thread.",
      () => runtime.load.waiting,
    );
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.contentType, text: await this.registry.metrics() };
  }

  /** For the sum over all workers. */
  values(): Promise<MetricValues> {
    return this.registry.getMetricsAsJSON();
  }

  private counter<Label extends string = never>(name: string, help: string, labelNames: Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram<Label extends string = never>(name: string, help: string, labelNames: Label[] = []) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** The sum over all workers is that of their values. */
  private gauge(name: string, help: string, read: () => number): void {
    const collect = function (this: Gauge): void {
      this.set(read());
    };
    this.registry.registerMetric(new Gauge({ name, help, registers: [], collect }));
  }

  /** Creates gauges with one labelled value per state. Workers that share the state report the same one. */
  private gauges<State>(label: string, states: () => ReadonlyMap<string, State>, aggregator: "sum" | "max" = "max") {
    return (name: string, help: string, read: (state: State) => number): void => {
      const collect = function (this: Gauge): void {
        this.reset();
        for (const [each, state] of states()) this.set({ [label]: each }, read(state));
      };
      this.registry.registerMetric(new Gauge({ name, help, labelNames: [label], registers: [], aggregator, collect }));
    };
  }
}

let ofProcess: Registry | undefined;

/** A new registry with the metrics of the process, which all servers of the process share: their observers never end. */
function registryOfProcess(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess]);
}

/** Counts the pending work of a password hasher. */
export class CountedPasswordHasher implements PasswordHasher {
  private inHand = 0;

  constructor(private readonly hasher: PasswordHasher) {}

  /** Number of passwords that are being hashed or queued. */
  get pending(): number {
    return this.inHand;
  }

  hash(password: string): Promise<string> {
    return this.counted(this.hasher.hash(password));
  }

  verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean> {
    return this.counted(this.hasher.verify(encoded, password, decoy));
  }

  isOutdated(encoded: string): boolean {
    return this.hasher.isOutdated(encoded);
  }

  private async counted<T>(work: Promise<T>): Promise<T> {
    this.inHand += 1;
    try {
      return await work;
    } finally {
      this.inHand -= 1;
    }
  }
}
