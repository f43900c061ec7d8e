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
