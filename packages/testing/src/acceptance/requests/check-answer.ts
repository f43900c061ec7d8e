import { errorEntry, type ErrorCode } from "@sallyport/storage/errors";
import { assertError, assertSuccess } from "../../matchers/assert.ts";
import { expect } from "../../matchers/expect.ts";
import type { Case } from "../cases/case.ts";
import type { CaseAnswer } from "./send-case.ts";

/** The transport of the answer: in clear text, encrypted by the session, or as the encrypted answer to a log-in. */
export type Transport = "clear" | "session" | "log-in";

const contentTypes: Readonly<Record<Transport, string>> = {
  clear: "application/json; charset=utf-8",
  session: "application/text; charset=utf-8",
  "log-in": "text/plain; charset=utf-8",
};

const encryptedHeaders: Readonly<Record<Transport, unknown>> = {
  clear: undefined,
  session: expect.stringMatching(/^v=1;iv=[A-Za-z0-9+/]{22}==$/),
  "log-in": "v=1",
};

/** Compares an answer, its text decrypted, with the expectation of a case. */
export function checkAnswer(
  { method, expect: { data, headers, lacks, isDocument } }: Case,
  code: number,
  answer: CaseAnswer,
  transport: Transport,
): void {
  const entry = code === 0 ? { status: 200, name: "ok" } : errorEntry(code as ErrorCode);
  expect({ status: answer.status, text: answer.status === entry.status ? "" : answer.text }).toEqual({
    status: entry.status,
    text: "",
  });
  expect(answer.headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(answer.headers["content-type"]).toBe(contentTypes[transport]);
  expect(answer.headers["encrypted"]).toEqual(encryptedHeaders[transport]);
  for (const [name, value] of Object.entries(headers ?? {})) {
    expect(answer.headers[name]).toEqual(typeof value === "string" ? value : expect.stringMatching(value));
  }
  if (method === "HEAD") return;
  const body = JSON.parse(answer.text);
  expect((lacks ?? []).filter((text) => answer.text.includes(text))).toEqual([]);
  if (code === 0 && isDocument === true) return data?.(body);
  const response = { status: answer.status, body };
  if (code === 0) assertSuccess(response);
  else assertError(response, code);
  data?.(body.data);
}
