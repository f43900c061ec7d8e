import type { SessionContext } from "../request/request-context.ts";
import type { Attempt } from "../storage/attempt.ts";
import type { Repositories } from "../storage/repositories.ts";
import { MacroScope, type OpenTransaction } from "./macro-scope.ts";

/** Runs a module within a scope. */
export type Enter<T> = (scope: MacroScope) => Promise<T>;

/** The transaction of one execution, which begins in its midst. Where it has to run again, the execution begins anew inside of it. */
export class LazyTransaction<T> {
  private done: Promise<T> | undefined;

  constructor(
    private readonly context: SessionContext,
    private readonly enter: Enter<T>,
    /** Told `true` when the module is done and the transaction ends, `false` when it begins anew. */
    private readonly onEnding: (isEnding: boolean) => void,
  ) {}

  async run(): Promise<T> {
    const open: OpenTransaction = (opened) => this.open(running, opened);
    const scope = new MacroScope(this.context, open);
    const running: Promise<T> = this.enter(scope);
    try {
      const outcome = await running;
      return await (this.done ?? outcome);
    } catch (error) {
      if (this.done === undefined) throw error;
      return await this.done;
    }
  }

  private open(running: Promise<T>, opened: Parameters<OpenTransaction>[0]): Promise<void> {
    return new Promise((resolve, reject) => {
      let tries = 0;
      const work = async (r: Repositories, attempt: Attempt): Promise<T> => {
        tries += 1;
        this.onEnding(false);
        if (tries === 1) {
          opened(r, attempt);
          resolve();
        }
        const outcome = await (tries === 1 ? running : this.enter(MacroScope.joined(this.context, r, attempt)));
        this.onEnding(true);
        return outcome;
      };
      this.done = this.context.database.storage.transaction(work);
      this.done.catch(reject);
    });
  }
}
