import { errorEntry, type ErrorCode } from "@sallyport/storage/errors";
import { expect } from "../../matchers/expect.ts";
import type { ServerCheck } from "../target/visit.ts";
import { inSection } from "./journey.ts";

const check = inSection("errors", null);

const refused = (
  code: ErrorCode,
  method: string,
  path: string,
  headers: (appKey: string) => Readonly<Record<string, string>> = (appkey) => ({ appkey }),
): ServerCheck =>
  check(`answers ${method} ${path} with ${code}`, async ({ target }) => {
    const { url, alias, appKey } = target;
    const prefix = alias === "" ? "" : `/${alias}`;
    const answer = await fetch(`${url}${prefix}${path}`, { method, headers: headers(appKey) });
    const { status, name } = errorEntry(code);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ status: { internalStatus: `${code}`, statusMessage: name } });
  });

/** Refusals that need no session. */
export const errorChecks: readonly ServerCheck[] = [
  refused(100, "GET", "/_CheckSession", () => ({})),
  refused(101, "GET", "/_CheckSession", () => ({ appkey: "no app key of any server" })),
  refused(200, "GET", "/v1/objects/Customer"),
  refused(201, "GET", "/v1/objects/Customer", (appkey) => ({ appkey, sessionid: "A".repeat(43) })),
  refused(203, "GET", "/v1/objects/Customer", (appkey) => ({ appkey, authorization: "Bearer x" })),
  refused(304, "GET", "/v1/no-such-route"),
  refused(305, "DELETE", "/v1/login"),
  refused(207, "POST", "/v1/login", (appkey) => ({ appkey, "content-type": "text/html" })),
];
