import { AggregatorRegistry } from "prom-client";
import type { MetricValues } from "../monitoring/metrics.ts";

/** Gauges describe the present, of which an ended worker has none. */
const countedTypes: ReadonlySet<string> = new Set(["counter", "histogram"]);

/**
 * The metrics of all workers together. The counts of ended workers stay in the sums: monitoring takes a counter that falls
 * for a restart and counts all of it again.
 */
export class SummedMetrics<Worker> {
  private readonly last = new Map<Worker, MetricValues>();
  private ofEnded: MetricValues = [];
  /** The additions so far. */
  private adding: Promise<void> = Promise.resolve();

  /** Replaces the values of a worker. */
  reported(worker: Worker, values: MetricValues): void {
    this.last.set(worker, values);
  }

  /** Keeps the counts of a worker, as last reported. */
  ended(worker: Worker): Promise<void> {
    this.adding = this.adding.then(async () => {
      const counts = this.last.get(worker)?.filter(({ type }) => countedTypes.has(String(type))) ?? [];
      const sum = await AggregatorRegistry.aggregate([this.ofEnded, counts]).getMetricsAsJSON();
      this.ofEnded = sum;
      this.last.delete(worker);
    });
    return this.adding;
  }

  async text(): Promise<string> {
    await this.adding;
    return AggregatorRegistry.aggregate([...this.last.values(), this.ofEnded]).metrics();
  }
}
