import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Router } from "express";
import { codedTag } from "../answer.ts";
import { fixedHeaders } from "../envelope.ts";
import { acceptedCoding, type Coding, compressed, compressedFrom } from "../compression.ts";
import { requestIdOf } from "../exchange/exchange.ts";
import type { DatabaseDirectory, HttpSettings } from "../http-settings.ts";
import { offlinePage } from "./offline-page.ts";
import { type Playground, playgroundPage, startPage } from "./playground-pages.ts";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const { "Content-Type": _json, ...fixed } = fixedHeaders;

const headers = {
  ...fixed,
  "Content-Security-Policy": contentSecurityPolicy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

interface PlaygroundParts {
  readonly playground: Playground;
  readonly databases: DatabaseDirectory;
  readonly settings: HttpSettings;
}

/** Serves `/` to browsers, and `/docs` with its files for every database. The pages load nothing from other origins. */
export function playgroundRouter({ playground, databases, settings }: PlaygroundParts): Router {
  const { applicationName: name, applicationVersion: version, basePath } = settings;
  const files = new PlaygroundFiles();
  const options = { caseSensitive: true, strict: true };
  const pages = Router(options);
  pages.get("/", (request, response) => {
    response.set({ ...headers, "X-Request-Id": requestIdOf(request), Vary: "Accept" });
    // The page uses relative URLs.
    if (!request.originalUrl.split("?", 1)[0]?.endsWith("/")) return response.redirect(308, `${basePath}/`);
    response.type("html").send(startPage({ name, version, demo: playground.demo("") }));
  });
  // Other paths fall through to the API.
  pages.use("{/:alias}/docs", (request, response, next) => {
    if (request.method !== "GET" || !databases.has(aliasOf(request.params))) return next("router");
    response.set({ ...headers, "X-Request-Id": requestIdOf(request) });
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
    const file = await files.get(fileName);
    if (file === undefined) return next("router");
    const coding = acceptedCoding(request.headers["accept-encoding"]?.toString());
    const { content, tag } = coding === null ? file : await file.in(coding);
    // The browser revalidates the file on every use.
    response.set({ "Cache-Control": "no-cache", ETag: tag, Vary: "Accept-Encoding" }).type(extname(fileName));
    if (tag !== file.tag) response.set("Content-Encoding", coding as string);
    response.send(content);
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

/** The files of the page by name. Each is read once. */
class PlaygroundFiles {
  private readonly read = new Map<string, ReturnType<typeof load>>();

  get(name: string): ReturnType<typeof load> | undefined {
    const place = places.get(name);
    if (place === undefined) return undefined;
    const page = this.read.get(name) ?? load(place);
    this.read.set(name, page);
    return page;
  }
}

interface Representation {
  readonly content: Buffer;
  readonly tag: string;
}

/** Loads a file. Its ETag is a content hash, because package installers reset modification times. */
async function load(
  place: string,
): Promise<Representation & { readonly in: (coding: Coding) => Promise<Representation> }> {
  const content = await readFile(place);
  const plain = { content, tag: `"${createHash("sha256").update(content).digest("base64url")}"` };
  const coded = new Map<Coding, Representation>();
  const inCoding = async (coding: Coding): Promise<Representation> => {
    const cached = coded.get(coding);
    if (cached !== undefined || content.length < compressedFrom) return cached ?? plain;
    const bytes = await compressed(content, coding);
    if (bytes === null) return plain;
    const made = { content: bytes, tag: codedTag(plain.tag, coding) };
    coded.set(coding, made);
    return made;
  };
  return { ...plain, in: inCoding };
}
