import type { LogInMode } from "@sallyport/client";
import { logInForm } from "../log-in-form.ts";
import { appKey, type Subject } from "../subject.ts";

/** The fields of a log-in, as they are to be sent. */
export type Fields = Readonly<Record<string, unknown>>;

export interface DoorAnswer {
  readonly status: number;
  /** The envelope, decrypted where it came encrypted. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly retryAfter: string | null;
}

/** A way in. */
export interface Door {
  readonly name: string;
  /** Whose password it takes. */
  readonly of: "database user" | "custom user";
  readonly knock: (subject: Subject, fields: Fields, headers: Readonly<Record<string, string>>) => Promise<DoorAnswer>;
}

/** All ways in that take a password. */
export const doors: readonly Door[] = [
  inMode("POST /v1/login", "session"),
  inMode("POST /v2/login", "token"),
  inMode("POST /v2/login, encrypted", "encrypted"),
  inMode("POST /v2/login/secure", "secure"),
  { name: "POST /v1/auth/df", of: "custom user", knock: (subject, fields, headers) => post(subject, "/v1/auth/df", JSON.stringify(fields), headers) },
];

function inMode(name: string, mode: LogInMode): Door {
  return {
    name,
    of: "database user",
    knock: async (subject, fields, headers) => {
      const { path, wrap, unwrap } = await logInForm(subject, mode);
      return post(subject, path, wrap(JSON.stringify(fields)), headers, unwrap);
    },
  };
}

async function post({ url }: Subject, path: string, body: string, headers: Readonly<Record<string, string>>, unwrap = (text: string) => text): Promise<DoorAnswer> {
  const sent = { appkey: appKey, "content-type": "application/json", ...headers };
  const answer = await fetch(url + path, { method: "POST", headers: sent, body });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text.startsWith("{") ? text : unwrap(text)), retryAfter: answer.headers.get("retry-after") };
}
