/** Why a deployed server cannot be tested, in one sentence; `null` if it answers and holds the demo. */
export async function whyUntestable(url: string): Promise<string | null> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return `BASE_URL must be an http or https address, and not "${url}".`;
  let answer: Response;
  try {
    answer = await fetch(`${url}/_CheckSession`, { headers: { appkey: "demo-app-key" } });
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    return `No server answers at ${url} (${cause?.code ?? cause?.message ?? String(error)}).`;
  }
  const code = internalStatus(await answer.text());
  if (code === null) return `What answers at ${url} is not this service.`;
  if (code === "101") return `The server at ${url} does not hold the demo: it does not know its app key.`;
  if (code === "307") return `The server at ${url} takes credentials over TLS only.`;
  // The app key was good, and there was no session.
  return ["200", "204"].includes(code) ? null : `The server at ${url} cannot be used: it answers ${answer.status}/${code}.`;
}

function internalStatus(text: string): string | null {
  try {
    const { status } = JSON.parse(text) as { status?: { internalStatus?: unknown } };
    return typeof status?.internalStatus === "string" ? status.internalStatus : null;
  } catch {
    return null;
  }
}
