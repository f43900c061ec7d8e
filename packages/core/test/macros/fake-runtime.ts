import { type JsonValue, ServiceError } from "@sallyport/storage";
import {
  type MacroDeclaration,
  MacroFault,
  type MacroFaultKind,
  MacroRefusal,
  type MacroHost,
  type MacroRuntime,
} from "../../src/index.ts";

type Ask = (name: string, argument: JsonValue) => Promise<JsonValue | undefined>;

/** Stands in for the text of a module. */
export interface FakeModule extends MacroDeclaration {
  readonly name: string;
}

export type FakeRun = (ask: Ask, argument: Readonly<Record<string, JsonValue>>) => Promise<JsonValue | undefined>;

/** Runs functions of the test instead of modules: no sandbox, and the same port. */
export class FakeRuntime implements MacroRuntime {
  readonly load = { busy: 0, waiting: 0 };
  /** By name of the module. */
  readonly runs = new Map<string, FakeRun>();
  readonly invoked: string[] = [];
  inspections = 0;
  /** The outcome of the second inspection of the text `unlucky`; if missing, its thread ends every time. */
  unlucky: string | undefined;
  /** The transient failure of that text. */
  badLuck: MacroFaultKind = "ended";
  reserved = 0;

  async inspect(module: { readonly name: string; readonly code: string }) {
    this.inspections += 1;
    if (module.code.startsWith("fault")) throw new MacroFault("invalid", module.name, module.code);
    if (module.code.startsWith("busy")) throw new ServiceError(706);
    if (module.code.startsWith("unlucky")) {
      const { unlucky } = this;
      if (this.inspections % 2 === 1 || unlucky === undefined || module.code !== "unlucky")
        throw new MacroFault(this.badLuck, module.name, "its thread is gone");
      return { declaration: JSON.parse(unlucky) as MacroDeclaration, module };
    }
    return { declaration: JSON.parse(module.code) as MacroDeclaration, module };
  }

  /** Milliseconds for which others run before each invocation. */
  waited = 0;

  async lease() {
    this.reserved += 1;
    return {
      waited: this.waited,
      invoke: async (
        { module, argument }: { readonly module: { readonly name: string }; readonly argument: JsonValue },
        host: MacroHost,
      ) => {
        this.invoked.push(module.name);
        const run = this.runs.get(module.name) as FakeRun;
        try {
          const result = await run((name, args) => this.ask(host, name, args), argument as Record<string, JsonValue>);
          return { result, statusMessage: undefined, usage: { cpu: 1, hostCalls: 0 } };
        } catch (error) {
          if (error instanceof ServiceError && host.isCatchable(error))
            throw new MacroRefusal(error.code, error.detail);
          throw error;
        }
      },
      release: () => void (this.reserved -= 1),
    };
  }

  async close() {}

  private async ask(host: MacroHost, name: string, argument: JsonValue): Promise<JsonValue | undefined> {
    return host.answer({ name, argument });
  }
}
