import { createHmac, randomBytes } from "node:crypto";
import { marker, send } from "./answer.ts";
import { authorize, exchangeCode } from "./authorization-code.ts";
import { idToken } from "./id-token.ts";
import { answer, type Call, wrongStatements } from "./fake-provider.ts";

const rules = {
  title: "Facebook",
  cancelled: { error: "access_denied", error_reason: "user_denied", error_description: marker },
  requires: ["state", "scope", "nonce", "code_challenge"],
};

const refuse = ({ response }: Call, code: number) =>
  send(response, 400, { error: { message: marker, type: "OAuthException", code, fbtrace_id: marker } });

export const facebookRoutes = {
  authorize: (call: Call) => authorize(call, rules),

  token: (call: Call) => {
    const { fake, form } = call;
    const client = fake.clients.get(form.get("client_id") ?? "");
    if (client === undefined) return refuse(call, 101);
    if (form.get("client_secret") !== client.clientSecret) return refuse(call, 1);
    return exchangeCode(call, async ({ account, clientId, nonce }) => {
      const token = randomBytes(48).toString("base64url");
      fake.accessTokens.set(token, { account, clientId });
      const content = {
        issuer: "https://facebook.fake.invalid",
        clientId,
        subject: account.subject,
        nonce,
        claims: {},
        now: Math.floor(call.now / 1_000),
      };
      const proof = await idToken(fake.keys, content, fake.faults.idToken);
      return {
        access_token: token,
        token_type: "bearer",
        expires_in: 5_184_000,
        ...(proof === null ? {} : { id_token: proof }),
      };
    });
  },

  /** Describes the token in `input_token`. Needs the credentials of an application. */
  debug: (call: Call) => {
    const { fake, query, now } = call;
    const [appId = "", secret = ""] = (query.get("access_token") ?? "").split("|");
    const token = query.get("input_token") ?? "";
    const grant = fake.accessTokens.get(token);
    if (fake.clients.get(appId)?.clientSecret !== secret) return refuse(call, 190);
    if (token === `${appId}|${secret}`)
      return answer(call, "debug", { data: { app_id: appId, type: "APP", is_valid: true } });
    const seconds = Math.floor(now / 1_000);
    const isValid = grant !== undefined;
    const data = {
      app_id: grant?.clientId ?? appId,
      type: "USER",
      is_valid: isValid,
      user_id: grant?.account.subject,
      expires_at: seconds + 5_184_000,
      scopes: ["email", "public_profile"],
    };
    const { debug: fault } = fake.faults;
    answer(call, "debug", { data: { ...data, ...(fault && wrongStatements[fault](seconds)) } });
  },

  profile: (call: Call) => {
    const { fake, query } = call;
    const token = query.get("access_token") ?? "";
    const grant = fake.accessTokens.get(token);
    const secret = fake.clients.get(grant?.clientId ?? "")?.clientSecret ?? "";
    const proof = createHmac("sha256", secret).update(token).digest("hex");
    if (grant === undefined || query.get("appsecret_proof") !== proof) return refuse(call, 190);
    const { account } = grant;
    answer(call, "profile", {
      id: account.subject,
      first_name: account.name,
      last_name: account.surname,
      email: account.email,
    });
  },
};
