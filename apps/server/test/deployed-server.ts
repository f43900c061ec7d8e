import { demoCredentials } from "../src/demo/index.ts";

const { appKey, apps, users, customUsers } = demoCredentials;
const doors = [
  ...users.map((user) => ({ door: "/v1/login", ...user })),
  ...customUsers.map((user) => ({ door: "/v1/auth/df", ...user })),
];

/** Why a deployed server cannot be tested, in one sentence; `null` if it answers and has the unchanged demo. */
export async function whyUntestable(url: string): Promise<string | null> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return `BASE_URL must be an http or https address, and not "${url}".`;
  let answer: Response;
  try {
    answer = await fetch(`${url}/_CheckSession`, { headers: { appkey: appKey } });
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    return `No server responds at ${url} (${cause?.code ?? cause?.message ?? String(error)}).`;
  }
  const code = internalStatus(await answer.text());
  if (code === null) return `What answers at ${url} is not this service.`;
  if (code === "101") return `The server at ${url} does not have the demo: it does not know its app key.`;
  if (code === "307") return `The server at ${url} takes credentials over TLS only.`;
  // The app key was valid, and there was no session.
  if (!["200", "204"].includes(code))
    return `The server at ${url} cannot be used: it answers ${answer.status}/${code}.`;
  for (const { door, name, password } of doors) {
    if (await opens(url, door, { user: name, pass: password })) continue;
    return `The demo at ${url} has changed: ${name} cannot log in with the password of the demo. An empty DATA_DIR starts over.`;
  }
  return null;
}

/** Whether a log-in succeeds; the session is ended again. */
async function opens(url: string, door: string, credentials: object): Promise<boolean> {
  const headers = { appkey: appKey, "content-type": "application/json" };
  const answer = await fetch(`${url}${door}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...credentials, appNames: [apps[0].name] }),
  });
  const text = await answer.text();
  if (internalStatus(text) !== "0") return false;
  const { data } = JSON.parse(text) as { data?: { sessionId?: string } };
  await fetch(`${url}/v1/logout`, { method: "POST", headers: { appkey: appKey, sessionid: data?.sessionId ?? "" } });
  return true;
}

function internalStatus(text: string): string | null {
  try {
    const { status } = JSON.parse(text) as { status?: { internalStatus?: unknown } };
    return typeof status?.internalStatus === "string" ? status.internalStatus : null;
  } catch {
    return null;
  }
}
