import type { ConformanceRun } from "@sallyport/conformance-kit";
import { badgeEndpoint, badgeOf, badgeSvg } from "../../src/reports/badge.ts";
import { sampleRun, unwrittenRun } from "./sample-run.ts";

const passed: ConformanceRun = { ...sampleRun, results: sampleRun.results.slice(0, 2) };

test.each([
  ["all that was run has passed", passed, "1 check passed", "#2e7d32"],
  ["some have failed", sampleRun, "2 of 3 checks failed", "#b71c1c"],
  ["some are to be written", unwrittenRun, "1 of 4 checks passed", "#616161"],
  [
    "something was thrown beside them",
    { ...passed, strayErrors: [new Error("terminated")] },
    "1 stray error",
    "#b71c1c",
  ],
])("a badge tells that %s", (_title, run, message, color) => {
  expect(badgeOf(run)).toEqual({ label: "sallyport storage", message, color });
});

test("the endpoint is what shields.io reads", () => {
  expect(JSON.parse(badgeEndpoint(badgeOf(passed)))).toEqual({
    schemaVersion: 1,
    label: "sallyport storage",
    message: "1 check passed",
    color: "#2e7d32",
  });
});

test("the image is one of its own, with texts as they are", () => {
  const svg = badgeSvg({ label: 'a<b>"&"', message: "1 check passed", color: "#2e7d32" });
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="20" role="img" aria-label="a&lt;b&gt;&quot;&amp;&quot;: 1 check passed">/,
  );
  expect(svg).toContain(">1 check passed</text>");
  expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|<script|href/);
});
