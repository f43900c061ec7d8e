/** What a callback brings, and how. */
export interface Callback {
  readonly address: string;
  readonly method: "GET" | "POST";
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Goes to the address that a log-in begins at as a browser would, chooses an account (`null`: cancels), and tells what would be sent to
 * the application.
 */
export async function signIn(address: string, accountId: string | null): Promise<Callback> {
  const seen = await fetch(address);
  if (!seen.ok || !(await seen.text()).includes("<form")) throw new Error("the imitation did not take the request");
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
