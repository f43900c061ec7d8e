/** A part of a template: text as it is, a value, or a section that is there only with a value, or only without it. */
type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly name: string }
  | { readonly kind: "section"; readonly name: string; readonly wanted: boolean; readonly parts: readonly Part[] };

/** What a template can be filled with; `null` where there is no such value. */
export type TemplateValues = ReadonlyMap<string, string | null>;

const tag = /(?<!\{)\{\{(?<sign>[#^/]?)(?<name>[a-z]+)\}\}(?!\})/g;

/** A line that holds nothing but the begin or the end of a section leaves nothing behind. */
const loneTag = /^[ \t]*(\{\{[#^/][a-z]+\}\})[ \t]*\r?\n/gm;

/**
 * A text with places for values: `{{name}}`, and `{{#link}}…{{/link}}` or `{{^link}}…{{/link}}` around what is there only with or only
 * without a value. There is nothing else: no expressions, no way around `escape`.
 */
export class Template {
  private constructor(private readonly parts: readonly Part[]) {}

  /** Reads a template that may use these names; the reasons if it cannot be one. */
  static read(source: string, names: ReadonlySet<string>): Template | readonly string[] {
    const faults: string[] = [];
    const top: Part[] = [];
    let open: { readonly name: string; readonly wanted: boolean; readonly parts: Part[] } | null = null;
    let end = 0;
    const text = source.replaceAll(loneTag, "$1");
    const add = (part: Part) => (open?.parts ?? top).push(part);
    const addText = (to: number) => {
      const between = text.slice(end, to);
      if (/\{\{|\}\}/.test(between))
        faults.push(
          `has braces that are no place for a value: ${JSON.stringify(between.slice(Math.max(0, between.search(/\{\{|\}\}/))).slice(0, 30))}`,
        );
      if (between !== "") add({ kind: "text", text: between });
    };
    for (const { 0: whole, index, groups } of text.matchAll(tag)) {
      addText(index);
      end = index + whole.length;
      const { sign = "", name = "" } = groups ?? {};
      if (!names.has(name)) faults.push(`has ${whole}, but ${name} is none of ${[...names].join(", ")}`);
      if (sign === "") add({ kind: "value", name });
      else if (sign === "/") {
        if (open?.name !== name) faults.push(`ends a section with ${whole} that is not open`);
        else top.push({ kind: "section", ...open });
        open = null;
      } else {
        if (open !== null) faults.push(`begins a section with ${whole} inside another one`);
        open = { name, wanted: sign === "#", parts: [] };
      }
    }
    if (open !== null) faults.push(`does not end the section ${(open as { name: string }).name}`);
    addText(text.length);
    return faults.length > 0 ? faults : new Template(top);
  }

  /** Names of the values that are shown somewhere. */
  get shown(): ReadonlySet<string> {
    return new Set(
      this.parts
        .flatMap((part) => (part.kind === "section" ? part.parts : [part]))
        .flatMap((part) => (part.kind === "value" ? [part.name] : [])),
    );
  }

  render(values: TemplateValues, escape: (value: string) => string): string {
    return filled(this.parts, values, escape);
  }
}

function filled(parts: readonly Part[], values: TemplateValues, escape: (value: string) => string): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      const value = values.get(part.name) ?? null;
      if (part.kind === "value") return escape(value ?? "");
      return (value !== null) === part.wanted ? filled(part.parts, values, escape) : "";
    })
    .join("");
}

/** What brings along something from elsewhere, or runs: a mail would tell that it is read, or be taken for dangerous. */
const refused: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /<\s*(?:script|iframe|object|embed|link|form|base)\b/i,
    "has an element that mail must not have (script, iframe, object, embed, link, form, base)",
  ],
  [/\son[a-z]+\s*=/i, "has an event attribute"],
  [/\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?!data:|cid:|["'\s>])/i, "loads something from elsewhere"],
  [/url\(\s*["']?\s*(?!data:)/i, "loads something from elsewhere in its style"],
  [/@import/i, "imports a style"],
  [/<meta\s[^>]*http-equiv\s*=\s*["']?\s*refresh/i, "leads somewhere else"],
  [/\bhref\s*=\s*["']?\s*(?:javascript|data|vbscript):/i, "has a link that runs something"],
  [/=\s*(?:\{\{|[^"'\s>{]*\{\{)/, "has a place for a value in an attribute without quotation marks"],
];

/** What of an HTML template must not be in a mail. */
export function htmlFaults(source: string): string[] {
  return refused.flatMap(([pattern, what]) => (pattern.test(source) ? [what] : []));
}
