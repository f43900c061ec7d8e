import { AlignIndexes } from "@sallyport/core";
import type { Container } from "inversify";
import { allObservers, RequestLog, SlowQueryLog } from "../../operations/request-log.ts";
import { IndexKeeper } from "../../operations/index-keeper.ts";
import { Metrics } from "../../operations/metrics.ts";
import { ReadinessProbe, ServerOperations } from "../../operations/server-operations.ts";
import { identifiers } from "../identifiers.ts";

/** What those who run the server see of it. */
export function bindOperations(container: Container): void {
  const { configuration, logger, databases, engines, hasher, metrics, operations, observer } = identifiers;
  container.bind(metrics).toResolvedValue(
    (opened, passwords, runtime) => {
      const measured = new Metrics();
      measured.watchPools(() => opened.pools());
      measured.watchPasswords(() => passwords.pending);
      measured.watchMacros(runtime);
      return measured;
    },
    [engines, hasher, identifiers.macroRuntime],
  );
  container.bind(identifiers.alignIndexes).toDynamicValue(() => new AlignIndexes());
  container
    .bind(identifiers.indexKeeper)
    .toResolvedValue((...parts) => new IndexKeeper(...parts), [identifiers.alignIndexes, logger]);
  container
    .bind(operations)
    .toResolvedValue(
      (served, rings, measured, configured) =>
        new ServerOperations(new ReadinessProbe(served, rings), measured, configured),
      [databases, identifiers.keyRings, metrics, configuration],
    );
  container
    .bind(identifiers.slowQueries)
    .toResolvedValue((log, configured) => new SlowQueryLog(log, configured.log.slowQueries), [logger, configuration]);
  container
    .bind(observer)
    .toResolvedValue((log, measured) => allObservers(new RequestLog(log), measured), [logger, metrics]);
}
