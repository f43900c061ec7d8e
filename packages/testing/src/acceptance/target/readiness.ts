import { SallyportError } from "@sallyport/client";
import { type Target, Visit } from "./visit.ts";

/** The target for a server with the demo. */
export const demoTarget = {
  alias: "",
  appKey: "demo-app-key",
  appName: "demo-app",
  user: "demo",
  password: "demo",
  className: "Customer",
} as const;

/** Why a server cannot be tested, in one sentence; `null` if it can. */
export async function whyUntestable(target: Target, hasDemo: boolean): Promise<string | null> {
  const { url } = target;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return `The address must begin with http:// or https://, unlike "${url}".`;
  const code = await codeOf(target);
  if (typeof code === "string") return code;
  if (code === 101 && hasDemo)
    return `The server at ${url} does not have the demo: it does not know its app key. Pass the credentials of an account.`;
  if (code === 101) return `The server at ${url} does not know the app key.`;
  if (code === 307) return `The server at ${url} takes credentials over TLS only.`;
  // The app key is valid, and there is no session.
  if (![200, 204].includes(code)) return `The server at ${url} cannot be used: it answers ${code}.`;
  const accounts = hasDemo ? ["demo", "reader", "admin"].map((name) => ({ user: name, password: name })) : [target];
  for (const { user, password } of accounts) {
    const refused = await tryLogIn({ ...target, user, password });
    if (refused === 0) continue;
    return hasDemo
      ? `The demo at ${url} has changed: ${user} cannot log in with the password of the demo (${refused}). An empty DATA_DIR starts over.`
      : `${user} cannot log in at ${url} (${refused}).`;
  }
  return null;
}

/** Codes of Node for certificates without a trusted authority, such as self-signed ones. */
const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** The code of a session check with the app key only; a sentence if no service answers. */
async function codeOf({ url, alias, appKey }: Target): Promise<number | string> {
  let text: string;
  try {
    const answer = await fetch(`${url}${alias === "" ? "" : `/${alias}`}/_CheckSession`, {
      headers: { appkey: appKey },
    });
    text = await answer.text();
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? String(error);
    if (unknownAuthority.has(reason))
      return `The certificate of ${url} is from an unknown authority (${reason}). Name a file with the certificate of the authority in NODE_EXTRA_CA_CERTS.`;
    if (/^(?:CERT|ERR_TLS)_/.test(reason)) return `The certificate of ${url} is not valid (${reason}).`;
    return `No server responds at ${url} (${reason}).`;
  }
  const code = /"internalStatus":"(\d+)"/.exec(text)?.[1];
  return code === undefined ? `What answers at ${url} is not this service.` : Number(code);
}

/** The code of a log-in, whose session is ended again. */
async function tryLogIn(target: Target): Promise<number> {
  try {
    await (await new Visit(target).logIn("session")).logOut();
    return 0;
  } catch (error) {
    if (error instanceof SallyportError) return error.code;
    throw error;
  }
}
