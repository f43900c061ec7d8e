import { AlignIndexes } from "@sallyport/core";
import { allObservers, RequestLog, SlowQueryLog } from "../../operations/request-log.ts";
import { IndexKeeper } from "../../operations/index-keeper.ts";
import { Metrics } from "../../operations/metrics.ts";
import { ReadinessProbe, ServerOperations } from "../../operations/server-operations.ts";
import { by, of, parts, type Recipes } from "../parts.ts";

const { alignIndexes, configuration, databases, keyRings, logger, metrics } = parts;

/** Metrics, logs and health for operators. */
export const operationsParts = {
  metrics: by(
    (engines, hasher, macroRuntime) => {
      const measured = new Metrics();
      measured.watchPools(() => engines.pools());
      measured.watchPasswords(() => hasher.pending);
      measured.watchMacros(macroRuntime);
      return measured;
    },
    [parts.engines, parts.hasher, parts.macroRuntime],
  ),
  alignIndexes: of(AlignIndexes, []),
  indexKeeper: of(IndexKeeper, [alignIndexes, logger]),
  operations: by(
    (served, rings, ...measured) => new ServerOperations(new ReadinessProbe(served, rings), ...measured),
    [databases, keyRings, metrics, configuration],
  ),
  slowQueries: by(
    ({ log: { slowQueryThreshold } }, log) => new SlowQueryLog(log, slowQueryThreshold),
    [configuration, logger],
  ),
  observer: by((log, measured) => allObservers(new RequestLog(log), measured), [logger, metrics]),
} satisfies Recipes;
