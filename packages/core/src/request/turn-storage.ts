import {
  type Attempt,
  type AttributeIndex,
  type BatchRepositories,
  type CallKind,
  callKinds,
  type CancellableRead,
  type ClassDefinition,
  type IndexReport,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type Storage,
  type StorageArchive,
  type StorageCapabilities,
} from "@sallyport/storage";
import type { Turns, TurnTaker } from "../capacity/index.ts";
import type { AutonomousWork, UnitOfWork } from "./unit-of-work.ts";

/** The argument of a call that can be a `CancellableRead`, by the kind of the call. */
const optionsAt: ReadonlyMap<CallKind, number> = new Map([
  ["search", 1],
  ["survey", 0],
]);

/** A request that takes turns. */
export interface TurningRequest extends TurnTaker {
  /** Whether the client has disconnected. */
  readonly hasLeft: () => boolean;
}

/**
 * The storage of one request. Its calls take turns with those of other requests. Each call is a turn, and so are a
 * transaction and reads that belong together. Until they end, the request never waits for another turn, which
 * could be behind its own.
 *
 * A request whose client has disconnected begins no other call, unless it has written: then it comes to its end.
 */
export class TurnStorage implements Storage, UnitOfWork {
  readonly joined = false;
  readonly models = null;
  readonly repositories: Repositories;
  /** The turn is taken for all calls until its work ends: those of a transaction, and reads that belong together. */
  private depth = 0;
  private hasWritten = false;
  private readonly cancellable: CancellableRead = {
    onCancel: (call) =>
      this.request.onDisconnect(() => {
        if (!this.hasWritten) call();
      }),
  };

  constructor(
    private readonly storage: Storage,
    private readonly turns: Turns,
    private readonly request: TurningRequest,
  ) {
    const made = { repositories: storage.repositories, turns: this, made: {} } satisfies TurnRepositories;
    this.repositories = Object.assign(Object.create(turningRepositories) as Repositories, made);
  }

  get capabilities(): StorageCapabilities {
    return this.storage.capabilities;
  }

  get archive(): StorageArchive {
    return this.storage.archive;
  }

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.hold("write", () => this.storage.transaction(work));
  }

  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T> {
    return this.hold("write", () => this.storage.batch(work));
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  autonomously(work: AutonomousWork): Promise<void> {
    return work(this.repositories);
  }

  migrate(classes?: readonly ClassDefinition[]): Promise<MigrationReport> {
    return this.storage.migrate(classes);
  }

  alignIndexes(indexes: readonly AttributeIndex[]): Promise<IndexReport | "busy"> {
    return this.storage.alignIndexes(indexes);
  }

  readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    return this.call("read", () => this.storage.readyIndexes(indexes));
  }

  health(): Promise<void> {
    return this.storage.health();
  }

  now(): Promise<number> {
    return this.call("short", () => this.storage.now());
  }

  close(): Promise<void> {
    return this.storage.close();
  }

  /** Runs a call of the storage. `cancellable`: subscribes it to the disconnection of the client. */
  call<T>(kind: CallKind, work: (cancellable?: CancellableRead) => Promise<T>): Promise<T> {
    if (kind === "short") return work();
    if (this.depth === 0) return this.inTurn(kind, work);
    this.noteWrite(kind);
    return work(this.cancellableRead(kind));
  }

  /** Runs all calls of the work in one turn of this kind. */
  hold<T>(kind: CallKind, work: () => Promise<T>): Promise<T> {
    if (this.depth > 0) {
      this.noteWrite(kind);
      return work();
    }
    return this.inTurn(kind, async () => {
      this.depth += 1;
      try {
        return await work();
      } finally {
        this.depth -= 1;
      }
    });
  }

  private async inTurn<T>(kind: CallKind, work: (cancellable?: CancellableRead) => Promise<T>): Promise<T> {
    const { request, turns } = this;
    const early = this.disconnection();
    if (early !== undefined) throw early;
    const taken = turns.take(request, kind === "row", () => this.disconnection());
    const turn = taken instanceof Promise ? await taken : taken;
    this.noteWrite(kind);
    try {
      const answer = await work(this.cancellableRead(kind));
      const pause = turns.resume(turn);
      if (pause !== undefined) await pause;
      const late = this.disconnection();
      if (late !== undefined) throw late;
      return answer;
    } catch (error) {
      throw this.disconnection(error) ?? error;
    } finally {
      turns.end(turn);
    }
  }

  /** A request that has written comes to its end. */
  private noteWrite(kind: CallKind): void {
    this.hasWritten ||= kind === "write" || kind === "row";
  }

  /** Cancels a read of this kind when the client disconnects. */
  private cancellableRead(kind: CallKind): CancellableRead | undefined {
    return optionsAt.has(kind) && !this.hasWritten ? this.cancellable : undefined;
  }

  /** The error of a request that ends because its client has disconnected. */
  private disconnection(cause?: unknown): ServiceError | undefined {
    if (this.hasWritten || !this.request.hasLeft()) return undefined;
    if (cause instanceof ServiceError && cause.code === 699) return cause;
    const when = cause === undefined ? "The client has disconnected." : "The client has disconnected during a read.";
    return new ServiceError(699, { detail: when, cause });
  }
}

/** The options of a read that a second cause can cancel, too. */
function alsoCancelled<Options extends CancellableRead>(
  options: Options | undefined,
  second: CancellableRead,
): Options {
  const first = options?.onCancel;
  if (first === undefined) return { ...options, ...second } as Options;
  const onCancel = (call: () => void) => {
    const unsubscriptions = [first(call), second.onCancel?.(call)];
    return () => unsubscriptions.forEach((unsubscribe) => unsubscribe?.());
  };
  return { ...options, onCancel } as Options;
}

type AnyCall = (...parameters: unknown[]) => Promise<unknown>;
type AnyRepository = Readonly<Record<string, AnyCall>>;

/** A repository whose calls take turns. Its prototype has the calls. */
interface TurnRepository {
  readonly repository: AnyRepository;
  readonly turns: TurnStorage;
}

/** What the repositories of one request are made of, on first use: most requests use one or two. */
interface TurnRepositories {
  readonly repositories: Repositories;
  readonly turns: TurnStorage;
  readonly made: Record<string, TurnRepository | undefined>;
}

const turningRepositories = {};
for (const [area, kinds] of Object.entries(callKinds)) {
  const calls = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const call = function (this: TurnRepository, ...parameters: unknown[]): Promise<unknown> {
      const of =
        typeof kind === "function" ? (kind as (first: unknown) => CallKind)(parameters[0]) : (kind as CallKind);
      return this.turns.call(of, (cancellable) => {
        const place = optionsAt.get(of);
        if (cancellable !== undefined && place !== undefined)
          parameters[place] = alsoCancelled(parameters[place] as CancellableRead | undefined, cancellable);
        return (this.repository[name] as AnyCall)(...parameters);
      });
    };
    Object.defineProperty(calls, name, { value: call });
  }
  const get = function (this: TurnRepositories): TurnRepository {
    const { repositories, turns } = this;
    const repository = repositories[area as keyof Repositories] as unknown as AnyRepository;
    return (this.made[area] ??= Object.assign(Object.create(calls) as object, { repository, turns }));
  };
  Object.defineProperty(turningRepositories, area, { get, enumerable: true });
}
