import { formPost, logInPage } from "../pages/log-in-page.ts";
import type { Call } from "./call.ts";
import { refuse, sendPage } from "./answer.ts";

export interface AuthorizationRules {
  /** For people. */
  readonly title: string;
  /** What a callback says when somebody cancels. */
  readonly cancelled: Readonly<Record<string, string>>;
  readonly requires: readonly string[];
  /** Callbacks come as a form. */
  readonly postsForm?: boolean;
}

/** The log-in page, and what was decided there. */
export function authorize(call: Call, rules: AuthorizationRules): void {
  const { imitation, query, form, request, response } = call;
  const callback = query.get("redirect_uri") ?? "";
  const client = imitation.clients.get(query.get("client_id") ?? "");
  if (client === undefined || !(client.callbacks?.includes(callback) === true || isLoopback(callback)))
    return refuse(call, 400, "invalid_request");
  const complete = rules.requires.every((name) => (query.get(name) ?? "") !== "");
  const challenge = query.get("code_challenge");
  const hasMethod = challenge === null || query.get("code_challenge_method") === "S256";
  const hasMode = rules.postsForm !== true || query.get("response_mode") === "form_post";
  if (query.get("response_type") !== "code" || !complete || !hasMethod || !hasMode)
    return refuse(call, 400, "invalid_request");
  if (request.method !== "POST") return sendPage(response, 200, logInPage(rules.title, imitation.accounts.values()));

  const account = imitation.accounts.get(form.get("account") ?? "") ?? null;
  const members = new Map([["state", query.get("state") ?? ""]]);
  if (account === null) {
    for (const [name, value] of Object.entries(rules.cancelled)) members.set(name, value);
  } else {
    const nonce = query.get("nonce");
    members.set(
      "code",
      imitation.codes.issue({ account, clientId: client.clientId, callback, nonce, challenge, grantedAt: call.now }),
    );
    // Only the first time, and it is the browser that says it.
    if (rules.postsForm === true)
      members.set(
        "user",
        JSON.stringify({ name: { firstName: account.name, lastName: account.surname }, email: account.email }),
      );
  }
  if (rules.postsForm === true) return sendPage(response, 200, formPost(callback, members));
  const address = new URL(callback);
  for (const [name, value] of members) address.searchParams.set(name, value);
  response.writeHead(303, { location: address.href }).end();
}

/** On another machine, a code could be sent to somebody who has no business here. */
function isLoopback(callback: string): boolean {
  return URL.canParse(callback) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(callback).hostname);
}
