import type { ExecutedMacro, IgnoredFailure, LoadedModules, MacroLine, MacroReports, RanHook } from "@sallyport/core";
import type { Logger } from "pino";
import type { Metrics } from "./metrics.ts";

/** Reports macros to log and metrics. The request log contains the reason of a failure. */
export class MacroLog implements MacroReports {
  constructor(
    private readonly logger: Logger,
    private readonly metrics: Pick<Metrics, "executed" | "ranHook">,
  ) {}

  executed(execution: ExecutedMacro): void {
    this.metrics.executed(execution);
  }

  ranHook(run: RanHook): void {
    this.metrics.ranHook(run);
  }

  logged({ line, ...facts }: MacroLine): void {
    this.logger.info({ ...facts, line }, "macro");
  }

  ignored({ error, ...facts }: IgnoredFailure): void {
    this.logger.error(
      { ...facts, err: error },
      "a hook refused the answer to what was done; it has the meta-fields only",
    );
  }

  loaded({ alias, macros, hooks, broken, shadowed }: LoadedModules): void {
    if (macros > 0 || hooks > 0 || broken.length > 0)
      this.logger.info({ alias, macros, hooks, broken: broken.length }, "macros read");
    for (const { name, origin, fault } of broken)
      this.logger.error({ alias, macro: name, origin, err: fault }, "a macro is broken; executing it is answered 710");
    if (shadowed.length > 0)
      this.logger.warn(
        { alias, macros: shadowed },
        "macros of the database go before those of the folder with the same names",
      );
  }
}
