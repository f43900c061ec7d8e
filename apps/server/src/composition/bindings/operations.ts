import { type After } from "@sallyport/core";
import { allObservers, RequestLog, SlowQueryLog } from "../../operations/request-log.ts";
import { IndexKeeper } from "../../operations/index-keeper.ts";
import { Metrics } from "../../operations/metrics.ts";
import { RefusalWriter } from "../../operations/refusal-writer.ts";
import { ReadinessProbe, ServerOperations } from "../../operations/server-operations.ts";
import { TrafficWriter } from "../../operations/traffic-writer.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";

const { configuration, databases, keyRings, logger, metrics } = components;

/** Metrics, logs and health for operators. */
export const operationsFactories = {
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
  operations: functionFactory(
    (served, rings, measured, configured, link) => {
      measured.watchRates(served);
      return new ServerOperations(new ReadinessProbe(served, rings), measured, configured, link);
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
