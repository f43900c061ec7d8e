import { type Statement, statement } from "../../statement.ts";

const joints = new Map<string, Statement>();

/**
 * Statements that answer nothing as one, which is all or nothing without a transaction around it: calls of functions are made in their order,
 * and rows are added once all of them are made. `null` if there is another one among them, or a call behind an addition.
 */
export function jointStatement(statements: readonly Statement[]): Statement | null {
  const calls = statements.filter(({ joint }) => joint === "call");
  const additions = statements.filter(({ joint }) => joint === "addition");
  if (
    calls.length === 0 ||
    calls.length + additions.length < statements.length ||
    statements.slice(calls.length).some(({ joint }) => joint === "call")
  )
    return null;
  const name = statements.map((each) => each.name).join(" ");
  const known = joints.get(name);
  if (known !== undefined) return known;
  const made = join(calls, additions);
  joints.set(name, made);
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
  return statement("joint", `${added.length === 0 ? "" : `with ${added.join(", ")} `}select ${made.join(", ")}`);
}
