import type { Application, LoadGauge, Operations, Readiness } from "@sallyport/http";
import type { Configuration } from "../configuration/index.ts";
import type { Metrics } from "./metrics.ts";
import type { ReadinessProbe } from "./readiness-probe.ts";

/** Answers those who run the server. */
export class ServerOperations implements Operations {
  readonly metricsAccess: Configuration["metrics"]["access"];
  private load: LoadGauge | undefined;

  constructor(
    private readonly probe: ReadinessProbe,
    private readonly measured: Metrics,
    { metrics }: Pick<Configuration, "metrics">,
  ) {
    this.metricsAccess = metrics.access;
  }

  /** A server that drains is not ready. */
  watch(application: Application): void {
    this.load = application.load;
    this.measured.watchLoad(application);
  }

  async readiness(): Promise<Readiness> {
    const readiness = await this.probe.read();
    return this.load?.isDraining === true ? { ...readiness, ready: false } : readiness;
  }

  metrics(): Promise<{ contentType: string; text: string }> {
    return this.measured.text();
  }
}
