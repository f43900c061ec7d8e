import type { JsonValue } from "@sallyport/storage";
import {
  type HostCall,
  type MacroInvocation,
  MacroFault,
  type MacroHost,
  type MacroOutcome,
  type MacroLease,
  type MacroRuntime,
  type ModuleText,
} from "@sallyport/core";

/** A host call of a macro or hook. */
export interface RecordedCall {
  readonly macro: string;
  /** 0 for a call of the executed macro, 1 for one of a macro or hook that it triggered, and so on. */
  readonly depth: number;
  readonly name: string;
  readonly argument: JsonValue;
  /** From request to response, including nested executions. */
  readonly milliseconds: number;
  /** The error that the host threw. */
  readonly error: unknown;
}

/** What the executions since the last `take` have done. */
export interface Recording {
  /** In the order of the calls. */
  readonly calls: readonly RecordedCall[];
  readonly lines: readonly { readonly macro: string; readonly text: string }[];
  /** Milliseconds of CPU time, as far as they are known. */
  readonly cpu: number;
}

/** Records the traffic between another runtime and its host. Supports one execution at a time. */
export class RecordedRuntime implements MacroRuntime {
  private calls: RecordedCall[] = [];
  private lines: { readonly macro: string; readonly text: string }[] = [];
  private cpu = 0;

  constructor(private readonly runtime: MacroRuntime) {}

  /** Returns and clears the recording. */
  take(): Recording {
    const { calls, lines, cpu } = this;
    this.calls = [];
    this.lines = [];
    this.cpu = 0;
    return { calls, lines, cpu };
  }

  get load(): MacroRuntime["load"] {
    return this.runtime.load;
  }

  inspect(text: ModuleText, language: "js" | "ts"): ReturnType<MacroRuntime["inspect"]> {
    return this.runtime.inspect(text, language);
  }

  async lease(wait: number, occupiesResources: boolean): Promise<MacroLease> {
    const lease = await this.runtime.lease(wait, occupiesResources);
    let depth = -1;
    const invoke = async (invocation: MacroInvocation, host: MacroHost): Promise<MacroOutcome> => {
      depth += 1;
      try {
        const outcome = await lease.invoke(invocation, this.recorderOf(host, invocation.module.name, depth));
        this.cpu += outcome.usage.cpu;
        return outcome;
      } catch (error) {
        if (error instanceof MacroFault) this.cpu += error.cpu ?? 0;
        throw error;
      } finally {
        depth -= 1;
      }
    };
    return {
      get waited() {
        return lease.waited;
      },
      invoke,
      release: () => lease.release(),
    };
  }

  close(): Promise<void> {
    return this.runtime.close();
  }

  /** A host that records the calls and forwards them. */
  private recorderOf(host: MacroHost, macro: string, depth: number): MacroHost {
    return {
      answer: async (call) => {
        const index = this.calls.push(unfinishedCall(call, macro, depth)) - 1;
        const startedAt = performance.now();
        let error: unknown;
        try {
          return await host.answer(call);
        } catch (thrown) {
          error = thrown;
          throw thrown;
        } finally {
          this.calls[index] = {
            ...unfinishedCall(call, macro, depth),
            milliseconds: performance.now() - startedAt,
            error,
          };
        }
      },
      isCatchable: (error) => host.isCatchable(error),
      log: (text) => {
        this.lines.push({ macro, text });
        host.log(text);
      },
    };
  }
}

function unfinishedCall({ name, argument }: HostCall, macro: string, depth: number): RecordedCall {
  return { macro, depth, name, argument, milliseconds: 0, error: undefined };
}
