import {
  CreateObject,
  DeleteObject,
  GetObject,
  GetReaders,
  HostCalls,
  ListObjects,
  LockObject,
  MacroHooks,
  MacroRunner,
  type ObjectHooks,
  SetReaders,
  UnlockObject,
  UpdateObject,
} from "@sallyport/core";
import { ContractForms } from "@sallyport/http";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import type { Container } from "inversify";
import { MacroFolders } from "../../macros/macro-folders.ts";
import { macroLimits, macroThreads } from "../../macros/macro-limits.ts";
import { MacroLog } from "../../operations/macro-log.ts";
import { identifiers } from "../identifiers.ts";

/** Macros: where they come from, where they run, and what they can ask for. */
export function bindMacros(container: Container): void {
  const { configuration, logger, metrics, macroRuntime, macroReports, macroFolders, macroRunner, objectHooks } =
    identifiers;
  const forms = new ContractForms();
  container
    .bind(macroRuntime)
    .toResolvedValue(
      ({ macros: { threads, queue, niceness } }) =>
        new QuickJsMacroRuntime({ threads: macroThreads(threads), queue, niceness }),
      [configuration],
    );
  container.bind(macroReports).toResolvedValue((log, measured) => new MacroLog(log, measured), [logger, metrics]);
  container.bind(macroFolders).toResolvedValue(
    (configured, log, runtime) =>
      new MacroFolders({
        runtime,
        limits: macroLimits(configured),
        isWatching: configured.macros.watch,
        logger: log,
      }),
    [configuration, logger, macroRuntime],
  );
  const { digests, cursorSealing, slowQueries } = identifiers;
  container.bind(objectHooks).toResolvedValue(
    (runtime, reports, { macros: { patience, timeout } }, ...reading) => {
      // What a hook runs calls use cases of objects, which call hooks again: they are made for the hooks that are being made.
      const runnerOf = (hooks: ObjectHooks) => {
        const calls = new HostCalls(
          {
            getObject: new GetObject(hooks),
            listObjects: new ListObjects(...reading, hooks),
            createObject: new CreateObject(hooks),
            updateObject: new UpdateObject(hooks),
            getReaders: new GetReaders(),
            setReaders: new SetReaders(),
            deleteObject: new DeleteObject(hooks),
            lockObject: new LockObject(),
            unlockObject: new UnlockObject(),
          },
          forms,
        );
        return new MacroRunner({ runtime, calls, reports, patience, hookTime: 4 * timeout, after });
      };
      return new MacroHooks(runnerOf, reports, forms);
    },
    [macroRuntime, macroReports, configuration, digests, cursorSealing, slowQueries],
  );
  container.bind(macroRunner).toResolvedValue(({ runner }) => runner, [objectHooks]);
}

function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
