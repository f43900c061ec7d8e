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

/** Record of everything that ran. */
export interface Recording {
  /** In the order of the calls. */
  readonly calls: readonly RecordedCall[];
  readonly lines: readonly { readonly macro: string; readonly text: string }[];
  /** Milliseconds of CPU time, as far as known. */
  readonly cpu: number;
}

/** Records the traffic between another runtime and its host. Supports one execution at a time. */
export class RecordedRuntime implements MacroRuntime {
  private calls: RecordedCall[] = [];
  private lines: { readonly macro: string; readonly text: string }[] = [];
  private cpu = 0;

  constructor(private readonly recorded: MacroRuntime) {}

  /** Returns and clears the record since the last call. */
  take(): Recording {
    const { calls, lines, cpu } = this;
    this.calls = [];
    this.lines = [];
    this.cpu = 0;
    return { calls, lines, cpu };
  }

  get load(): MacroRuntime["load"] {
    return this.recorded.load;
  }

  inspect(text: ModuleText, language: "js" | "ts"): ReturnType<MacroRuntime["inspect"]> {
    return this.recorded.inspect(text, language);
  }

  async lease(wait: number, occupiesResources: boolean): Promise<MacroLease> {
    const lease = await this.recorded.lease(wait, occupiesResources);
    let depth = -1;
    const invoke = async (invocation: MacroInvocation, host: MacroHost): Promise<MacroOutcome> => {
      depth += 1;
      try {
        const outcome = await lease.invoke(invocation, this.watched(host, invocation.module.name, depth));
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
    return this.recorded.close();
  }

  private watched(host: MacroHost, macro: string, depth: number): MacroHost {
    return {
      answer: async (call) => {
        const index = this.calls.push(begunCall(call, macro, depth)) - 1;
        const began = performance.now();
        let error: unknown;
        try {
          return await host.answer(call);
        } catch (thrown) {
          error = thrown;
          throw thrown;
        } finally {
          this.calls[index] = { ...begunCall(call, macro, depth), milliseconds: performance.now() - began, error };
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

function begunCall({ name, argument }: HostCall, macro: string, depth: number): RecordedCall {
  return { macro, depth, name, argument, milliseconds: 0, error: undefined };
}
