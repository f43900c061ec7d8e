import { type Kernel, type KernelTransaction, type Row, ServiceError, type TableDeclaration } from "@sallyport/storage";
import { described } from "../assert/described.ts";
import { numberToPut, type Outcome, type Reading, readingText, type Rows } from "./oracle.ts";
import { isOdd, type Scenario, type Schedule, type Step, stepText } from "./script.ts";

/** The table of all schedules. Those of one run have keys of their own. */
export const scheduleTable: TableDeclaration = { name: "kitSchedules", indexes: ["parity"] };

const table = scheduleTable.name;

/** How long a call can take until it counts as blocked by another transaction. A wrong guess only changes the schedule. */
export interface Grace {
  readonly turns: number;
  readonly milliseconds: number;
}

/** A kernel in this process settles calls within some turns of the event loop. */
export function graceOf({ durable, severalProcesses }: Kernel["capabilities"]): Grace {
  return { turns: 20, milliseconds: durable || severalProcesses ? 20 : 0 };
}

/** A point at which several transactions could make their next call. */
export interface Decision {
  readonly chosen: number;
  readonly enabled: readonly number[];
  /** All events so far. Equal states have equal futures. */
  readonly state: string;
}

export interface Run {
  readonly decisions: readonly Decision[];
  /** All calls in the order of their ends, with what they read. */
  readonly trace: readonly string[];
  readonly outcome: Outcome;
  /** A fault of the kernel apart from the outcome; `null`: none. */
  readonly fault: string | null;
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

/** One transaction of a run. It makes a call only when it is told to. */
class Participant {
  state: "idle" | "running" | "ended" = "idle";
  readings: Reading[] = [];
  isCommitted = false;
  fault: string | null = null;
  /** The numbers of the events of its begin and its end. */
  begun: number | null = null;
  ended = 0;
  private runs = 0;
  private proceed = () => {};

  constructor(
    readonly index: number,
    private readonly steps: readonly Step[],
    private readonly kernel: Kernel,
    private readonly rows: RunRows,
    private readonly note: (event: string) => number,
  ) {}

  /** Makes the next call. */
  next(): void {
    this.state = "running";
    if (this.begun === null) {
      this.begun = this.note("");
      void this.run();
    } else this.proceed();
  }

  private async run(): Promise<void> {
    const failure = new Error("failed as planned");
    try {
      await this.kernel.transaction(async (transaction) => {
        this.runs += 1;
        this.readings = [];
        this.settle(this.runs === 1 ? "begin" : `begin again (${this.runs})`);
        for (const [position, step] of this.steps.entries()) {
          await this.turn();
          if (step.kind === "fail") throw failure;
          const reading = await this.rows.perform(transaction, step, () =>
            numberToPut(this.readings, this.index, position),
          );
          if (reading !== null) this.readings.push(reading);
          this.settle(reading === null ? stepText(step) : readingText(reading));
        }
        await this.turn();
      });
      this.isCommitted = true;
      if (this.steps.some(({ kind }) => kind === "fail"))
        this.fault = "a transaction was committed although its work failed";
    } catch (error) {
      // A transaction that has lost all of its runs.
      const hasLost = error instanceof ServiceError && error.code === 706;
      if (error !== failure && !hasLost) this.fault = `a transaction failed with ${described(error)}`;
    }
    this.ended = this.settle(this.isCommitted ? "commit" : "rollback");
    this.state = "ended";
  }

  private settle(event: string): number {
    this.state = "idle";
    return this.note(`${this.index + 1} ${event}`);
  }

  private turn(): Promise<void> {
    return new Promise((resolve) => {
      this.proceed = resolve;
    });
  }
}

/** The rows of one run. */
class RunRows {
  constructor(private readonly prefix: string) {}

  row(key: string, number: number): Row {
    const place = `${this.prefix}/${isOdd(number) ? "odd" : "even"}/${key}`;
    return { key: `${this.prefix}/${key}`, value: { number }, places: { parity: [place] } };
  }

  /** Makes the call of a step. */
  async perform(transaction: KernelTransaction, step: Step, numberOf: () => number): Promise<Reading | null> {
    switch (step.kind) {
      case "put":
        await transaction.put(table, [this.row(step.key, numberOf())]);
        return null;
      case "delete":
        await transaction.delete(table, [`${this.prefix}/${step.key}`]);
        return null;
      case "get":
        return {
          step,
          rows: this.numbersIn(await transaction.get(table, [`${this.prefix}/${step.key}`])),
          count: null,
        };
      case "count":
        return { step, rows: new Map(), count: await transaction.count(table, this.all(), 1_000) };
      case "range":
        return { step, rows: this.numbersIn(await transaction.range(table, this.all(), 1_000)), count: null };
      default:
        return { step, rows: this.numbersIn(await transaction.range(table, this.of(step.kind), 1_000)), count: null };
    }
  }

  /** All rows, by the keys and by the index. */
  left(kernel: Kernel): Promise<{ readonly byKey: Rows; readonly byIndex: Rows }> {
    return kernel.read(async (reader) => ({
      byKey: this.numbersIn(await reader.range(table, this.all(), 1_000)),
      byIndex: this.numbersIn([
        ...(await reader.range(table, this.of("even"), 1_000)),
        ...(await reader.range(table, this.of("odd"), 1_000)),
      ]),
    }));
  }

  private all() {
    return { from: `${this.prefix}/`, to: `${this.prefix}0` };
  }

  private of(parity: string) {
    return { index: "parity", from: `${this.prefix}/${parity}/`, to: `${this.prefix}/${parity}0` };
  }

  private numbersIn(rows: readonly Pick<Row, "key" | "value">[]): Rows {
    const numbers = rows.map(({ key, value }): [string, number] => [
      key.slice(this.prefix.length + 1),
      (value as { readonly number: number }).number,
    ]);
    return new Map(numbers);
  }
}

export interface RunOptions {
  /** The transaction with the index runs in the kernel with the index, or in that of the remainder. */
  readonly kernels: readonly [Kernel, ...Kernel[]];
  readonly grace: Grace;
  /** The beginning of all keys, its own for each run in a database. */
  readonly prefix: string;
}

/**
 * Runs the transactions of a scenario, one call at a time in the order of the schedule. Behind its end, and where it names a
 * transaction that is blocked or has ended, the one that made the last call goes on.
 */
export async function runSchedule(scenario: Scenario, schedule: Schedule, options: RunOptions): Promise<Run> {
  const { kernels, grace, prefix } = options;
  const rows = new RunRows(prefix);
  const initial = Object.entries(scenario.rows).map(([key, number]) => rows.row(key, number));
  await kernels[0].transaction((transaction) => transaction.put(table, initial));

  const [trace, decisions]: [string[], Decision[]] = [[], []];
  let [events, wake] = [0, () => {}];
  const note = (event: string) => {
    if (event !== "") trace.push(event);
    wake();
    events += 1;
    return events;
  };
  const participants = scenario.transactions.map(
    (steps, index) => new Participant(index, steps, kernels[index % kernels.length] as Kernel, rows, note),
  );
  const isRunning = ({ state }: Participant) => state === "running";
  const settled = async (waiting: readonly Participant[]) => {
    const start = performance.now();
    const hasTime = (turn: number) => turn < grace.turns || performance.now() - start < grace.milliseconds;
    for (let turn = 0; waiting.some(isRunning) && hasTime(turn); turn += 1) await nextTurn();
  };

  const planned = [...schedule];
  let last: Participant | undefined;
  while (participants.some(({ state }) => state !== "ended")) {
    const enabled = participants.filter(({ state }) => state === "idle");
    if (enabled.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      await nextTurn();
      continue;
    }
    let next = planned.length > 0 ? enabled.find(({ index }) => index === planned[0]) : undefined;
    if (planned.length > 0) planned.shift();
    if (next === undefined && planned.length > 0) continue;
    next ??= enabled.find((each) => each === last) ?? (enabled[0] as Participant);
    const blocked = participants.filter(isRunning).map(({ index }) => index + 1);
    decisions.push({
      chosen: next.index,
      enabled: enabled.map(({ index }) => index),
      state: `${trace.join("; ")}; blocked: ${blocked.join(", ")}`,
    });
    const before = trace.length;
    next.next();
    await settled([next]);
    // The end of a transaction, also one that runs again, lets blocked ones go on.
    if (trace.slice(before).some((event) => /^\d+ (?:commit|rollback|begin again)/.test(event)))
      await settled(participants);
    last = next;
  }

  const { byKey, byIndex } = await rows.left(kernels[0]);
  const isSame = byKey.size === byIndex.size && [...byKey].every(([key, number]) => byIndex.get(key) === number);
  const order = participants.flatMap((one) =>
    participants
      .filter(({ begun }) => begun !== null && one.ended < begun)
      .map((other) => [one.index, other.index] as const),
  );
  return {
    decisions,
    trace,
    outcome: { readings: participants.map((each) => (each.isCommitted ? each.readings : null)), rows: byKey, order },
    fault:
      participants.find(({ fault }) => fault !== null)?.fault ??
      (isSame ? null : "the index has other rows than the table"),
  };
}
