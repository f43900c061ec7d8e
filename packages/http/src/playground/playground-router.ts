import { fileURLToPath } from "node:url";
import { Router } from "express";
import { documentHeaders } from "../document-headers.ts";
import { requestIdOf } from "../exchange/exchange.ts";
import type { DatabaseDirectory, HttpSettings } from "../http-settings.ts";
import { offlinePage } from "./offline-page.ts";
import { PublicFiles } from "../public-files.ts";
import { type Playground, playgroundPage, startPage } from "./playground-pages.ts";

interface PlaygroundParts {
  readonly playground: Playground;
  readonly databases: DatabaseDirectory;
  readonly settings: HttpSettings;
}

/** Serves `/` to browsers, and `/docs` with its files for every database. The pages load nothing from other origins. */
export function playgroundRouter({ playground, databases, settings }: PlaygroundParts): Router {
  const { applicationName: name, applicationVersion: version, basePath } = settings;
  const files = new PublicFiles(places);
  const options = { caseSensitive: true, strict: true };
  const pages = Router(options);
  pages.get("/", (request, response) => {
    response.set({ ...documentHeaders("startPage"), "X-Request-Id": requestIdOf(request), Vary: "Accept" });
    // The page uses relative URLs.
    if (!request.originalUrl.split("?", 1)[0]?.endsWith("/")) return response.redirect(308, `${basePath}/`);
    response.type("html").send(startPage({ name, version, demo: playground.demo("") }));
  });
  // Other paths fall through to the API.
  pages.use("{/:alias}/docs", (request, response, next) => {
    if (request.method !== "GET" || !databases.has(aliasOf(request.params))) return next("router");
    response.set({ ...documentHeaders("documentation"), "X-Request-Id": requestIdOf(request) });
    next();
  });
  pages.get("{/:alias}/docs", (request, response) => {
    const alias = aliasOf(request.params);
    response.type("html").send(playgroundPage({ name, version, alias, demo: playground.demo(alias) }));
  });
  pages.get("{/:alias}/docs/offline", (request, response, next) => {
    const alias = aliasOf(request.params);
    const demo = playground.demo(alias);
    if (demo === null) return next("router");
    response.type("html").send(offlinePage({ name, version, alias, demo }));
  });
  pages.get("{/:alias}/docs/", (_request, response) => response.redirect(308, "../docs"));
  pages.get("{/:alias}/docs/:file", async (request, response, next) => {
    const { file: fileName = "" } = request.params;
    if (!files.has(fileName)) return next("router");
    // The browser revalidates the file on every use.
    response.set("Cache-Control", "no-cache");
    await files.send(fileName, request, response);
  });
  return Router(options).use(basePath === "" ? "/" : basePath, pages);
}

function aliasOf({ alias = "" }: Readonly<Record<string, string | string[]>>): string {
  return typeof alias === "string" ? alias : "";
}

const own = (name: string): string => fileURLToPath(new URL(`../../public/${name}`, import.meta.url));
/** The bundle of `offline/` and the files of Swagger UI, see `apps/server/bundle.mjs`. */
const built = (name: string): string => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

const places: ReadonlyMap<string, string> = new Map([
  ["swagger-ui.css", built("swagger-ui/swagger-ui.css")],
  ["swagger-ui-bundle.js", built("swagger-ui/swagger-ui-bundle.js")],
  ["playground.css", own("playground.css")],
  ["playground.js", own("playground.js")],
  ["own-example.js", own("own-example.js")],
  ["start.css", own("start.css")],
  ["offline.css", own("offline.css")],
  ["offline.js", built("offline.js")],
  ["offline-worker.js", own("offline-worker.js")],
]);
