import { JoinedUnit, type UnitOfWork } from "../request/index.ts";
import type { Attempt, Repositories } from "@sallyport/storage";
import type { ObjectContext } from "../objects/index.ts";

/** Opens the transaction of a scope. Calls back once it is open; rejects if it cannot be opened. */
type OpenTransaction = (opened: (r: Repositories, attempt: Attempt) => void) => Promise<void>;

/** A nested macro that started before the transaction. */
interface NestedMacro {
  readonly running: Promise<unknown>;
  /** The same work as a nested transaction, once the transaction is open. */
  joined: Promise<unknown> | undefined;
}

export interface Commit {
  /** Set before the commit, and reset when another attempt begins. */
  isRunning: boolean;
}

/** Context of one attempt of an execution. Opens no transaction before the first write or lock. */
export class MacroScope {
  private r: Repositories;
  private unit: UnitOfWork;
  private readonly nestedMacros: NestedMacro[] = [];
  private opening: Promise<void> | undefined;

  constructor(
    private readonly context: ObjectContext,
    /** `null`: each host call is atomic by itself. */
    private readonly open: OpenTransaction | null,
  ) {
    this.r = context.r;
    this.unit = context.unit;
  }

  /** A scope whose host calls are atomic each by itself, or parts of the open transaction of the context. */
  static withoutTransaction(context: ObjectContext): MacroScope {
    return new MacroScope(context, null);
  }

  /** A scope inside an open transaction. */
  static joined(context: ObjectContext, r: Repositories, attempt: Attempt): MacroScope {
    return new MacroScope({ ...context, r, unit: new JoinedUnit(r, attempt) }, null);
  }

  current(): ObjectContext {
    return { ...this.context, r: this.r, unit: this.unit };
  }

  get isOpen(): boolean {
    return this.unit.joined;
  }

  /** Opens the transaction of this scope, unless there is none or it is open. */
  async begin(): Promise<void> {
    if (this.isOpen || this.open === null) return;
    await this.context.database.clock.measure();
    this.opening ??= this.open((r, attempt) => {
      this.r = r;
      this.unit = new JoinedUnit(r, attempt);
    });
    await this.opening;
    await this.join(0);
  }

  /** Whether nested modules share the transaction of the caller. */
  get isShared(): boolean {
    return this.isOpen || this.open !== null;
  }

  /** Runs work that may fail while the execution continues. A failure undoes its writes, even if the transaction opens inside the work. */
  async nested<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) return this.unit.attempt(work);
    const macro: NestedMacro = { running: work(), joined: undefined };
    this.nestedMacros.push(macro);
    try {
      await macro.running;
    } catch {
      // Reported below, after its writes are undone.
    } finally {
      this.nestedMacros.pop();
    }
    return (macro.joined ?? macro.running) as Promise<T>;
  }

  /** Turns all running work into nested transactions, outermost first. */
  private join(index: number): Promise<void> {
    const macro = this.nestedMacros[index];
    if (macro === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      macro.joined = this.unit.attempt(() => {
        void this.join(index + 1).then(resolve, reject);
        return macro.running;
      });
      macro.joined.catch(reject);
    });
  }
}

type Invoke<T> = (scope: MacroScope) => Promise<T>;

/** The transaction of one execution, opened on demand. A retry restarts the execution inside it. */
export class LazyTransaction<T> {
  private done: Promise<T> | undefined;

  constructor(
    private readonly context: ObjectContext,
    private readonly invoke: Invoke<T>,
    private readonly commit: Commit,
  ) {}

  async run(): Promise<T> {
    const open: OpenTransaction = (opened) => this.open(running, opened);
    const scope = new MacroScope(this.context, open);
    const running: Promise<T> = this.invoke(scope);
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
        this.commit.isRunning = false;
        if (tries === 1) {
          opened(r, attempt);
          resolve();
        }
        const outcome = await (tries === 1 ? running : this.invoke(MacroScope.joined(this.context, r, attempt)));
        this.commit.isRunning = true;
        return outcome;
      };
      this.done = this.context.database.storage.transaction(work);
      this.done.catch(reject);
    });
  }
}
