import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type Request, type Response, Router } from "express";
import type { AdministrationReach } from "../administration-reach.ts";
import { documentHeaders } from "../document-headers.ts";
import { requestIdOf } from "../exchange/exchange.ts";
import type { DatabaseDirectory, HttpSettings } from "../http-settings.ts";
import { PublicFiles } from "../public-files.ts";

/** What the console shows of a database, and needs, before the log-in. Public. */
export interface ConsoleLook {
  readonly label: string | null;
  readonly color: string | null;
  /** App key of users who are no administrators; `null`: they cannot log in. */
  readonly appKey: string | null;
  readonly appName: string | null;
}

/** Port: the console in the browser. */
export interface Console {
  /** Absolute path of the folder with the built application. */
  readonly folder: string;
  look(alias: string): ConsoleLook;
}

interface ConsoleParts {
  readonly console: Console;
  readonly databases: DatabaseDirectory;
  readonly settings: HttpSettings;
  readonly reach: AdministrationReach;
}

const start = "index.html";

/** Vite puts files below `assets` under names with a hash of their content. */
const hashed = /^assets\/.+-[\w-]{8,}\.\w+$/;

/**
 * Serves the console at `/console` of every database, and leads browsers from `/` to it. The files are those in the folder
 * now: a request is looked up in their list. Without the start page there is no console, and `null` is returned.
 */
export function consoleRouter({ console: page, databases, settings, reach }: ConsoleParts): Router | null {
  const places = filesBelow(page.folder);
  if (!places.has(start)) return null;
  const { basePath, applicationVersion: version } = settings;
  const files = new PublicFiles(places);
  const options = { caseSensitive: true, strict: true };
  const pages = Router(options);
  const send = (name: string, caching: string, request: Request, response: Response): Promise<void> => {
    response.set({ ...documentHeaders("console", caching), "X-Request-Id": requestIdOf(request) });
    return files.send(name, request, response);
  };
  const lead = (request: Request, response: Response, target: string): void => {
    response.set({ ...documentHeaders("console"), "X-Request-Id": requestIdOf(request), Vary: "Accept" });
    // Relative, so that it works behind a proxy with a prefix.
    response.redirect(302, target);
  };
  pages.use((request, _response, next) => next(reach.admits(request) ? undefined : "router"));
  pages.get("/", (request, response, next) => {
    const [alias] = databases.has("") ? [""] : databases.keys();
    if (alias === undefined) return next("router");
    const [path = ""] = request.originalUrl.split("?", 1);
    // Relative to the last slash of the address.
    const steps = [path.slice(path.lastIndexOf("/") + 1), alias, "console"].filter((step) => step !== "");
    lead(request, response, `${steps.join("/")}/`);
  });
  // Other paths fall through to the API.
  pages.use("{/:alias}/console", (request, _response, next) =>
    next(
      (request.method === "GET" || request.method === "HEAD") && databases.has(aliasOf(request)) ? undefined : "router",
    ),
  );
  pages.get("{/:alias}/console", (request, response) => lead(request, response, "console/"));
  pages.get("{/:alias}/console/", (request, response) => send(start, "no-cache", request, response));
  pages.get("{/:alias}/console/config.json", (request, response) => {
    const alias = aliasOf(request);
    const { label, color, appKey, appName } = page.look(alias);
    response.set({ ...documentHeaders("console"), "X-Request-Id": requestIdOf(request) });
    response.json({ version, alias, databases: [{ alias, label, color }], label, color, appKey, appName });
  });
  pages.get("{/:alias}/console/*name", async (request, response, next) => {
    const { name } = request.params as { readonly name?: readonly string[] };
    const path = (name ?? []).join("/");
    if (!files.has(path)) return next("router");
    const caching = hashed.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
    await send(path, caching, request, response);
  });
  return Router(options).use(basePath === "" ? "/" : basePath, pages);
}

function aliasOf({ params }: Pick<Request, "params">): string {
  const { alias = "" } = params;
  return typeof alias === "string" ? alias : "";
}

/** The files below a folder by their paths in it, with slashes. Empty if there is no folder. */
function filesBelow(folder: string): ReadonlyMap<string, string> {
  const entries = readFolder(folder).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const place = join(entry.parentPath, entry.name);
      return [relative(folder, place).split(sep).join("/"), place];
    }),
  );
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
