import { fixedHeaders } from "./envelope.ts";

const { "Content-Type": _json, "Content-Security-Policy": _policy, ...fixed } = fixedHeaders;

const { "Cache-Control": _caching, ...ofAnyPart } = {
  ...fixed,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** What every document may load: files of this origin, and nothing inline. */
const ownParts = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Text never becomes markup or code in these documents, but by policies of these names. */
const withoutTexts = (names = "'none'") => ["require-trusted-types-for 'script'", `trusted-types ${names}`];

/** The policies of the documents of this origin. */
const policies = {
  console: [
    ...ownParts,
    "img-src 'self' blob:",
    "font-src 'self'",
    "worker-src 'self'",
    // For the address of the worker that reads PDFs.
    ...withoutTexts("console-worker"),
  ],
  startPage: [...ownParts, "img-src 'self' data:", ...withoutTexts()],
  /** Swagger UI writes markup, and the offline sample registers a service worker: both need texts as code. */
  documentation: [...ownParts, "img-src 'self' data:"],
};

/** Headers of the documents of this origin, and of their files. Those of the fixed answers forbid caching. */
export function documentHeaders(policy: keyof typeof policies, caching = fixed["Cache-Control"]) {
  return { ...ofAnyPart, "Cache-Control": caching, "Content-Security-Policy": policies[policy].join("; ") };
}
