/** JavaScript source that is not a literal. */
export class Code {
  constructor(readonly text: string) {}
}

const identifier = /^[A-Za-z_$][\w$]*$/;
const longestLine = 100;

/** A JSON value as a JavaScript literal, with the code in it. */
export function literal(value: unknown, indent = ""): string {
  if (value instanceof Code) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Array.isArray(value)
    ? value.map((each) => ["", each] as const)
    : Object.entries(value).map(
        ([name, each]) => [`${identifier.test(name) ? name : JSON.stringify(name)}: `, each] as const,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"];
  if (entries.length === 0) return Array.isArray(value) ? "[]" : "{}";
  const flat = `${open}${entries.map(([name, each]) => name + literal(each)).join(", ")}${close}`;
  if (flat.length + indent.length <= longestLine && !flat.includes("\n")) return flat;
  const deeper = `${indent}  `;
  const lines = entries.map(([name, each]) => `${deeper}${name}${literal(each, deeper)},`);
  return [open.trim(), ...lines, `${indent}${close.trim()}`].join("\n");
}

/** The members of a value as source: `.data.items[0]["~ObjectID"]`. */
export function accessor(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === "string" && identifier.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`))
    .join("");
}

/** Identifiers of a scope, each once. */
export class Names {
  readonly #taken = new Set<string>(reserved);

  /** A free identifier that begins with the text. */
  free(text: string): string {
    const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
    const joined = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join("");
    const base = /^[a-z]/i.test(joined) ? joined : `value${joined}`;
    let name = base;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}${count}`;
    this.#taken.add(name);
    return name;
  }
}

const lowerFirst = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);
const upperFirst = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Names of the suite, and words that JavaScript reserves. */
const reserved = [
  ..."after afterAll agentOf assert assertError before beforeAll beforeEach databases describeEachMode service test".split(
    " ",
  ),
  ..."await break case catch class const continue debugger default delete do else enum export extends false".split(" "),
  ..."finally for function if implements import in instanceof interface let new null package private".split(" "),
  ..."protected public return static super switch this throw true try typeof undefined var void while with yield".split(
    " ",
  ),
];
