import type { MetricValues } from "../monitoring/metrics.ts";

/** How a server leaves. */
export interface Leaving {
  /** Milliseconds to serve requests before the server finishes; default: 0. */
  readonly delay: number;
  /**
   * Whether another process serves the same port. The server then stays ready and accepts no new connections during the
   * delay, which ends with the last connection. Default: false.
   */
  readonly isReplaced: boolean;
}

/** Messages of a worker to its primary process. */
export type WorkerMessage =
  /** It serves requests at this URL. */
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "collected"; readonly values: MetricValues }
  | { readonly kind: "sumMetrics" };

/** Messages of the primary process to a worker. */
export type PrimaryMessage =
  | { readonly kind: "leave"; readonly leaving: Leaving }
  | { readonly kind: "collect" }
  | { readonly kind: "metrics"; readonly text: string };

/** The link of a worker to its primary process. */
export class WorkerLink {
  private collect: () => Promise<MetricValues> = async () => [];
  private sums: ((text: string) => void)[] = [];

  /**
   * @param number from 1; a worker that replaces another has the same
   * @param leave called when the worker has to finish, and again if it has to finish sooner
   */
  constructor(
    readonly number: number,
    leave: (leaving: Leaving) => void,
  ) {
    process.on("message", (message: PrimaryMessage) => {
      if (message.kind === "leave") leave(message.leaving);
      else if (message.kind === "collect") void this.reportMetrics();
      else if (message.kind === "metrics") for (const resolve of this.sums.splice(0)) resolve(message.text);
    });
  }

  /** Sets what reads the metrics of this worker. */
  onCollect(collect: () => Promise<MetricValues>): void {
    this.collect = collect;
  }

  /** Tells that the worker serves requests. */
  ready(url: string): Promise<void> {
    return this.send({ kind: "ready", url });
  }

  /** Sends the metrics of this worker. Those of its end are part of all later sums. */
  async reportMetrics(): Promise<void> {
    await this.send({ kind: "collected", values: await this.collect() });
  }

  /** The metrics of all workers together as text. */
  summedMetrics(): Promise<string> {
    return new Promise((resolve) => {
      this.sums.push(resolve);
      if (this.sums.length === 1) void this.send({ kind: "sumMetrics" });
    });
  }

  /** Resolves when the message is sent, or cannot be: the worker ends with its primary process. */
  private send(message: WorkerMessage): Promise<void> {
    return new Promise((resolve) => {
      if (process.connected) process.send?.(message, () => resolve());
      else resolve();
    });
  }
}
