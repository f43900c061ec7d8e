import { JoinedUnit, type SessionContext, type UnitOfWork } from "../request/index.ts";
import type { Attempt, Repositories } from "../storage/index.ts";

/** How a scope comes to its transaction: calls back with it when it is open, and rejects when it cannot be. */
type OpenTransaction = (opened: (r: Repositories, attempt: Attempt) => void) => Promise<void>;

/** A macro that was called while no transaction was open. */
interface Part {
  readonly running: Promise<unknown>;
  /** The same as a part of the transaction, once there is one. */
  joined: Promise<unknown> | undefined;
}

/** What one try of an execution reads and writes with: nothing is open until something is to be written or held. */
export class MacroScope {
  private r: Repositories;
  private unit: UnitOfWork;
  private readonly parts: Part[] = [];
  private opening: Promise<void> | undefined;

  constructor(
    private readonly context: SessionContext,
    /** `null`: each call of the host is on its own. */
    private readonly open: OpenTransaction | null,
  ) {
    this.r = context.r;
    this.unit = context.unit;
  }

  /** The scope of a transaction that is open already. */
  static joined(context: SessionContext, r: Repositories, attempt: Attempt): MacroScope {
    return new MacroScope({ ...context, r, unit: new JoinedUnit(r, attempt) }, null);
  }

  current(): SessionContext {
    return { ...this.context, r: this.r, unit: this.unit };
  }

  get isOpen(): boolean {
    return this.unit.joined;
  }

  /** Opens the transaction, if this scope has one that is not open yet. */
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

  /** Whether modules that are called share a transaction with the one that calls. */
  get isShared(): boolean {
    return this.isOpen || this.open !== null;
  }

  /** Does what may fail while the execution goes on: what it wrote is undone then, also if the transaction begins inside of it. */
  async part<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) return this.unit.attempt(work);
    const part: Part = { running: work(), joined: undefined };
    this.parts.push(part);
    try {
      await part.running;
    } catch {
      // Told below, after what it wrote is undone.
    } finally {
      this.parts.pop();
    }
    return (part.joined ?? part.running) as Promise<T>;
  }

  /** Makes parts of the transaction of all that is running, from the outermost to the innermost. */
  private join(index: number): Promise<void> {
    const part = this.parts[index];
    if (part === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      part.joined = this.unit.attempt(() => {
        void this.join(index + 1).then(resolve, reject);
        return part.running;
      });
      part.joined.catch(reject);
    });
  }
}

type Invoke<T> = (scope: MacroScope) => Promise<T>;

/** The transaction of one execution, which begins in its midst. Where it has to run again, the execution begins anew inside of it. */
export class LazyTransaction<T> {
  private done: Promise<T> | undefined;

  constructor(
    private readonly context: SessionContext,
    private readonly invoke: Invoke<T>,
    /** Told `true` when the module is done and the transaction ends, `false` when it begins anew. */
    private readonly onEnding: (isEnding: boolean) => void,
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
        this.onEnding(false);
        if (tries === 1) {
          opened(r, attempt);
          resolve();
        }
        const outcome = await (tries === 1 ? running : this.invoke(MacroScope.joined(this.context, r, attempt)));
        this.onEnding(true);
        return outcome;
      };
      this.done = this.context.database.storage.transaction(work);
      this.done.catch(reject);
    });
  }
}
