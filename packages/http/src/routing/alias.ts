const alias = /^[a-z][a-z0-9_-]{0,62}$/;

const reserved: ReadonlySet<string> = new Set(["v1", "v2", "admin", "docs", "healthz", "readyz", "metrics"]);

/** Whether a text can be the alias of a database: part of addresses, so never a word that begins one. */
export function isAlias(text: string): boolean {
  return alias.test(text) && !reserved.has(text);
}
