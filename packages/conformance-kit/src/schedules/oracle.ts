import { isOdd, ownNumber, type Scenario, type Step, stepText } from "./script.ts";

/** The numbers of rows, by key. */
export type Rows = ReadonlyMap<string, number>;

/** The result of a step: a number of rows, or the found rows. */
export interface Reading {
  readonly step: Step;
  readonly rows: Rows;
  /** Of a count. */
  readonly count: number | null;
}

/** The committed transactions, what they have read, and the rows left behind. */
export interface Outcome {
  /** The readings of each transaction, `null` for one that is not committed. */
  readonly readings: readonly (readonly Reading[] | null)[];
  readonly rows: Rows;
  /** Pairs of transactions of which the first had ended before the second one began. */
  readonly order: readonly (readonly [number, number])[];
}

/** The number that a put stores. */
export function numberToPut(readings: readonly Reading[], transaction: number, step: number): number {
  const read = readings.flatMap(({ rows, count }) => [...rows.values(), count ?? 0]);
  return read.reduce((sum, number) => sum + number, 0) + ownNumber(transaction, step);
}

export function rowsText(rows: Rows): string {
  const shown = [...rows]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, number]) => `${key}=${number}`);
  return shown.length === 0 ? "none" : shown.join(" ");
}

export function readingText({ step, rows, count }: Reading): string {
  return `${stepText(step)}: ${count ?? rowsText(rows)}`;
}

export function readingsText(readings: readonly Reading[] | null): string {
  if (readings === null) return "not committed";
  return readings.length === 0 ? "nothing" : readings.map(readingText).join(", ");
}

/** The outcome of committed transactions one after another. */
function serialOutcome({ rows: rowsBefore, transactions }: Scenario, order: readonly number[]): Omit<Outcome, "order"> {
  const rows = new Map(Object.entries(rowsBefore));
  const readings: (readonly Reading[] | null)[] = transactions.map(() => null);
  for (const index of order) {
    const own: Reading[] = [];
    const found = (step: Step, isFound: (key: string, number: number) => boolean, isCount = false) => {
      const matches = new Map([...rows].filter(([key, number]) => isFound(key, number)));
      own.push(isCount ? { step, rows: new Map(), count: matches.size } : { step, rows: matches, count: null });
    };
    for (const [position, step] of (transactions[index] ?? []).entries()) {
      if (step.kind === "get") found(step, (key) => key === step.key);
      else if (step.kind === "put") rows.set(step.key, numberToPut(own, index, position));
      else if (step.kind === "delete") rows.delete(step.key);
      else if (step.kind === "range" || step.kind === "count") found(step, () => true, step.kind === "count");
      else if (step.kind !== "fail") found(step, (_key, number) => isOdd(number) === (step.kind === "odd"));
    }
    readings[index] = own;
  }
  return { readings, rows };
}

function permutationsOf(list: readonly number[]): number[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first) => permutationsOf(list.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}

/** A serial order, and what differs from its outcome. */
export interface Explanation {
  readonly order: readonly number[];
  readonly outcome: Omit<Outcome, "order">;
  /** Number of transactions that read something else, plus one if other rows are left. */
  readonly differences: number;
}

/** The serial order of the committed transactions that explains an outcome best. Without differences, it is an explanation. */
export function bestExplanation(scenario: Scenario, actual: Outcome): Explanation {
  const committed = actual.readings.flatMap((readings, index) => (readings === null ? [] : [index]));
  const allowed = permutationsOf(committed).filter((order) =>
    actual.order.every(
      ([first, second]) =>
        !order.includes(first) || !order.includes(second) || order.indexOf(first) < order.indexOf(second),
    ),
  );
  const explanations = allowed.map((order) => {
    const outcome = serialOutcome(scenario, order);
    const different = actual.readings.filter(
      (readings, index) => readingsText(readings) !== readingsText(outcome.readings[index] ?? null),
    );
    const differences = different.length + (rowsText(actual.rows) === rowsText(outcome.rows) ? 0 : 1);
    return { order, outcome, differences };
  });
  return explanations.reduce((best, each) => (each.differences < best.differences ? each : best));
}
