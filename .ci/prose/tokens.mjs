/** Words after which a slash begins a regular expression. */
const BEFORE_EXPRESSION = /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|yield|await)\s*$/;

const NAME = /[A-Za-z_$][\w$]*/y;
const NUMBER = /\d[\w.]*/y;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const STRING = /"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
const BLOCK_COMMENT = /\/\*[^]*?\*\//y;

/**
 * The comments, texts and names of a TypeScript or JavaScript file.
 *
 * @param {string} source
 * @returns {{kind: "comment" | "text" | "name", text: string, start: number}[]} in order; a template is one text per
 *   part between its expressions
 */
export function tokensOf(source) {
  const tokens = [];
  /** For each open brace: whether it opened an expression of a template. */
  const braces = [];
  let at = 0;
  /** The last character that is neither a space nor in a comment, and the position after it. */
  let last = { character: "", end: 0 };

  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const take = (kind, text) => {
    if (kind !== null) tokens.push({ kind, text, start: at });
    at += text.length;
    if (kind !== "comment") last = { character: text.at(-1), end: at };
  };
  const isValueBefore = () =>
    /[\w$)\]}"'`]/.test(last.character) && !BEFORE_EXPRESSION.test(source.slice(Math.max(0, last.end - 12), last.end));

  /** Takes a part of a template, from a backtick or a closing brace to the next expression or the end. */
  const takeTemplatePart = () => {
    let end = at + 1;
    while (end < source.length && source[end] !== "`" && !source.startsWith("${", end))
      end += source[end] === "\\" ? 2 : 1;
    const opens = source[end] === "$";
    take("text", source.slice(at, end + (opens ? 2 : 1)));
    if (opens) {
      braces.push(true);
      last = { character: "{", end: at };
    } else last = { character: "`", end: at };
  };

  while (at < source.length) {
    const character = source[at];
    if (/\s/.test(character)) at += 1;
    else if (source.startsWith("//", at)) take("comment", match(LINE_COMMENT));
    else if (source.startsWith("/*", at)) take("comment", match(BLOCK_COMMENT) ?? source.slice(at));
    else if (character === '"' || character === "'") take("text", match(STRING) ?? character);
    else if (character === "`") takeTemplatePart();
    else if (character === "{") {
      braces.push(false);
      take(null, character);
    } else if (character === "}") {
      if (braces.pop()) takeTemplatePart();
      else take(null, character);
    } else if (character === "/" && !isValueBefore()) take(null, match(REGEXP) ?? character);
    else {
      const name = match(NAME);
      if (name !== undefined) take("name", name);
      else take(null, match(NUMBER) ?? character);
    }
  }
  return tokens;
}
