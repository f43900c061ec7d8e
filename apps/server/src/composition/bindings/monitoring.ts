import { type After } from "@sallyport/core";
import { allObservers, RequestLog, SlowQueryLog } from "../../monitoring/request-log.ts";
import { IndexKeeper } from "../../background/index-keeper.ts";
import { Metrics } from "../../monitoring/metrics.ts";
import { RefusalWriter } from "../../monitoring/refusal-writer.ts";
import { ReadinessProbe, ServerMonitoring } from "../../monitoring/server-monitoring.ts";
import { TrafficWriter } from "../../monitoring/traffic-writer.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";

const { configuration, databases, keyRings, logger, metrics } = components;

/** Metrics, logs and health for operators. */
export const monitoringFactories = {
  now: functionFactory(() => () => Date.now(), []),
  after: functionFactory(() => after, []),
  metrics: functionFactory(
    (engines, hasher, macroRuntime, log) => {
      const measured = new Metrics();
      measured.watchPools(() => engines.pools());
      measured.watchReplicas(() => engines.replicas());
      engines.onReplicaChange = ({ name, fault }) => {
        if (fault === null) log.info({ replica: name }, "Replica takes reads");
        else log.warn({ replica: name, reason: fault }, "Replica left out");
      };
      measured.watchPasswords(() => hasher.pending);
      measured.watchMacros(macroRuntime);
      return measured;
    },
    [components.engines, components.hasher, components.macroRuntime, logger],
  ),
  indexKeeper: classFactory(IndexKeeper, [logger]),
  monitoring: functionFactory(
    (served, rings, measured, configured, link) => {
      measured.watchRates(served);
      return new ServerMonitoring(new ReadinessProbe(served, rings), measured, configured, link);
    },
    [databases, keyRings, metrics, configuration, components.worker],
  ),
  slowQueries: functionFactory(
    ({ log: { slowQueryThreshold } }, log) => new SlowQueryLog(log, slowQueryThreshold),
    [configuration, logger],
  ),
  refusalWriter: functionFactory(
    ({ explanationsPerSecond }, measured) =>
      new RefusalWriter(explanationsPerSecond, (outcome) => measured.explained(outcome)),
    [components.tuning, metrics],
  ),
  trafficWriter: classFactory(TrafficWriter, [databases]),
  observer: functionFactory((log, measured) => allObservers(new RequestLog(log), measured), [logger, metrics]),
} satisfies Factories;

const after: After = (milliseconds, call) => {
  const timeout = setTimeout(call, milliseconds).unref();
  return () => clearTimeout(timeout);
};
