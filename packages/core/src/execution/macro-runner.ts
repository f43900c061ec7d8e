import { isRefusedByStorage, type JsonValue, ServiceError } from "@sallyport/storage";
import {
  maxExecutionDepth,
  type HookModule,
  type HostCall,
  LineAllowance,
  type Macro,
  type MacroExecution,
  macroFailure,
  MacroFault,
  MacroRefusal,
  type MacroHost,
  type MacroOutcome,
  type MacroLease,
  type MacroReports,
  type MacroRuntime,
} from "../macros/index.ts";
import type { SessionContext } from "../request/index.ts";
import { argumentsOf } from "./host-arguments.ts";
import type { HostCalls } from "./host-calls.ts";
import { accessibleMacro, CallerNames } from "./macro-access.ts";
import { type Commit, LazyTransaction, MacroScope } from "./macro-scope.ts";
import type { ObjectContext } from "../objects/index.ts";

export interface MacroRunnerParts {
  readonly runtime: MacroRuntime;
  readonly calls: HostCalls;
  readonly reports: MacroReports;
  /** Milliseconds to wait for a worker. */
  readonly queueTimeout: number;
  /** Starts a timer in milliseconds; returns its cancel function. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
  /** Total milliseconds for the hooks of one request, waits included. */
  readonly hookTime: number;
}

/** Milliseconds for the runtime to report its own timeout first. */
const timeoutGrace = 300;

export interface MacroInput {
  /** `undefined` without a request body. */
  readonly input: JsonValue | undefined;
  readonly skipCheck: boolean;
}

interface Job {
  readonly module: Macro | HookModule;
  /** Name of the function of the sandbox that calls the module, such as `run` or `beforeSave`. */
  readonly driver: string;
  readonly argument: Readonly<Record<string, JsonValue>>;
  readonly names: CallerNames;
  readonly isReadOnly: boolean;
  /** Masks secrets in log lines. */
  readonly mask?: ((line: string) => string) | undefined;
}

/**
 * Runs macros and hooks that the caller may execute. By default a macro is one transaction. It opens with the first write or lock,
 * so a read-only macro keeps no connection. If the transaction must be retried, the macro restarts. Inside an open
 * transaction, the execution is a nested transaction.
 *
 * `run` and `runHook` throw a `MacroFault` or `MacroRefusal` of the module, or the `ServiceError` that ended it, such as 706
 * without a free worker, or a failure of the database.
 */
export class MacroRunner {
  constructor(private readonly parts: MacroRunnerParts) {}

  /** Runs a macro that the client has called. */
  run(
    context: ObjectContext,
    macro: Macro,
    { input, skipCheck, names }: MacroInput & { readonly names: CallerNames },
  ): Promise<MacroOutcome> {
    const argument = { ...(input === undefined ? {} : { input }), skipCheck };
    const job = { module: macro, driver: "run", argument, names, isReadOnly: false };
    const commit: Commit = { isRunning: false };
    return this.underLease(context, job, (execution) => this.inUnit(context, execution, job, commit), commit);
  }

  /** Calls a hook. Its writes belong to the unit of the context. A read-only hook cannot write. */
  runHook(
    context: ObjectContext,
    hook: HookModule,
    driver: string,
    argument: Readonly<Record<string, JsonValue>>,
    { isReadOnly, mask }: Pick<Job, "isReadOnly" | "mask">,
  ): Promise<MacroOutcome> {
    const job = { module: hook, driver, argument, names: new CallerNames(), isReadOnly, mask };
    return this.underLease(context, job, (execution) =>
      this.invokeModule(MacroScope.withoutTransaction({ ...context, execution }), execution, job),
    );
  }

  /** Runs work with hooks under the lease of the context or a new one, which bounds their total time. */
  async withLease<Context extends Pick<SessionContext, "execution" | "unit">, T>(
    context: Context,
    work: (context: Context) => Promise<T>,
    { opensTransaction } = { opensTransaction: true },
  ): Promise<T> {
    if (context.execution !== undefined) return work(context);
    const occupiesResources = opensTransaction || context.unit.joined;
    const lease = await this.parts.runtime.lease(this.parts.queueTimeout, occupiesResources);
    try {
      return await work({
        ...context,
        execution: { lease, depth: 0, deadline: Date.now() + this.parts.hookTime, lines: new LineAllowance() },
      });
    } finally {
      lease.release();
    }
  }

  /** Runs work under the lease of the execution around it, or under a new one with the time limit of the module. */
  private async underLease(
    { execution, unit, onDisconnect }: SessionContext,
    { module }: Job,
    work: (execution: MacroExecution) => Promise<MacroOutcome>,
    commit: Commit = { isRunning: false },
  ): Promise<MacroOutcome> {
    if (execution !== undefined) return work(deeper(execution));
    const occupiesResources = unit.joined;
    const lease = await this.parts.runtime.lease(this.parts.queueTimeout, occupiesResources);
    try {
      const done = work({ lease, depth: 1, deadline: Date.now() + module.limits.timeout, lines: new LineAllowance() });
      // The owner of a transaction must await all of its calls.
      return await (unit.joined ? done : this.untilTimeoutOrDisconnect(module, lease, done, commit, onDisconnect));
    } finally {
      lease.release();
    }
  }

  /**
   * Stops waiting after the timeout of the module, or when the client disconnects. A blocked statement does not delay
   * the answer; the transaction is rolled back later. During the commit it keeps waiting, because only the commit tells
   * the outcome: a timeout or a disconnect that fires then has no effect, even if the transaction runs again.
   */
  private async untilTimeoutOrDisconnect<T>(
    { name, limits: { timeout } }: Macro | HookModule,
    lease: MacroLease,
    done: Promise<T>,
    commit: Readonly<Commit>,
    onDisconnect: SessionContext["onDisconnect"] = () => () => {},
  ): Promise<T> {
    let fail: (fault: MacroFault) => void = () => {};
    const over = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const end = (kind: "timeout" | "ended", message: string): void => {
      if (!commit.isRunning) fail(new MacroFault(kind, name, message));
    };
    const cancelTimer = this.afterExecutionTime(lease, timeout + timeoutGrace, () =>
      end("timeout", `took longer than ${timeout} ms`),
    );
    const stopWatching = onDisconnect(() => end("ended", "the client disconnected"));
    try {
      return await Promise.race([done, over]);
    } finally {
      cancelTimer();
      stopWatching();
    }
  }

  /** Calls back after the time, extended by the waits of the lease in queues. Returns the function that cancels it. */
  private afterExecutionTime(lease: MacroLease, milliseconds: number, call: () => void): () => void {
    let waited = 0;
    const check = (): void => {
      const more = lease.waited - waited;
      waited += more;
      if (more > 0) cancel = this.parts.after(more, check);
      else call();
    };
    let cancel = this.parts.after(milliseconds, check);
    return () => cancel();
  }

  /** Runs a macro as a part of an open transaction, as a transaction of its own, or without one if it declares that. */
  private inUnit(
    context: ObjectContext,
    execution: MacroExecution,
    job: Job,
    commit: Commit = { isRunning: false },
  ): Promise<MacroOutcome> {
    const inside = { ...context, execution };
    const invoke = (scope: MacroScope) => this.invokeModule(scope, execution, job);
    const invokeAlone = () => invoke(MacroScope.withoutTransaction(inside));
    if (context.unit.joined) return context.unit.attempt(invokeAlone);
    const isWhole = job.module.kind === "macro" && job.module.transaction;
    return isWhole ? new LazyTransaction(inside, invoke, commit).run() : invokeAlone();
  }

  /** Runs the module in the sandbox, for the rest of the time. */
  private async invokeModule(scope: MacroScope, execution: MacroExecution, job: Job): Promise<MacroOutcome> {
    const { module, driver, argument, names } = job;
    const { name, limits, readsCaller } = module;
    const caller = await names.caller(scope.current(), readsCaller);
    const left = execution.deadline + execution.lease.waited - Date.now();
    if (left <= 0) throw new MacroFault("timeout", name, "The execution exceeded its time limit.");
    const invocation = {
      module: module.module,
      driver,
      argument: { ...argument, caller: caller as unknown as JsonValue },
      limits: { ...limits, timeout: Math.min(limits.timeout, left) },
    };
    const host = this.hostOf(scope, execution, job);
    let refused: unknown;
    const answer: MacroHost["answer"] = async (call) => {
      try {
        return await host.answer(call);
      } catch (error) {
        refused = error;
        throw error;
      }
    };
    try {
      return await execution.lease.invoke(invocation, { ...host, answer });
    } catch (error) {
      // The module refused with the error of its last call.
      if (error instanceof MacroRefusal && refused instanceof ServiceError && refused.code === error.code)
        error.cause = refused;
      throw error;
    }
  }

  private hostOf(scope: MacroScope, execution: MacroExecution, job: Job): MacroHost {
    const { requestId, database } = scope.current();
    return {
      isCatchable,
      log: (text) => {
        const line = execution.lines.take(job.mask?.(text) ?? text);
        if (line !== null)
          this.parts.reports.logged({ requestId, alias: database.alias, macro: job.module.name, line });
      },
      answer: (call: HostCall) =>
        call.name === "call"
          ? this.callMacro(scope, execution, job, call.argument)
          : this.parts.calls.answer(scope, call, job.isReadOnly),
    };
  }

  /** Calls a macro from another module, with the rights of the caller, as a nested transaction of the calling module. */
  private async callMacro(
    scope: MacroScope,
    execution: MacroExecution,
    { names, isReadOnly }: Job,
    request: JsonValue,
  ): Promise<JsonValue> {
    const { name, input } = argumentsOf("call", request, "name", "input").values;
    if (isReadOnly) throw new ServiceError(307, { detail: "call: A read-only hook cannot make this call." });
    if (typeof name !== "string") throw new ServiceError(400);
    const context = scope.current();
    const module = await accessibleMacro(context, name, names);
    const inside = deeper(execution);
    const job: Job = {
      module,
      driver: "run",
      argument: { ...(input === undefined ? {} : { input }), skipCheck: false },
      names,
      isReadOnly,
    };
    try {
      const { result } = await (scope.isShared
        ? scope.nested(() => this.invokeModule(scope, inside, job))
        : this.inUnit(context, inside, job));
      return result === undefined ? {} : { result };
    } catch (error) {
      throw macroFailure(error);
    }
  }
}

/** The execution one level deeper; 710 beyond the maximum depth. */
function deeper(execution: MacroExecution): MacroExecution {
  const depth = execution.depth + 1;
  if (depth > maxExecutionDepth)
    throw new ServiceError(710, { detail: `Macros and hooks are nested more than ${maxExecutionDepth} levels deep.` });
  return { ...execution, depth };
}

/** Refusals of a request or an object above 699: macro failed, version or lock, deletion refused, too large. */
const otherRefusalCodes: ReadonlySet<number> = new Set([710, 713, 718, 801]);
/** Failures of the database and of the server below 700. */
const serverCodes: ReadonlySet<number> = new Set([607, 699]);

/** Whether a module may catch the error and continue: errors of the request or objects, not of the server or the database. */
function isCatchable(error: unknown): boolean {
  if (!(error instanceof ServiceError) || isRefusedByStorage(error)) return false;
  const { code } = error;
  return (code >= 300 && code < 700 && !serverCodes.has(code)) || otherRefusalCodes.has(code);
}
