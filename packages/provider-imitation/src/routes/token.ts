import type { Grant } from "../granted-codes.ts";
import type { ImitatedClient } from "../imitated-client.ts";
import { isSignedClient } from "../tokens/signed-client.ts";
import { answer, followed, refuse } from "./answer.ts";
import type { Call } from "./call.ts";

/** Trades the code of a form for what `make` makes of it. */
export async function trade(
  call: Call,
  make: (grant: Grant) => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const { imitation, form, query } = call;
  // Before the code is spent: who follows has it still.
  if (imitation.misbehaviour.answers?.token === "redirectsToAnswer" && !query.has(followed))
    return answer(call, "token", {});
  const client = imitation.clients.get(form.get("client_id") ?? "");
  if (client === undefined || !isItself(call, client)) return refuse(call, 401, "invalid_client");
  if (form.get("grant_type") !== "authorization_code") return refuse(call, 400, "unsupported_grant_type");
  const grant = imitation.codes.redeem(form.get("code") ?? "", {
    clientId: client.clientId,
    callback: form.get("redirect_uri") ?? "",
    verifier: form.get("code_verifier") ?? "",
    now: call.now,
  });
  if (grant === null) return refuse(call, 400, "invalid_grant");
  answer(call, "token", await make(grant));
}

/** Who Apple is, as whom it is addressed and as whom it signs. */
export const appleIssuer = "https://apple.imitation.invalid";

function isItself({ form, now }: Call, client: ImitatedClient): boolean {
  const secret = form.get("client_secret") ?? "";
  return client.clientSecret === null
    ? isSignedClient(client, secret, appleIssuer, now / 1_000)
    : secret === client.clientSecret;
}
