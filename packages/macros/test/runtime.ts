import { type JsonValue, ServiceError } from "@sallyport/storage";
import {
  type HostCall,
  type MacroDeclaration,
  type MacroInvocation,
  type MacroHost,
  type MacroLimits,
  type MacroOutcome,
} from "@sallyport/core";
import { QuickJsMacroRuntime } from "@sallyport/macros";

export const caller = {
  userId: "7K",
  name: "Ada",
  groups: [],
  administrator: false,
  appNames: ["office"],
  database: "main",
};

export const limits: MacroLimits = {
  cpu: 1_000,
  // A thread of a busy machine gets little processor time, which alone is limited tightly.
  timeout: 25_000,
  memory: 16 * 1024 * 1024,
  hostCalls: 100,
  resultBytes: 1024 * 1024,
};

/** A macro whose `run` has this body. */
export function macro(body: string, members = ""): string {
  return `import { defineMacro, refuse, Refusal, versionOf } from "@sallyport/macros";
export default defineMacro({ ${members} async run({ input, caller, objects, call, log, now, random, uuid, setStatusMessage }) {
${body}
} });`;
}

interface ProbeOptions {
  readonly input?: JsonValue;
  readonly checksInput?: boolean;
  readonly driver?: string;
  /** Replaces the argument of `run`. */
  readonly argument?: JsonValue;
  readonly limits?: Partial<MacroLimits>;
  readonly answer?: (call: HostCall) => JsonValue | undefined | Promise<JsonValue | undefined>;
}

/** A runtime with its recorded calls and log lines. */
export class Bench {
  readonly runtime: QuickJsMacroRuntime;
  calls: HostCall[] = [];
  lines: string[] = [];

  /** Beside the tests, macros with a low priority would hardly ever run. */
  constructor(threads = 1, queue = 100, options: { readonly threadPriority?: number } = { threadPriority: 0 }) {
    this.runtime = new QuickJsMacroRuntime({ threads, queue, ...options });
  }

  host(answer: ProbeOptions["answer"] = () => null): MacroHost {
    return {
      answer: async (call) => {
        this.calls.push(call);
        return answer(call);
      },
      isCatchable: (error) => error instanceof ServiceError && error.code < 799,
      log: (line) => void this.lines.push(line),
    };
  }

  /** Invokes a module once, with its own lease. */
  async invoke(code: string, options: ProbeOptions = {}): Promise<MacroOutcome> {
    this.calls = [];
    this.lines = [];
    const lease = await this.runtime.lease(60_000, false);
    const argument = options.argument ?? {
      skipCheck: false,
      caller,
      ...(options.input === undefined ? {} : { input: options.input }),
    };
    try {
      return await lease.invoke(
        {
          module: { name: "Probe", code, checksInput: options.checksInput ?? false },
          driver: options.driver ?? "run",
          argument,
          limits: { ...limits, ...options.limits },
        },
        this.host(options.answer),
      );
    } finally {
      lease.release();
    }
  }

  /** The result of a macro with this body. */
  async run(body: string, options: ProbeOptions = {}): Promise<JsonValue | undefined> {
    return (await this.invoke(macro(body), options)).result;
  }

  async declare(code: string, language: "js" | "ts" = "js"): Promise<MacroDeclaration> {
    return (await this.runtime.inspect({ name: "Probe", code }, language)).declaration;
  }
}

/** A macro with this body. */
export function invocation(body: string, own: Partial<MacroLimits> = {}): MacroInvocation {
  return {
    module: { name: "Probe", code: macro(body), checksInput: false },
    driver: "run",
    argument: { skipCheck: false, caller },
    limits: { ...limits, ...own },
  };
}

/** The test benches of a suite, closed at its end. */
export function benches(): {
  readonly open: (threads: number, queue?: number) => { readonly bench: Bench; readonly runtime: QuickJsMacroRuntime };
  readonly close: () => Promise<unknown>;
} {
  const all: Bench[] = [];
  return {
    open: (threads, queue = 100) => {
      const bench = new Bench(threads, queue);
      all.push(bench);
      return { bench, runtime: bench.runtime };
    },
    close: () => Promise.all(all.map((bench) => bench.runtime.close())),
  };
}
