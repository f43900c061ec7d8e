import { ServiceError } from "../errors/index.ts";
import {
  deepestExecution,
  type HookModule,
  type HostCall,
  LineAllowance,
  type Macro,
  type MacroExecution,
  macroFailure,
  MacroFault,
  type MacroHost,
  type MacroOutcome,
  type MacroLease,
  type MacroReports,
  type MacroRuntime,
} from "../macros/index.ts";
import type { SessionContext } from "../request/index.ts";
import type { JsonValue } from "../storage/index.ts";
import { argumentsOf } from "./host-arguments.ts";
import type { HostCalls } from "./host-calls.ts";
import { accessibleMacro, CallerNames } from "./macro-access.ts";
import { LazyTransaction, MacroScope } from "./macro-scope.ts";

export interface MacroRunnerParts {
  readonly runtime: MacroRuntime;
  readonly calls: HostCalls;
  readonly reports: MacroReports;
  readonly queueTimeout: number;
  /** Calls back after so many milliseconds, unless what it gives back is called before. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
  /** Milliseconds that the hooks of one request may take, with what they wait for. */
  readonly hookTime: number;
}

/** Milliseconds in which the runtime says by itself that time is up. */
const grace = 300;

export interface MacroInput {
  /** `undefined`: the request had no body. */
  readonly input: JsonValue | undefined;
  readonly skipCheck: boolean;
}

interface Job {
  readonly module: Macro | HookModule;
  readonly driver: string;
  readonly argument: Readonly<Record<string, JsonValue>>;
  readonly names: CallerNames;
  /** Whether it may do nothing but read. */
  readonly reads: boolean;
  /** Takes out of its lines what may stand in no log. */
  readonly concealing?: ((line: string) => string) | undefined;
}

/**
 * Runs macros that the caller may execute, and hooks. What a macro does is one transaction, which begins when it writes or holds
 * something for the first time: one that only reads keeps no connection. When the transaction has to run again, so does the macro,
 * from its beginning. Inside of an open transaction the execution is a part of that.
 *
 * Both throw `MacroFault` or `MacroRefusal` of the module, or the `ServiceError` that ended it: 706 when there is no thread, and what
 * says something about the database.
 */
export class MacroRunner {
  constructor(private readonly parts: MacroRunnerParts) {}

  run(
    context: SessionContext,
    macro: Macro,
    { input, skipCheck, names }: MacroInput & { readonly names: CallerNames },
  ): Promise<MacroOutcome> {
    const argument = { ...(input === undefined ? {} : { input }), skipCheck };
    const job = { module: macro, driver: "run", argument, names, reads: false };
    let isEnding = false;
    const onEnding = (value: boolean): void => void (isEnding = value);
    return this.underLease(
      context,
      job,
      (execution) => this.perform(context, execution, job, onEnding),
      () => isEnding,
    );
  }

  /** Calls a hook. What it writes belongs to the unit of the context; with `reads` it cannot. */
  runHook(
    context: SessionContext,
    hook: HookModule,
    driver: string,
    argument: Readonly<Record<string, JsonValue>>,
    { reads, concealing }: { readonly reads: boolean; readonly concealing?: ((line: string) => string) | undefined },
  ): Promise<MacroOutcome> {
    const job = { module: hook, driver, argument, names: new CallerNames(), reads, concealing };
    return this.underLease(context, job, (execution) =>
      this.invoke(new MacroScope({ ...context, execution }, null), execution, job),
    );
  }

  /** Does work in which hooks may run, under the lease of the context, or under one of its own: how long they may take together is bounded. `reads`: the work opens no transaction. */
  async withLease<Context extends Pick<SessionContext, "execution" | "unit">, T>(
    context: Context,
    work: (context: Context) => Promise<T>,
    { reads } = { reads: false },
  ): Promise<T> {
    if (context.execution !== undefined) return work(context);
    const lease = await this.parts.runtime.lease(this.parts.queueTimeout, !reads || context.unit.joined);
    try {
      return await work({
        ...context,
        execution: { lease, depth: 0, deadline: Date.now() + this.parts.hookTime, lines: new LineAllowance() },
      });
    } finally {
      lease.release();
    }
  }

  private async underLease(
    { execution, unit, onDisconnect }: SessionContext,
    { module }: Job,
    work: (execution: MacroExecution) => Promise<MacroOutcome>,
    isEnding: () => boolean = () => false,
  ): Promise<MacroOutcome> {
    if (execution !== undefined) return work(deeper(execution));
    const lease = await this.parts.runtime.lease(this.parts.queueTimeout, unit.joined);
    try {
      const done = work({ lease, depth: 1, deadline: Date.now() + module.limits.timeout, lines: new LineAllowance() });
      // Who opened a transaction waits for all that is asked of it.
      return await (unit.joined ? done : this.whileWanted(module, lease, done, isEnding, onDisconnect));
    } finally {
      lease.release();
    }
  }

  /**
   * Waits no longer than the execution may take: a statement that others hold up would hold up the answer as well; nor for longer than
   * somebody waits for the answer. Its transaction is rolled back when it comes to an end. Once it is being committed, only its end tells
   * what is kept.
   */
  private async whileWanted<T>(
    { name, limits: { timeout } }: Macro | HookModule,
    lease: MacroLease,
    done: Promise<T>,
    isEnding: () => boolean,
    onDisconnect: SessionContext["onDisconnect"] = () => () => {},
  ): Promise<T> {
    let forget = (): void => {};
    const over = new Promise<never>((_resolve, reject) => {
      const end = (kind: "timeout" | "ended", message: string) => () => {
        if (!isEnding()) reject(new MacroFault(kind, name, message));
      };
      const endInTime = end("timeout", `took longer than ${timeout} ms`);
      let waited = 0;
      const look = (): void => {
        const more = lease.waited - waited;
        waited += more;
        if (more > 0) inTime = this.parts.after(more, look);
        else endInTime();
      };
      let inTime = this.parts.after(timeout + grace, look);
      const present = onDisconnect(end("ended", "the client has gone away"));
      forget = () => {
        inTime();
        present();
      };
    });
    try {
      return await Promise.race([done, over]);
    } finally {
      forget();
    }
  }

  private perform(
    context: SessionContext,
    execution: MacroExecution,
    job: Job,
    onEnding: (isEnding: boolean) => void = () => {},
  ): Promise<MacroOutcome> {
    const inside = { ...context, execution };
    const invoke = (scope: MacroScope) => this.invoke(scope, execution, job);
    if (context.unit.joined) return context.unit.attempt(() => invoke(new MacroScope(inside, null)));
    const isWhole = job.module.kind === "macro" && job.module.transaction;
    return isWhole ? new LazyTransaction(inside, invoke, onEnding).run() : invoke(new MacroScope(inside, null));
  }

  private async invoke(scope: MacroScope, execution: MacroExecution, job: Job): Promise<MacroOutcome> {
    const { module, driver, argument, names } = job;
    const { name, limits, readsCaller } = module;
    const caller = await names.caller(scope.current(), readsCaller);
    const left = execution.deadline + execution.lease.waited - Date.now();
    if (left <= 0) throw new MacroFault("timeout", name, "The execution took too long.");
    const invocation = {
      module: module.module,
      driver,
      argument: { ...argument, caller: caller as unknown as JsonValue },
      limits: { ...limits, timeout: Math.min(limits.timeout, left) },
    };
    return execution.lease.invoke(invocation, this.hostOf(scope, execution, job));
  }

  private hostOf(scope: MacroScope, execution: MacroExecution, job: Job): MacroHost {
    const { requestId, database } = scope.current();
    return {
      isCatchable,
      log: (given) => {
        const line = execution.lines.take(job.concealing?.(given) ?? given);
        if (line !== null)
          this.parts.reports.logged({ requestId, alias: database.alias, macro: job.module.name, line });
      },
      answer: (call: HostCall) =>
        call.name === "call"
          ? this.call(scope, execution, job, call.argument)
          : this.parts.calls.answer(scope, call, job.reads),
    };
  }

  /** A macro that is called by another module: with the rights of the caller, and as a part of what that module does. */
  private async call(
    scope: MacroScope,
    execution: MacroExecution,
    { names, reads }: Job,
    given: JsonValue,
  ): Promise<JsonValue> {
    const { name, input } = argumentsOf("call", given, "name", "input").given;
    if (reads) throw new ServiceError(307, { detail: "call: not in a hook that only reads." });
    if (typeof name !== "string") throw new ServiceError(400);
    const context = scope.current();
    const module = await accessibleMacro(context, name, names);
    const inside = deeper(execution);
    const job: Job = {
      module,
      driver: "run",
      argument: { ...(input === undefined ? {} : { input }), skipCheck: false },
      names,
      reads,
    };
    try {
      const { result } = await (scope.isShared
        ? scope.part(() => this.invoke(scope, inside, job))
        : this.perform(context, inside, job));
      return result === undefined ? {} : { result };
    } catch (error) {
      throw macroFailure(error);
    }
  }
}

/** One module further down; 710 where they would nest too deeply. */
function deeper(execution: MacroExecution): MacroExecution {
  const depth = execution.depth + 1;
  if (depth > deepestExecution)
    throw new ServiceError(710, { detail: `Macros and hooks call one another more than ${deepestExecution} deep.` });
  return { ...execution, depth };
}

const beyondRequests: ReadonlySet<number> = new Set([710, 713, 718, 801]);
const aboutTheServer: ReadonlySet<number> = new Set([607, 699]);

/** Whether a module may catch it: what is about the request or objects, not about the server or the database. */
function isCatchable(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { code } = error;
  return (code >= 300 && code < 700 && !aboutTheServer.has(code)) || beyondRequests.has(code);
}
