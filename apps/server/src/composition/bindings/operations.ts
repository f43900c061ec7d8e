import { AlignIndexes } from "@sallyport/core";
import { allObservers, RequestLog, SlowQueryLog } from "../../operations/request-log.ts";
import { IndexKeeper } from "../../operations/index-keeper.ts";
import { Metrics } from "../../operations/metrics.ts";
import { RefusalWriter } from "../../operations/refusal-writer.ts";
import { ReadinessProbe, ServerOperations } from "../../operations/server-operations.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";

const { alignIndexes, configuration, databases, keyRings, logger, metrics } = components;

/** Metrics, logs and health for operators. */
export const operationsFactories = {
  metrics: functionFactory(
    (engines, hasher, macroRuntime) => {
      const measured = new Metrics();
      measured.watchPools(() => engines.pools());
      measured.watchPasswords(() => hasher.pending);
      measured.watchMacros(macroRuntime);
      return measured;
    },
    [components.engines, components.hasher, components.macroRuntime],
  ),
  alignIndexes: classFactory(AlignIndexes, []),
  indexKeeper: classFactory(IndexKeeper, [alignIndexes, logger]),
  operations: functionFactory(
    (served, rings, measured, configured) => {
      measured.watchRates(served);
      return new ServerOperations(new ReadinessProbe(served, rings), measured, configured);
    },
    [databases, keyRings, metrics, configuration],
  ),
  slowQueries: functionFactory(
    ({ log: { slowQueryThreshold } }, log) => new SlowQueryLog(log, slowQueryThreshold),
    [configuration, logger],
  ),
  refusalWriter: functionFactory(
    ({ explanations }, measured) => new RefusalWriter(explanations.perSecond, (outcome) => measured.explained(outcome)),
    [configuration, metrics],
  ),
  observer: functionFactory((log, measured) => allObservers(new RequestLog(log), measured), [logger, metrics]),
} satisfies Factories;
