import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { catalogue, errorEntry, extensions, isErrorCode } from "@sallyport/storage";
import {
  administrationOperations,
  databaseOperations,
  declaredErrors,
  needsAppKey,
  operationsOf,
  takesSession,
} from "@sallyport/contract";
import { tableLines } from "@sallyport/client/terminal";
import { configurationFields } from "./configuration/index.ts";
import { checkReference, referenceFiles, writeReference } from "./reference.ts";
import { errorPages } from "./reference/errors.ts";

describe("reference", () => {
  const folder = resolve(import.meta.dirname, "../../../docs/reference");
  const published = (name: string) => readFileSync(join(folder, name), "utf8");
  const routes = [...operationsOf(databaseOperations), ...operationsOf(administrationOperations)];
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

  interface Operation {
    readonly responses: Readonly<Record<string, { readonly content: { "application/json"?: { examples?: object } } }>>;
  }

  /** Every failure of the published API description, as `code status route`. */
  function failuresInDescription(): string[] {
    const pathsOf = (name: string) =>
      (JSON.parse(published(name)) as { paths: Record<string, Record<string, Operation>> }).paths;
    const all = { ...pathsOf("openapi.json"), ...pathsOf("administration-openapi.json") };
    return Object.entries(all).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses = {} }]) =>
        Object.entries(responses).flatMap(([status, { content }]) =>
          Object.keys(content["application/json"]?.examples ?? {}).map(
            (code) => `${code} ${status} ${nameOf({ method: method.toUpperCase(), path })}`,
          ),
        ),
      ),
    );
  }

  /** The rows of the published list of errors. Each links to the page of its code. */
  function rowsOfList(): { code: number; status: number; name: string }[] {
    return [...published("errors.md").matchAll(/^\| \[`(\d+)`\]\(errors\/\1\.md\) \| (\d+) \| (.+?) \| .+? \|$/gm)].map(
      ([, code, status, name]) => ({ code: Number(code), status: Number(status), name: String(name) }),
    );
  }

  const groups: Readonly<Record<string, string[]>> = {
    "All routes.": routes.map(nameOf),
    "All routes that need an app key.": routes.filter(needsAppKey).map(nameOf),
    "All routes that accept a session.": routes
      .filter(({ access }) => access === "session" || access === "optional")
      .map(nameOf),
    "All routes that accept a session, except those of administration.": routes.filter(takesSession).map(nameOf),
    "All routes that need a session, except those of administration.": routes
      .filter((route) => route.access === "session" && takesSession(route))
      .map(nameOf),
    "All routes that need a session.": routes.filter(({ access }) => access === "session").map(nameOf),
  };

  /** The routes on the published page of a code. */
  function routesOfPage(code: number): string[] {
    const [, text = ""] = /^## Routes\n\n(.+?)\n\n\[All errors\]/ms.exec(published(`errors/${code}.md`)) ?? [];
    const [first = ""] = text.split(" Also:");
    return [...(groups[first] ?? []), ...[...text.matchAll(/`([^`]+)`/g)].map(([, name]) => String(name))];
  }

  describe("published reference", () => {
    test("lists the catalogue and its extensions, and nothing else", () => {
      const entries = [...catalogue, ...extensions].map(({ code, status, name }) => ({ code, status, name }));
      expect(rowsOfList().map(({ code, status, name }) => ({ code, status, name }))).toEqual(entries);
    });

    test("describes exactly the failures that the routes declare", () => {
      const declared = routes.flatMap((route) =>
        declaredErrors(route).map((code) => `${code} ${errorEntry(code).status} ${nameOf(route)}`),
      );
      expect(failuresInDescription().toSorted()).toEqual(declared.toSorted());
    });

    test("says the same on the pages of errors and in the API description", () => {
      const listed = rowsOfList().flatMap(({ code, status }) =>
        routesOfPage(code).map((route) => `${code} ${status} ${route}`),
      );
      expect(listed.toSorted()).toEqual(failuresInDescription().toSorted());
    });

    test("has every route under a heading of its own", () => {
      const headings = ["api.md", "administration-api.md"].flatMap((page) =>
        [...published(page).matchAll(/^### `([A-Z]+ \/.*)`$/gm)].map(([, name]) => String(name)),
      );
      expect(headings.toSorted()).toEqual([...routes.map(nameOf), "GET /.well-known/jwks.json"].toSorted());
    });

    test("has every field and every variable of the configuration", () => {
      const text = published("configuration.md");
      const fields = [...text.matchAll(/^\| `([^`]+)` \| (?:`([^`]+)`)?/gm)].map(
        ([, path, env]) => `${path} ${env ?? "-"}`,
      );
      const known = configurationFields().map(({ path, env }) => `${path} ${env ?? "-"}`);
      expect(fields.toSorted()).toEqual(known.toSorted());
    });

    test.each([...referenceFiles().keys()])("warns in %s against manual changes", (name) => {
      expect(published(name)).toContain("Generated by `npm run docs`");
    });
  });

  describe("reference files", () => {
    let directory: string;

    beforeEach(() => {
      directory = join(mkdtempSync(join(tmpdir(), "sallyport-reference-")), "new");
    });

    afterEach(() => rmSync(resolve(directory, ".."), { recursive: true }));

    test("are up to date once written", () => {
      expect(checkReference(directory)).toEqual([...referenceFiles().keys()]);
      writeReference(directory);
      expect(checkReference(directory)).toEqual([]);
    });

    test("are distinguished from changed files", () => {
      writeReference(directory);
      appendFileSync(join(directory, "errors.md"), "\n");
      expect(checkReference(directory)).toEqual(["errors.md"]);
    });

    test("give causes and remedies for the codes that a route returns, and for no other", () => {
      const reserved = "This code is reserved: no route of this version returns it.";
      for (const [name, text] of errorPages(routes)) {
        const isReserved = text.includes(reserved);
        expect([name, /## Causes\n\n\S[^]*## What to do\n\n\S/.test(text)]).toEqual([name, !isReserved]);
      }
      expect(errorPages([]).every(([, text]) => text.includes(reserved))).toBe(true);
      expect(rowsOfList().every(({ code }) => isErrorCode(code))).toBe(true);
    });
  });
});

describe("table lines", () => {
  test("columns are as wide as the widest cell, and lines have no trailing blanks", () => {
    expect(
      tableLines(
        ["NAME", "STATE"],
        [
          ["a", "enabled"],
          ["field service", ""],
        ],
      ),
    ).toEqual(["NAME           STATE", "a              enabled", "field service"]);
  });

  test("a character takes one column, however it is composed", () => {
    expect(tableLines(["N", "S"], [["\u{10400}ü", "x"]])).toEqual(["N   S", "\u{10400}ü  x"]);
  });

  test("control characters for a terminal are escaped", () => {
    expect(tableLines(["N"], [["\u001B[31mred\r\u202Eturned\u200B"]])[1]).toBe(
      "\\u{1b}[31mred\\u{d}\\u{202e}turned\\u{200b}",
    );
  });
});
