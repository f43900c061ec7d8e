import { type Statement, statement as newStatement } from "../../sql-runner.ts";

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
  let parameters = 0;
  const texts = [...calls, ...additions].map(({ text }) => {
    const before = parameters;
    return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
      parameters = Math.max(parameters, before + Number(number));
      return `$${before + Number(number)}`;
    });
  });
  const made = texts.slice(0, calls.length).map((text) => text.replace(/^select /, ""));
  const added = texts.slice(calls.length).map((text, index) => `added_${index} as (${text})`);
  return newStatement("joint", `${added.length === 0 ? "" : `with ${added.join(", ")} `}select ${made.join(", ")}`);
}
