import { ServiceError } from "@sallyport/storage";

/** A connection outside the pool. It sends one trivial query, which a running server answers at once. */
export interface Probe {
  ask(): Promise<unknown>;
  close(): void;
}

interface ServerWatchParts {
  /** Maximum milliseconds for any answer, accurate to a quarter, even if the probe succeeds. */
  readonly limit: number;
  /** `performance.now()` at the start of the oldest pending query; `undefined` if no query is pending. */
  readonly waitingSince: () => number | undefined;
  /** Cuts the connections with queries that started before then. */
  readonly cut: (before: number) => void;
  /** Opens a probe connection; does not wait for it. */
  readonly probe: () => Probe;
}

type Abort = (error: ServiceError) => void;

/** Milliseconds after which an answer is late, and the probe checks the server. */
const late = 1_000;
/** Timeout of the probe in milliseconds. Together with `late` it keeps every wait for a frozen server below 5 s. */
const waitTimeout = 2_500;

/**
 * Tells a frozen server (a stopped machine, an unplugged cable) from a slow statement. When an answer is late, a probe queries the
 * server on a connection of its own. If the probe gets no answer either, all pending queries fail, and requests for a connection are
 * refused until the server answers a probe again.
 */
export class ServerWatch {
  private readonly timer: NodeJS.Timeout;
  private readonly waiters = new Set<Abort>();
  private probe: Probe | null = null;
  private checking = false;
  private frozen = false;

  constructor(private readonly parts: ServerWatchParts) {
    this.timer = setInterval(() => this.look(), Math.min(late / 4, Math.max(10, parts.limit / 4))).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.leaveProbe();
  }

  /** Waits for a connection; 704 if the server is frozen, or is found to be frozen before. A connection that arrives later goes to `release`. */
  async connected<T>(connecting: () => Promise<T>, release: (connection: T) => void): Promise<T> {
    if (this.frozen) throw isFrozen();
    let abort: Abort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = reject;
    });
    this.waiters.add(abort);
    const connection = connecting();
    try {
      return await Promise.race([connection, aborted]);
    } catch (error) {
      connection.then(release).catch(() => {});
      throw error;
    } finally {
      this.waiters.delete(abort);
    }
  }

  private look(): void {
    const now = performance.now();
    this.parts.cut(now - this.parts.limit);
    if (this.checking) return;
    const since = this.parts.waitingSince();
    if (this.frozen || (since !== undefined && now - since > late)) void this.check();
    else this.leaveProbe();
  }

  private async check(): Promise<void> {
    this.checking = true;
    this.frozen = !(await this.answers());
    this.checking = false;
    if (!this.frozen) return;
    this.leaveProbe();
    this.parts.cut(Number.POSITIVE_INFINITY);
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const abort of waiters) abort(isFrozen());
  }

  /** Whether the server answers the probe in time. An error, such as too many connections, is an answer. */
  private async answers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      // After a pause of this process, an answer that has arrived is read before the verdict.
      timer = setTimeout(() => setImmediate(() => resolve(false)), waitTimeout);
    });
    const answered = await Promise.race([this.ask(), timeout]);
    clearTimeout(timer);
    return answered;
  }

  private async ask(): Promise<true> {
    let current: Probe | null = null;
    try {
      current = this.probe ??= this.parts.probe();
      await current.ask();
    } catch {
      // A probe that timed out fails later, when another one may have replaced it.
      if (this.probe === current) this.leaveProbe();
    }
    return true;
  }

  private leaveProbe(): void {
    this.probe?.close();
    this.probe = null;
  }
}

function isFrozen(): ServiceError {
  return new ServiceError(704, { detail: "The database server does not respond." });
}
