/** What the server tells a page before a log-in: `config.json` beside the page. */
export interface PageConfig {
  readonly version: string;
  /** Alias of the database. Empty for the first one. */
  readonly alias: string;
  readonly label: string | null;
  /** A name of the fixed list, or `#rrggbb`. */
  readonly color: string | null;
  /** With this key, users without administrator rights log in. `null`: they cannot. */
  readonly appKey: string | null;
  readonly appName: string | null;
}

export async function loadPageConfig(): Promise<PageConfig> {
  const answer = await fetch("config.json", { cache: "no-store" });
  if (!answer.ok) throw new Error(`config.json: ${answer.status}`);
  return (await answer.json()) as PageConfig;
}

/** Address of the database: the folder above that of the page, behind any proxy. */
export const databaseUrl = new URL("..", document.baseURI).href.replace(/\/$/, "");
