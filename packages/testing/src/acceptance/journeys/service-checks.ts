import { expect } from "../../matchers/expect.ts";
import type { ServerCheck } from "../target/visit.ts";
import { inSection } from "./journey.ts";

const check = inSection("service", null);

/** The service itself, without a session. */
export const serviceChecks: readonly ServerCheck[] = [
  check("returns its name and version", async (visit) => {
    expect(await visit.anonymous().checkService()).toEqual({
      applicationName: expect.any(String),
      applicationVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  }),
  check("describes its routes as OpenAPI", async (visit) => {
    const document = await visit.anonymous().describeApi();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(document.paths as object)).toEqual(
      expect.arrayContaining(["/v1/login", "/v1/objects/{className}", "/v1/multi"]),
    );
  }),
  check("sends security headers and a request id", async (visit) => {
    const answer = await fetch(`${visit.target.url}/_CheckService`, { headers: { "x-request-id": visit.mark } });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-request-id": visit.mark,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    await answer.arrayBuffer();
  }),
];
