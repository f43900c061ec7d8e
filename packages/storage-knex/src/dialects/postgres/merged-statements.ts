import { ServiceError } from "@sallyport/storage";
import { type SqlResult, type Statement, statement as newStatement } from "../../sql-runner.ts";
import type { Query } from "./connection.ts";

/** Statements in a merged one. */
const most = 3;

type Send = (query: Query, statement: Statement) => Promise<SqlResult<unknown>>;

interface WaitingStatement {
  readonly query: Query;
  readonly statement: Statement;
  readonly resolve: (answer: SqlResult<never> | Promise<SqlResult<never>>) => void;
}

/**
 * Sends the mergeable statements of one moment as one. For small statements, the start of each costs the database and the
 * driver more than its work. If one fails, so do all of them. Only a value that cannot be stored fails its own statement alone:
 * two requests can share a moment.
 */
export class MergedStatements {
  private waiting: WaitingStatement[] = [];

  constructor(private readonly send: Send) {}

  run<Row>(query: Query, statement: Statement): Promise<SqlResult<Row>> {
    // A repetition comes from another request. Without it, there are few different merged statements.
    if (this.waiting.length === most || this.waiting.some(({ statement: { name } }) => name === statement.name))
      this.flush();
    if (this.waiting.length === 0) queueMicrotask(() => this.flush());
    return new Promise((resolve) => {
      this.waiting.push({ query, statement, resolve: resolve as WaitingStatement["resolve"] });
    });
  }

  private flush(): void {
    const { waiting } = this;
    this.waiting = [];
    const [first, ...others] = waiting;
    if (first === undefined) return;
    if (others.length === 0) {
      first.resolve(this.send(first.query, first.statement) as Promise<SqlResult<never>>);
      return;
    }
    const merged = mergedStatement(waiting.map(({ statement }) => statement));
    const values = waiting.flatMap(({ query }) => query.values ?? []);
    const answer = this.send({ ...merged, values }, merged) as Promise<SqlResult<MergedRow>>;
    for (const [index, { query, statement, resolve }] of waiting.entries())
      resolve(
        answer.then(
          (result) => partOf(result, index),
          (error: unknown) => {
            if (!(error instanceof ServiceError) || error.code !== 307) throw error;
            return this.send(query, statement) as Promise<SqlResult<never>>;
          },
        ),
      );
  }
}

type MergedRow = Readonly<Record<string, readonly never[] | null>>;

function partOf({ rows: [row] }: SqlResult<MergedRow>, index: number): SqlResult<never> {
  const rows = [...(row?.[partName(index)] ?? [])];
  return { rows, rowCount: rows.length };
}

const partName = (index: number) => `part_${index}`;

/** By the names of their statements. */
const mergers = new Map<string, Statement>();

/** One statement whose columns have the rows of each of the statements as JSON. */
export function mergedStatement(statements: readonly Statement[]): Statement {
  const names = statements.map(({ name }) => name).join(" ");
  const merged = mergers.get(names) ?? newStatement("merged", mergedText(statements));
  mergers.set(names, merged);
  return merged;
}

function mergedText(statements: readonly Statement[]): string {
  const numbers = new Renumbering();
  const ctes: string[] = [];
  const parts: string[] = [];
  for (const [index, { merges, text }] of statements.entries()) {
    numbers.next(text);
    if (merges?.ctes) ctes.push(numbers.of(merges.ctes));
    const select = numbers.of(merges?.select ?? text);
    parts.push(`(select json_agg(merged_row) from (${select}) merged_row) as ${partName(index)}`);
  }
  return `${withText(ctes)}select ${parts.join(", ")}`;
}

/** Numbers the parameters of several texts on from one another. */
class Renumbering {
  private before = 0;
  private highest = 0;

  /** Begins a text, whose parts `of` renumbers. */
  next(text: string): void {
    this.before = this.highest;
    for (const [, number] of text.matchAll(parameter))
      this.highest = Math.max(this.highest, this.before + Number(number));
  }

  of(text: string): string {
    return text.replaceAll(parameter, (_, number: string) => `$${this.before + Number(number)}`);
  }
}

const parameter = /\$(\d+)/g;

function withText(ctes: readonly string[]): string {
  return ctes.length === 0 ? "" : `with ${ctes.join(", ")} `;
}

/** By the names of their statements, which a name stands for. */
const batches = new Map<string, Statement | null>();

/**
 * Combines statements without answers into one atomic statement: function calls run in order, then rows are inserted.
 * Returns `null` if it includes another kind of statement, or a call after an insert.
 */
export function batchStatement(statements: readonly Statement[]): Statement | null {
  let name = "";
  for (const statement of statements) name += `${statement.name} `;
  const existing = batches.get(name);
  if (existing !== undefined) return existing;
  const calls = statements.filter(({ batch }) => batch === "call");
  const additions = statements.filter(({ batch }) => batch === "addition");
  const isBatch =
    calls.length > 0 &&
    calls.length + additions.length === statements.length &&
    statements.slice(calls.length).every(({ batch }) => batch === "addition");
  const made = isBatch ? join(calls, additions) : null;
  batches.set(name, made);
  return made;
}

function join(calls: readonly Statement[], additions: readonly Statement[]): Statement {
  const numbers = new Renumbering();
  const texts = [...calls, ...additions].map(({ text }) => {
    numbers.next(text);
    return numbers.of(text);
  });
  const made = texts.slice(0, calls.length).map((text) => text.replace(/^select /, ""));
  const added = texts.slice(calls.length).map((text, index) => `added_${index} as (${text})`);
  return newStatement("joint", `${withText(added)}select ${made.join(", ")}`);
}
