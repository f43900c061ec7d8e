import type { FakeAccount } from "./fake-account.ts";

/** Escapes a text for HTML. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 12vh auto; padding: 0 1rem }
  button { display: block; width: 100%; margin: .5rem 0; padding: .6rem 1rem; font: inherit; text-align: left; cursor: pointer; border: 1px solid; border-radius: 6px }
  small { display: block; opacity: .7 }
</style>
${body}
</html>
`;

/** The page to choose an account. Its form posts to the page's own URL. */
export function logInPage(provider: string, accounts: Iterable<FakeAccount>): string {
  const choices = Array.from(
    accounts,
    ({ id, name, surname, email }) =>
      `<button name="account" value="${escaped(id)}">${escaped(`${name} ${surname}`)}<small>${escaped(email)}</small></button>`,
  );
  return page(
    `Fake ${provider}`,
    `<h1>Fake ${escaped(provider)}</h1>
<p>Choose an account. The accounts are fictitious and have no passwords.</p>
<form method="post">
${choices.join("\n")}
<button name="account" value="">Cancel</button>
</form>`,
  );
}

/** A page that posts the result to the application, as Apple does. */
export function formPost(address: string, members: ReadonlyMap<string, string>): string {
  const fields = [...members].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return page(
    "Back to the application",
    `<form method="post" action="${escaped(address)}">
${fields.join("\n")}
<button>Back to the application</button>
</form>
<script>document.forms[0].submit()</script>`,
  );
}

/** The request that a callback makes. */
export interface Callback {
  readonly address: string;
  readonly method: "GET" | "POST";
  readonly parameters: ReadonlyMap<string, string>;
}

/** A callback as a browser sends it. */
export interface CallbackRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A form; `null` for `GET`. */
  readonly body: string | null;
}

/** `cookie`: that of the started log-in; `null` for another browser. `origin` replaces that of the address. */
export function callbackRequest(
  { address, method, parameters }: Callback,
  cookie: string | null,
  origin?: string,
): CallbackRequest {
  const url = origin === undefined ? address : `${origin}${new URL(address).pathname}`;
  const queryText = new URLSearchParams([...parameters]).toString();
  const headers = cookie === null ? {} : { Cookie: cookie };
  if (method === "GET") return { method, url: `${url}?${queryText}`, headers, body: null };
  return { method, url, headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" }, body: queryText };
}

/** The cookie that a browser sends back after a response with this header. */
export const cookieOf = (setCookie: string | undefined): string => (setCookie ?? "").split(";", 1)[0] ?? "";

/**
 * Acts as a browser: opens the authorization URL, chooses an account (`null` cancels), and returns the callback without
 * sending it.
 */
export async function signIn(address: string, accountId: string | null): Promise<Callback> {
  const seen = await fetch(address);
  if (!seen.ok || !(await seen.text()).includes("<form")) throw new Error("the fake provider did not take the request");
  const answer = await fetch(address, {
    method: "POST",
    body: new URLSearchParams({ account: accountId ?? "" }),
    redirect: "manual",
  });
  const location = answer.headers.get("location");
  const text = await answer.text();
  if (location !== null) {
    const { origin, pathname, searchParams } = new URL(location);
    return { address: `${origin}${pathname}`, method: "GET", parameters: new Map(searchParams) };
  }
  const [, action = ""] = /action="([^"]*)"/.exec(text) ?? [];
  const fields = [...text.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  return {
    address: unescaped(action),
    method: "POST",
    parameters: new Map(fields.map(([, name = "", value = ""]) => [unescaped(name), unescaped(value)])),
  };
}

const unescaped = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
