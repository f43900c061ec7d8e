/**
 * A step of a transaction. Rows have a number as their value, and a place in an index of odd and even numbers. A put stores the sum
 * of all numbers that the transaction has read so far, plus a number of its own.
 */
export type Step =
  | { readonly kind: "get" | "put" | "delete"; readonly key: string }
  | { readonly kind: "range" | "count" | "odd" | "even" | "fail" };

/** Transactions to run at once, by their steps, and the rows that they find. */
export interface Scenario {
  readonly rows: Readonly<Record<string, number>>;
  readonly transactions: readonly (readonly Step[])[];
}

/** The transactions by the order of their steps: each entry lets one make its next call. Begins and commits are calls. */
export type Schedule = readonly number[];

const alone: ReadonlySet<string> = new Set(["range", "count", "odd", "even", "fail"]);

export function stepText(step: Step): string {
  return "key" in step ? `${step.kind} ${step.key}` : step.kind;
}

/** A scenario as a line: `a=1 b=1 | get a, put b | range, put a`. */
export function scenarioText({ rows, transactions }: Scenario): string {
  const state = Object.entries(rows).map(([key, number]) => `${key}=${number}`);
  return [state.join(" "), ...transactions.map((steps) => steps.map(stepText).join(", "))].join(" | ");
}

/** The numbers of transactions, from 1. */
export function scheduleText(schedule: Schedule): string {
  return schedule.map((index) => index + 1).join("");
}

/** Parses a scenario with a schedule behind `@`. Throws an error for any other text. */
export function parseSchedule(text: string): { readonly scenario: Scenario; readonly schedule: Schedule } {
  const [before = "", order = "", ...more] = text.split("@");
  const [state = "", ...transactions] = before.split("|").map((part) => part.trim());
  const rows = Object.fromEntries(
    state.split(/\s+/).flatMap((row) => {
      const [, key, number] = /^([a-z])=(\d{1,6})$/.exec(row) ?? [];
      if (row !== "" && key === undefined) throw new Error(`"${row}" is not a row such as a=1.`);
      return key === undefined ? [] : [[key, Number(number)] as const];
    }),
  );
  const scenario = {
    rows,
    transactions: transactions.map((steps) => steps.split(",").map((step) => parseStep(step.trim()))),
  };
  const schedule = [...order.replaceAll(/\s/g, "")].map((digit) => Number(digit) - 1);
  const isKnown = (index: number) => index >= 0 && index < transactions.length;
  if (transactions.length === 0 || transactions.length > 9 || more.length > 0 || !schedule.every(isKnown))
    throw new Error('A schedule has this form: "a=1 b=1 | get a, put b | get b, put a @ 1212".');
  return { scenario, schedule };
}

function parseStep(text: string): Step {
  if (alone.has(text)) return { kind: text as "range" };
  const [, kind, key] = /^(get|put|delete) ([a-z])$/.exec(text) ?? [];
  if (kind === undefined || key === undefined) throw new Error(`"${text}" is not a step.`);
  return { kind: kind as "get", key };
}

/** The number that a put of this step adds to the sum of all numbers read before. Each step has its own. */
export function ownNumber(transaction: number, step: number): number {
  return (transaction + 1) * 100 + step;
}

export function isOdd(number: number): boolean {
  return number % 2 === 1;
}
