import { ServiceError } from "@sallyport/storage";
import { type MacroDeclaration, type MacroHost, type MacroRuntime, type ModuleText } from "@sallyport/core";
import { Lease } from "./pool/lease.ts";
import { type QuickJsMacroRuntimeOptions, WorkerPool } from "./pool/worker-pool.ts";

/** Limits for the top level of a module. The time includes type stripping. */
const INSPECTION = { cpu: 2_000, timeout: 30_000, memory: 16 * 1024 * 1024, hostCalls: 0, resultBytes: 256 * 1024 };
const INSPECTION_WAIT = 30_000;

const inspectionHost: MacroHost = {
  answer: () => Promise.reject(new ServiceError(799)),
  isCatchable: () => false,
  log: () => {},
};

/**
 * Runs macros in QuickJS, compiled to WebAssembly, in threads of low priority. The sandbox has no system access. Its
 * only import accepts strings, which the worker thread validates.
 */
export class QuickJsMacroRuntime implements MacroRuntime {
  private readonly pool: WorkerPool;

  constructor(options: QuickJsMacroRuntimeOptions) {
    this.pool = new WorkerPool(options);
  }

  get load(): { readonly busy: number; readonly waiting: number } {
    return this.pool.load;
  }

  async inspect(
    text: ModuleText,
    language: "js" | "ts",
  ): Promise<{ readonly declaration: MacroDeclaration; readonly module: ModuleText }> {
    const lease = await this.lease(INSPECTION_WAIT, false);
    try {
      const module = { ...text, checksInput: false };
      const invocation = { module, driver: "declare", argument: null, limits: INSPECTION };
      const { result, code } = await lease.run(invocation, inspectionHost, language);
      return { declaration: result as MacroDeclaration, module: { name: text.name, code: code as string } };
    } finally {
      lease.release();
    }
  }

  async lease(wait: number, occupiesResources: boolean): Promise<Lease> {
    const lease = new Lease(this.pool, occupiesResources, performance.now() + wait);
    await lease.enter();
    return lease;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
